/* sweep.h - what the files of 'lieder sweep' share. Inside them only.
 *
 *   sweep.c          the command: options, batches over the threads, the sum at the end
 *   sweep_plan.c     examines the model: its structures, the columns, the size of a batch
 *   sweep_members.c  runs the members of a batch and keeps their rows
 *   sweep_write.c    the file of results, in the order of the grid
 *   sweep_keep.c     finished batches in a file, until the results are whole
 *   sweep_ranks.c    batches over several processes
 */
#ifndef LIEDER_CLI_SWEEP_H
#define LIEDER_CLI_SWEEP_H

#include "cli/cli.h"

typedef struct SweepSettings {
    RunSettings run;
    Grid grid;
    bool summary, resume;
} SweepSettings;

/* what a summary keeps of a variable */
enum { SUM_FINAL, SUM_LEAST, SUM_MOST, SUM_INTEGRAL, SUMS };

/* what became of one member */
typedef struct SweepMember {
    VEC(double) rows; /* time and columns; for a summary final, min, max, integral by column */
    size_t nrow;
    double begun, t; /* time of the first and of the last row */
    bool failed;
    double failed_at;
    char *message;
} SweepMember;

typedef struct MemberBatch {
    size_t first, n;
    SweepMember *members;
    char *warning; /* of the solver */
} MemberBatch;

/* what a thread works with */
typedef struct Workplace {
    Loaded loaded;
    bool open;
    size_t nbatch;
} Workplace;

/* finished batches in a file: see sweep_keep.c */
typedef struct KeptPlace {
    long long at; /* 0: it is not there */
    size_t n;
} KeptPlace;
typedef struct KeptFile {
    FILE *file; /* NULL: nothing is kept */
    char *path;
    KeptPlace *places; /* by batch */
    size_t n, nfound;
    long long end;
} KeptFile;

typedef struct Sweep {
    Log *log;
    const SweepSettings *settings;
    const Grid *grid;
    Workplace main; /* finds out about the model */
    size_t typical; /* a member that can be made */
    Selection selection;
    LiederSimulateOptions options;
    bool lanes;
    size_t group, batch;     /* members of the same structure in a row; of them, in one batch */
    bool unwritten;          /* there is no file: the rows of batches are all that is wanted */
    bool (*ask)(void *user); /* now and then during a run, unless NULL; false ends it */
    void *user;
    char *output;
    KeptFile kept;
    Recorder recorder;
    double *row; /* of the file, without time */
    Progress progress;
    /* results */
    size_t ndone, nfailed;
    bool stopped;  /* the file cannot be written */
    char *warning; /* said last */
} Sweep;

/* ------------------------------------------------------------------ sweep_members.c */

/* A session with the text of the model, and with an array of members around it. */
ExitCode workplace_open(Workplace *w, const Sweep *s, Log *log);
void workplace_close(Workplace *w);
/* Members first, first + stride, ... as one system; NULL: the session's diagnostics say why. */
LiederSystem *members_create(Workplace *w, const Sweep *s, size_t first, size_t stride, size_t n);
/* all members of a batch; false: out of memory */
bool batch_run(const Sweep *s, Workplace *w, MemberBatch *b);
void batch_drop(MemberBatch *b);

/* ------------------------------------------------------------------ sweep_plan.c */

/* finds out about the model, chooses columns and batches, opens the file */
ExitCode sweep_plan(Sweep *s, size_t threads);

/* ------------------------------------------------------------------ sweep_write.c */

/* the system is that of a typical member */
ExitCode sweep_open_file(Sweep *s, const LiederSystem *system);
/* rows of the members, and what there is to say about them */
void sweep_write_batch(Sweep *s, const MemberBatch *b);

/* ------------------------------------------------------------------ sweep_keep.c */

/* a batch as bytes, which the caller frees; NULL: no memory */
char *batch_pack(const MemberBatch *b, size_t *n);
/* resume: with what an earlier run has finished, and its size of batches */
ExitCode kept_open(KeptFile *k, Sweep *s, bool resume);
bool kept_has(const KeptFile *k, size_t batch);
/* false: it cannot be written, which was reported */
bool kept_put(KeptFile *k, Log *log, size_t batch, const char *bytes, size_t n);
bool kept_get(KeptFile *k, size_t batch, MemberBatch *b);
void kept_close(KeptFile *k, bool whole); /* whole: nobody needs it any more */

/* ------------------------------------------------------------------ sweep.c */

size_t sweep_batches(const Sweep *s);
/* the members of batch i, not run yet */
MemberBatch sweep_batch(const Sweep *s, size_t i);

/* ------------------------------------------------------------------ sweep_ranks.c */

ExitCode sweep_by_ranks(Sweep *s, size_t threads);

#endif
