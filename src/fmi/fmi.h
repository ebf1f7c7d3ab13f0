/* fmi.h - models as FMUs, and FMUs as components of models: the map of this folder.
 *
 *   export.c     an FMU from a system: texts, compiler, archive
 *   rows.c       which variables it has, and where their numbers stand
 *   scale.c      whether the size of its arrays can be chosen
 *   describe.c   modelDescription.xml and buildDescription.xml
 *   source.c     model.c and shape_N.c; texts.c: the sources that go with them
 *   zip.c        archives, written; unzip.c: read, though they may be hostile
 *   import.c     FMUs as classes of Modelica text; read.c: their modelDescription.xml
 *   host.c       an FMU in a process of its own; exchange.c: a solver for model exchange
 *   master.c     a run of a system with FMUs, from one communication point to the next
 *   runtime/     C that becomes part of every FMU; runtime/fmu.h is its map
 */
#ifndef LIEDER_FMI_H
#define LIEDER_FMI_H

#include "base/text.h"
#include "fmi/import.h"
#include "model/system/system.h"

#include <lieder/simulate.h>
#include <lieder/variables.h>

/* ------------------------------------------------------------------ zip.c */

/* an archive in memory */
typedef struct Zip {
    const LiederAllocator *alloc;
    TextBuffer bytes, directory;
    size_t n;
    bool failed; /* memory ran out */
} Zip;
/* one file, deflated; names have '/' between folders */
void zip_add(Zip *zip, const char *name, const void *data, size_t n);
/* writes the directory, after which the bytes are complete; false: memory ran out */
bool zip_end(Zip *zip);
void zip_drop(Zip *zip);

/* ------------------------------------------------------------------ unzip.c */

typedef struct UnzipEntry {
    char name[512];
    int method;
    uint32_t crc;
    size_t packed, size, at;
} UnzipEntry;

typedef struct Unzip {
    const LiederAllocator *alloc;
    TextBuffer bytes;
    VEC(UnzipEntry) entries;
    size_t total;    /* bytes of all entries */
    char wrong[700]; /* a sentence, once something failed */
} Unzip;

/* Reads an archive and checks all its names and sizes. False: u->wrong is the reason. Call
 * unzip_close in any case. */
bool unzip_open(Unzip *u, const LiederAllocator *alloc, const char *path);
void unzip_close(Unzip *u);
const UnzipEntry *unzip_find(const Unzip *u, const char *name);
/* an entry, with a NUL behind it */
bool unzip_read(Unzip *u, const UnzipEntry *entry, TextBuffer *to);
/* writes the entries whose names begin with `below` into a folder; files that exist are an error */
bool unzip_extract(Unzip *u, const char *folder, const char *below);

/* ------------------------------------------------------------------ rows.c */

typedef enum RowCausality {
    ROW_LOCAL,
    ROW_CONSTANT, /* a parameter that cannot be changed: switches, numbers of World */
    ROW_PARAMETER,
    ROW_CALCULATED, /* a parameter with too many different numbers for the description */
    ROW_INPUT,
    ROW_OUTPUT,
    ROW_SIZE /* a structural parameter */
} RowCausality;

/* numbers of kind FmuKind (runtime/fmu.h); number i stands at place + i % length of lane + i /
 * length */
typedef struct RowPiece {
    uint32_t shape, place, lane, length, n;
} RowPiece;

typedef struct FmiRow {
    LiederVariableInfo info;
    size_t variable; /* in the table of the system */
    char *name;
    int kind; /* FMU_STATE ... */
    RowCausality causality;
    bool solved_start; /* a state whose start value the FMU computes */
    bool scales;       /* one element for each lane; the importer may choose how many */
    uint32_t first_piece, npiece;
    size_t n, first;       /* elements; the number of those before */
    size_t stride, offset; /* element i is element i * stride + offset of the variable */
    ptrdiff_t state;       /* of a derivative: row of its state */
    double *values;        /* start values if elements differ, else NULL: info.start */
    size_t ndim, dimensions[INDEX_DIMS];
} FmiRow;

typedef struct FmiRows {
    LiederSystem *system;
    VEC(FmiRow) list;
    VEC(RowPiece) pieces;
    VEC(double) constants;
    VEC(uint32_t) states, crossings; /* rows */
    size_t n;                        /* elements in all */
    size_t size;                     /* 1 + the row with the number of lanes; 0: there is none */
    size_t lanes, most_lanes;        /* of shapes that scale; most_lanes 0: any number */
} FmiRows;

/* Rows for parameters, inputs, outputs, states, derivatives, observables and crossings, and for
 * other variables whose name `also` accepts (NULL: none). False: see the diagnostics. */
bool rows_make(FmiRows *rows, LiederSystem *system, bool (*also)(void *user, const char *name),
               void *user);
void rows_drop(FmiRows *rows);
struct FmiTexts;
/* scale.c: adds the row of a parameter that only determines the number of lanes, if there is one.
 * False: no memory */
bool rows_scale(const struct FmiTexts *t, FmiRows *rows);
/* A name by the structured convention: identifiers with dots between, der() around. The rest of a
 * name from the first part that is no identifier stands in quotes: 'relation 1 (line 11)'. */
void row_name(const char *name, char *to, size_t size);

/* ------------------------------------------------------------------ export.c */

/* a parameter of the model itself, and what it is */
typedef struct FmiSize {
    const char *name, *text;
} FmiSize;

typedef struct FmiExport {
    const char *model; /* its name as the user knows it */
    const char *text;  /* one sentence, or NULL */
    int version;       /* 2 or 3 */
    LiederSolver solver;
    double start, stop, step, tolerance;        /* stop, tolerance: NaN if the model has none */
    bool (*also)(void *user, const char *name); /* further variables, or NULL */
    void *user;
    bool sources_only; /* no binary */
    /* the same model with another value of a parameter, or NULL; nsize 0: sizes are fixed */
    LiederSystem *(*resize)(void *user, const char *parameter, size_t value);
    void (*release)(void *user, LiederSystem *system);
    void *resize_user;
    const FmiSize *sizes; /* parameters that may be sizes of arrays */
    size_t nsize;
} FmiExport;

/* Writes the FMU. Errors are in the session's diagnostics; LIEDER_IO if a file or the compiler
 * fails. The system must have been made for LIEDER_ISA_SCALAR. */
LiederStatus fmi_export(LiederSystem *system, const FmiExport *e, const char *path);

/* ------------------------------------------------------------------ describe.c, source.c */

enum { FMI_TOKEN = 39 };
typedef struct FmiTexts {
    const FmiExport *e;
    const FmiRows *rows;
    const LiederAllocator *alloc;
    char identifier[64]; /* the model's name as C knows it */
    char token[FMI_TOKEN];
    bool any_lanes; /* shapes are written without the number of their lanes, to be compared */
} FmiTexts;

bool model_description(const FmiTexts *t, TextBuffer *to);
/* options: of the compiler */
bool build_description(const FmiTexts *t, const char *options, TextBuffer *to);

bool model_source(const FmiTexts *t, TextBuffer *to);
bool shape_source(const FmiTexts *t, size_t shape, TextBuffer *to);
/* has the system event blocks, held modes, memory, timers or requests? */
bool system_has_events(const LiederSystem *system);
/* are there timers, or components with a next_time? */
bool system_has_instants(const LiederSystem *system);
/* some shape is a net, for which an FMU has no solver: LIEDER_METHOD_SPARSE makes it a sparse
 * system */
bool system_has_net(const LiederSystem *system);
/* some shape is solved as a sparse system */
bool system_has_sparse(const LiederSystem *system);
/* has it delays? Their past is kept in co-simulation only */
bool system_has_pasts(const LiederSystem *system);
/* why a shape cannot be exported, or NULL */
const char *shape_unfit(const SystemShape *ss);

typedef struct FmiSource {
    const char *name, *begin, *end;
} FmiSource;
/* texts of runtime/, of which fmi2.c or fmi3.c is left out */
const FmiSource *runtime_list(size_t *n);
/* the runtime without model.c, compiled for AVX2; begin NULL: the program was built without it */
FmiSource runtime_object(int version);
/* a text that generated or runtime code includes, by its name; NULL: it is a header of the system
 */
const FmiSource *include_find(const char *name, FmiSource *room);

/* ------------------------------------------------------------------ read.c */

typedef enum ForeignType {
    FOREIGN_FLOAT64,
    FOREIGN_FLOAT32,
    FOREIGN_INT8,
    FOREIGN_UINT8,
    FOREIGN_INT16,
    FOREIGN_UINT16,
    FOREIGN_INT32,
    FOREIGN_UINT32,
    FOREIGN_INT64,
    FOREIGN_UINT64,
    FOREIGN_BOOLEAN,
    FOREIGN_TYPES,
    FOREIGN_OTHER /* texts, bytes, clocks: models do not have them */
} ForeignType;
typedef enum ForeignRole {
    FOREIGN_NONE,
    FOREIGN_INPUT,
    FOREIGN_OUTPUT,
    FOREIGN_PARAMETER
} ForeignRole;

typedef struct ForeignVariable {
    char *name, *text, *unit, *starts; /* starts: numbers, as written */
    uint32_t reference;
    ForeignType type;
    ForeignRole role;
    size_t n;            /* numbers */
    VEC(uint32_t) sizes; /* references of dimensions that are variables */
    char inner[64];      /* name of its component in the class; "": it has none */
    size_t first;        /* its first number among all of its role */
} ForeignVariable;

/* a modelDescription.xml */
typedef struct ForeignModel {
    const LiederAllocator *alloc;
    int version;
    char *token, *identifier;       /* of co-simulation, or if there is none of model exchange */
    bool exchange;                  /* model exchange: exchange.c steps it */
    size_t nderivative, nindicator; /* of FMI 2; FMI 3 has functions for them */
    double step;                    /* of the default experiment, or 0 */
    VEC(ForeignVariable) variables;
    char wrong[256];
} ForeignModel;

/* false: m->wrong is the reason. Call foreign_drop in any case. */
bool foreign_read(ForeignModel *m, const LiederAllocator *alloc, const char *text, size_t n);
void foreign_drop(ForeignModel *m);
/* the numbers of `starts`, 0 where there are none */
void foreign_starts(const ForeignVariable *v, double *to);

/* ------------------------------------------------------------------ import.c */

struct ImportedFile {
    char *path;
    char folder[64]; /* unpacked, or "" */
    ForeignModel model;
};

/* ------------------------------------------------------------------ host.c */

/* One instance of an FMU, in a child process. Each call returns false after writing the reason,
 * with the component, into `wrong`. */
typedef struct Host {
    const ImportedFile *file;
    char component[512];
    int pid, socket;           /* of the child; pid 0: it runs in this process */
    void *inside;              /* the instance in this process, or NULL */
    size_t nin, nout, npar;    /* numbers of inputs, outputs, parameters */
    bool (*waits)(void *user); /* called while the child works; false: give up. Or NULL */
    void *user;
    bool given_up;
    bool ended; /* the FMU has ended the simulation */
    char wrong[700];
} Host;

bool host_open(Host *h, const ImportedFile *file, const char *component, bool in_process,
               bool (*waits)(void *user), void *user);
/* enters initialization mode; parameters: npar numbers, of which those with a flag are set */
bool host_begin(Host *h, double start, double stop, const double *parameters,
                const unsigned char *given);
bool host_set(Host *h, const double *inputs);
bool host_get(Host *h, double *outputs);
bool host_ready(Host *h, double start); /* leaves initialization mode */
bool host_step(Host *h, double t, double size);
void host_close(Host *h);

#endif
