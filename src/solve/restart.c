/* restart.c - the state of a run in a file.
 *
 *   magic "LIEDERST", version, 0x01020304 as the machine writes it, fingerprint of the model,
 *   solver, t, grid of fixed steps, numbers of states and choices, x, choices, what crossings
 *   remember beside them (crossing.c), what lanes remember (model/held.c), checksum
 *
 * all in the machine's own byte order, 8 bytes each: a restart must give the same bits, so numbers
 * are not converted, and a file from another kind of machine is refused. The fingerprint covers
 * classes, connections and names, not parameters: going on with a changed parameter is a use. The
 * file is written beside and renamed (base/file.h), so that there is always a whole one. A checksum
 * tells damage, not malice: every number of the file is checked before it is used.
 */
#include "solve/solve.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum { STATE_VERSION = 3, ENDIAN = 0x01020304 };
static const char MAGIC[8] = "LIEDERST";

typedef struct Header {
    char magic[8];
    uint32_t version, endian;
    uint64_t fingerprint;
    uint64_t solver, counter;
    double t, origin, step, wanted;
    uint64_t nstate, nchoice, nmemory;
} Header;

/* a hash of classes, connections, names of states and numbers of lanes: which model a state file
 * belongs to */
static uint64_t fingerprint(const LiederSystem *system)
{
    unsigned long long hash = HASH_SEED;
    char name[600];
    for (size_t i = 0; i < system->nhome; i++) {
        const SystemShape *ss = &system->shapes.items[i];
        const Shape *shape = ss->shape;
        hash = hash_bytes(hash, &shape->nlane, sizeof shape->nlane);
        for (size_t c = 0; c < shape->components.n; c++) {
            const Component *k = &shape->components.items[c];
            hash = hash_bytes(hash, k->class_->name, strlen(k->class_->name) + 1);
            hash = hash_bytes(hash, k->node, (size_t)k->class_->def->nport * sizeof *k->node);
        }
        for (size_t s = 0; s < shape->states.n; s++)
            for (size_t b = 0; b < shape->batches.n; b++) {
                size_t index =
                    ss->first_state + s * shape->nlane + shape->batches.items[b].first_lane;
                lieder_system_state_name(system, index, name, sizeof name);
                hash = hash_bytes(hash, name, strlen(name) + 1);
            }
    }
    return hash + structure_hash(system);
}

/* ------------------------------------------------------------------ writing */

static bool put_bytes(FILE *f, unsigned long long *sum, const void *bytes, size_t n)
{
    *sum = hash_bytes(*sum, bytes, n);
    return n == 0 || fwrite(bytes, 1, n, f) == n;
}

/* all of it through one descriptor; 0 or an errno */
static int write_state(const NewFile *file, const Header *h, const double *x, const Events *held)
{
    unsigned long long sum = HASH_SEED;
    FILE *f = new_file_stream(file);
    if (!f)
        return errno;
    errno = 0;
    bool ok = put_bytes(f, &sum, h, sizeof *h) &&
              put_bytes(f, &sum, x, h->nstate * sizeof(double)) &&
              put_bytes(f, &sum, held->choices, h->nchoice * sizeof(double)) &&
              put_bytes(f, &sum, held->crossings, h->nchoice * sizeof *held->crossings) &&
              put_bytes(f, &sum, held->memory, h->nmemory * sizeof(double)) &&
              fwrite(&sum, sizeof sum, 1, f) == 1;
    int error = ok ? 0 : errno ? errno : EIO;
    if (fclose(f) != 0 && !error)
        error = errno; // the last bytes may be the ones that find no room
    return error;
}

LiederStatus checkpoint_write(LiederSystem *system, const char *file, const Checkpoint *c,
                              const double *x, const Events *held)
{
    Header h = {.version = STATE_VERSION,
                .endian = ENDIAN,
                .fingerprint = fingerprint(system),
                .solver = (uint64_t)c->solver,
                .counter = c->counter,
                .t = c->t,
                .origin = c->origin,
                .step = c->step,
                .wanted = c->wanted,
                .nstate = system->nstate,
                .nchoice = system->nchoice,
                .nmemory = system->nmemory};
    memcpy(h.magic, MAGIC, sizeof h.magic);
    NewFile f;
    char reason[FILE_REASON];
    int error = new_file_open(&f, file, FILE_ATOMIC | (c->synced ? FILE_SYNCED : 0));
    if (!error)
        error = write_state(&f, &h, x, held);
    if (!error)
        error = new_file_publish(&f);
    int closed = new_file_close(&f);
    error = error ? error : closed;
    if (!error)
        return LIEDER_DONE;
    diag_error(&system->session->diag, NULL, NULL, "the state file %s cannot be written: %s", file,
               file_reason(error, reason));
    return LIEDER_IO;
}

/* ------------------------------------------------------------------ reading */

static LiederStatus refuse_file(LiederSystem *system, const char *file, const char *why)
{
    diag_error(&system->session->diag, NULL, NULL, "the state file %s cannot be used: %s", file,
               why);
    return LIEDER_IO;
}

static bool get_bytes(FILE *f, unsigned long long *sum, void *bytes, size_t n)
{
    if (n && fread(bytes, 1, n, f) != n)
        return false;
    *sum = hash_bytes(*sum, bytes, n);
    return true;
}

/* what is impossible in the header, or NULL. Only fixed steps have a grid; t is one of its points,
 * or less than a step beside one where a mode has ended. */
static const char *impossible_header(const Header *h)
{
    const double most = 9e15; /* steps that a double counts */
    if (h->solver <= LIEDER_SOLVER_AUTO || h->solver >= LIEDER_SOLVER_COUNT)
        return "there is no such solver";
    if (!isfinite(h->t))
        return "the time is no number";
    if (!isfinite(h->origin) || h->origin > h->t + 1e-9 * fabs(h->t))
        return "its grid does not begin before its time";
    if (!isfinite(h->wanted) || h->wanted < 0)
        return "the step that was wanted is impossible";
    if (lieder_solver_info((LiederSolver)h->solver)->adaptive)
        return h->counter || h->step != 0 ? "an adaptive solver has no grid of steps" : NULL;
    if (!isfinite(h->step) || !(h->step > 0))
        return "its step is impossible";
    if ((double)h->counter > most ||
        fabs(h->origin + (double)h->counter * h->step - h->t) > 2 * h->step + 1e-9 * fabs(h->t))
        return "its time is not on its grid of steps";
    return NULL;
}

/* what is impossible in the rest, or NULL */
static const char *impossible_memory(const LiederSystem *system, const double *x,
                                     const Events *held)
{
    for (size_t i = 0; i < system->nmemory; i++) /* a timer may be infinite */
        if (isnan(held->memory[i]))
            return "what a component remembers is no number";
    for (size_t i = 0; i < system->nstate; i++)
        if (!isfinite(x[i]))
            return "a state is no number";
    for (size_t i = 0; i < system->nchoice; i++) {
        const Crossing *c = &held->crossings[i];
        if (held->choices[i] != 0 && held->choices[i] != 1 && held->choices[i] != 2)
            return "a choice is neither 0, 1 nor 2";
        if ((c->armed != 0 && c->armed != 1) || !isfinite(c->noise) || c->noise < 0 ||
            !isfinite(c->scale[0]) || c->scale[0] < 0 || !isfinite(c->scale[1]) ||
            c->scale[1] < 0 || !(c->recent.since < INFINITY) || c->recent.count > 1000)
            return "what a crossing remembers is impossible";
    }
    return NULL;
}

/* header, states, choices, checksum; every reason to refuse the file is reported in its own words
 */
static LiederStatus read_open(LiederSystem *system, FILE *f, const char *file, Checkpoint *c,
                              double *x, Events *held)
{
    Header h;
    unsigned long long sum = HASH_SEED, written;
    char extra;
    if (!get_bytes(f, &sum, h.magic, sizeof h.magic) || memcmp(h.magic, MAGIC, sizeof MAGIC) != 0)
        return refuse_file(system, file, "it is no state file of Lieder");
    if (!get_bytes(f, &sum, (char *)&h + sizeof h.magic, sizeof h - sizeof h.magic))
        return refuse_file(system, file, "it ends too early");
    if (h.endian != ENDIAN)
        return refuse_file(system, file, "it comes from a machine with another order of bytes");
    if (h.version != STATE_VERSION)
        return refuse_file(system, file,
                           "its version is another one\nwrite it anew with this program");
    if (h.nstate != system->nstate || h.nchoice != system->nchoice ||
        h.nmemory != system->nmemory || h.fingerprint != fingerprint(system))
        return refuse_file(system, file,
                           "it belongs to another model\nresume the model that wrote it");
    if (!get_bytes(f, &sum, x, system->nstate * sizeof(double)) ||
        !get_bytes(f, &sum, held->choices, system->nchoice * sizeof(double)) ||
        !get_bytes(f, &sum, held->crossings, system->nchoice * sizeof *held->crossings) ||
        !get_bytes(f, &sum, held->memory, system->nmemory * sizeof(double)) ||
        fread(&written, sizeof written, 1, f) != 1)
        return refuse_file(system, file, "it ends too early");
    if (written != sum || fread(&extra, 1, 1, f) == 1)
        return refuse_file(system, file, "it is damaged (the checksum is wrong)");
    const char *why = impossible_header(&h);
    if (!why)
        why = impossible_memory(system, x, held);
    if (why)
        return refuse_file(system, file, why);
    *c = (Checkpoint){.solver = (LiederSolver)h.solver,
                      .t = h.t,
                      .origin = h.origin,
                      .step = h.step,
                      .wanted = h.wanted,
                      .counter = h.counter};
    return LIEDER_DONE;
}

LiederStatus checkpoint_read(LiederSystem *system, const char *file, Checkpoint *c, double *x,
                             Events *held)
{
    struct stat kind;
    if (stat(file, &kind) == 0 && !S_ISREG(kind.st_mode)) // a pipe would hold the run up
        return refuse_file(system, file, "it is no regular file");
    FILE *f = fopen(file, "rb");
    if (!f)
        return refuse_file(system, file, strerror(errno));
    LiederStatus status = read_open(system, f, file, c, x, held);
    fclose(f);
    return status;
}
