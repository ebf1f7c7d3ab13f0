/* front.h - from Modelica text to a model of the session.
 *
 *   Front *front = front_create(session);
 *   front_load(front, "models/scale/Fleet.mo");
 *   const char *model;
 *   front_instantiate(front, front_last_model(front), NULL, 0, &experiment, &model);
 *   LiederSystem *system = lieder_system_create(session, model, NULL);
 *
 * All that is wrong goes to the diagnostics of the session, with file, line and column; the
 * status is then LIEDER_BAD_MODEL. A Front belongs to its session and must go before it. Loading
 * and instantiating may be repeated in any order; models that were made stay in the session.
 */
#ifndef LIEDER_FRONT_FRONT_H
#define LIEDER_FRONT_FRONT_H

#include <stdio.h>

#include <lieder/lieder.h>
#include <lieder/load.h>

#include "base/diag.h"
#include "base/text.h"

typedef struct Front Front;

/* Knows the classes that the session has at this moment. NULL: out of memory. */
Front *front_create(Lieder *session);
void front_destroy(Front *front);

/* Forgets all that was loaded, as if the front end were new. */
void front_clear(Front *front);

/* A file, or a folder with package.mo. LIEDER_IO if it cannot be read. */
LiederStatus front_load(Front *front, const char *path);
LiederStatus front_load_text(Front *front, const char *name, const char *text);

/* A folder that holds packages, or is one: what no file has is looked for there, in the order in
 * which folders were added, and read when it is asked for. False: no memory. */
bool front_add_library(Front *front, const char *folder);

/* Who makes classes of FMUs (src/fmi/import.c): the name of the class for a file and, if it is new,
 * its Modelica text, of `alloc`; false with what is wrong. Without one, models with FMUs are
 * refused. */
typedef bool FrontFmu(void *user, const char *path, char *name, size_t size, bool *fresh,
                      const LiederAllocator *alloc, TextBuffer *text, char *wrong, size_t room);
void front_set_fmu(Front *front, FrontFmu *read, void *user);

/* What an editor has not saved yet: the text of a file of this path, or NULL if it is to be read.
 * It must live as long as the front end uses it. */
typedef const char *FrontText(void *user, const char *path);
void front_set_text(Front *front, FrontText *text, void *user);

/* Full name of the last class of the last file that can be simulated, or NULL: the last one with an
 * experiment annotation, if there is one. */
const char *front_last_model(Front *front);
/* The files that were read so far, in any order: texts, tables, FMUs. NULL beyond the last. */
const char *front_file_read(const Front *front, size_t index);

/* the public names are those of lieder/load.h */
typedef LiederOverride FrontOverride;
typedef LiederExperiment FrontExperiment;

Lieder *front_session(const Front *front);
/* whether a class of this full name was loaded, or is in the library */
bool front_has_class(const Front *front, const char *class_name);

/* Builds the class as a model of the session. *model_name, owned by the session, goes to
 * lieder_system_create. experiment may be NULL. */
LiederStatus front_instantiate(Front *front, const char *class_name, const FrontOverride *overrides,
                               size_t noverride, FrontExperiment *experiment,
                               const char **model_name);

/* A class with connectors of its own is a part of a model: instead of leaving these open, which
 * makes their flows zero, it is examined as if something general were connected to each, so that
 * messages are about the class alone. For checks, not for simulations. */
void front_set_alone(Front *front, bool alone);

/* A number that the model instantiated last declares itself: its parameters are folded into those
 * of its components, and no system has them. Texts live until the next instantiation. */
typedef struct FrontParameter {
    const char *name;        /* "k", "a[2]" */
    const char *unit, *text; /* or NULL */
    double value;
    bool final; /* follows from others: no override changes it */
} FrontParameter;
size_t front_parameter_count(const Front *front);
const FrontParameter *front_parameter(const Front *front, size_t index);

/* Where the component of a path ("crab[3].cart") is declared in the model instantiated last; the
 * place of the longest known part of the path. False if not even its first name is known, or the
 * place is in the library. */
bool front_place(const Front *front, const char *component_path, Place *place);

/* The classes that were made of equations so far: name, size, states, what was merged and which
 * equations are solved together. They live as long as the session. */
struct CellSummary; /* equation/class/summary.h */
size_t front_cell_count(const Front *front);
const struct CellSummary *front_cell(const Front *front, size_t index);

/* Why the large arrays of the model instantiated last were written out, element by element; "":
 * there are none, or they stayed loops. */
const char *front_scalars_why(const Front *front);

/* The library as Modelica text: what the front end sees of the session's classes. */
const char *front_library_text(const Front *front);

/* The classes of the library that are Modelica text themselves: name and text of each. */
typedef void FrontVisit(void *user, const char *name, const char *text);
void front_visit_library(const Front *front, FrontVisit *visit, void *user);

/* One member of a class of the library, or of what was loaded, as it is written, those of its bases
 * included. Texts live during the call; what is not there is "". */
typedef enum FrontPartKind {
    FRONT_CONNECTOR, /* or an input or output */
    FRONT_PARAMETER,
    FRONT_VARIABLE,
    FRONT_COMPONENT
} FrontPartKind;
typedef struct FrontPart {
    FrontPartKind kind;
    const char *name; /* with its dimensions: "r[2]" */
    const char *type; /* "Real", "Flange", "input Real" */
    const char *role; /* "flow" or "" */
    const char *unit, *value, *min, *max, *text;
    bool bound; /* value is a declaration equation, not a start value */
} FrontPart;
typedef void FrontPartVisit(void *user, const FrontPart *part);
/* *kind: "model", "connector" ...; false: there is no class of that name */
bool front_describe_class(const Front *front, const char *name, const char **kind,
                          const char **text, FrontPartVisit *visit, void *user);

/* Bounds on what loading or one instantiation may use: evaluated expressions, bytes of memory,
 * component declarations. Where one is reached the error names the place. Zero: the default. */
typedef struct FrontLimits {
    size_t steps, memory, instances;
    size_t merge; /* components with connectors of their own: fewer are one class, see divide.c */
    size_t loops; /* arrays of a size from here on stay loops, see loops.c */
    size_t calls; /* calls of functions of more operations stay calls, see large.c */
} FrontLimits;
void front_set_limits(Front *front, FrontLimits limits);

/* a word of the language, which is a name in quotes only */
bool front_is_keyword(const char *word);

/* exponents of m, kg, s, A, K, mol, cd and a factor; false: not understood */
bool unit_base(const char *text, double *factor, int power[7]);

#endif
