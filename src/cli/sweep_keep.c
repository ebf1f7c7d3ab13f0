/* sweep_keep.c - batches that are finished, kept in OUTPUT.kept until the result is whole.
 *
 *   magic "LIEDERSW", version, fingerprint of the sweep, number and size of batches
 *   for each batch, in the order in which they were finished:
 *     its number, bytes, what became of its members (batch_pack), checksum
 *
 * in the machine's own byte order. The result has its members in the order of the grid, so that a
 * program that ends halfway would lose what was finished early. A new run reads the list up to the
 * first damaged entry, which the old one was writing when it ended, and does the rest. The
 * fingerprint covers the text of the model, the grid, the columns and the options that matter for
 * numbers; how many ranks and threads there are does not.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/intern.h"
#include "cli/sweep.h"

enum { KEPT_VERSION = 1 };
static const char MAGIC[8] = "LIEDERSW";

typedef struct KeptHeader {
    char magic[8];
    uint64_t version, fingerprint, nmember, group, batch;
} KeptHeader;

/* ------------------------------------------------------------------ batches as bytes */

typedef struct PackedMember {
    uint64_t nrow, nnumber, nmessage, failed;
    double begun, t, failed_at;
} PackedMember;

static void put_kept(char **at, const void *bytes, size_t n)
{
    memcpy(*at, bytes, n);
    *at += n;
}

char *batch_pack(const MemberBatch *b, size_t *n)
{
    uint64_t counts[] = {b->first, b->n, b->warning ? strlen(b->warning) : 0};
    *n = sizeof counts + counts[2];
    for (size_t i = 0; i < b->n; i++)
        *n += sizeof(PackedMember) + b->members[i].rows.n * sizeof(double) +
              (b->members[i].message ? strlen(b->members[i].message) : 0);
    char *bytes = malloc(*n), *at = bytes;
    if (!bytes)
        return NULL;
    put_kept(&at, counts, sizeof counts);
    if (counts[2])
        put_kept(&at, b->warning, counts[2]);
    for (size_t i = 0; i < b->n; i++) {
        const SweepMember *m = &b->members[i];
        PackedMember p = {.nrow = m->nrow,
                          .nnumber = m->rows.n,
                          .nmessage = m->message ? strlen(m->message) : 0,
                          .failed = m->failed,
                          .begun = m->begun,
                          .t = m->t,
                          .failed_at = m->failed_at};
        put_kept(&at, &p, sizeof p);
        if (p.nnumber)
            put_kept(&at, m->rows.items, p.nnumber * sizeof(double));
        if (p.nmessage)
            put_kept(&at, m->message, p.nmessage);
    }
    return bytes;
}

/* what is left to read */
typedef struct Bytes {
    const char *at;
    size_t left;
} Bytes;

static bool take_kept(Bytes *from, void *to, size_t n)
{
    if (n > from->left)
        return false;
    if (n)
        memcpy(to, from->at, n);
    from->at += n;
    from->left -= n;
    return true;
}

/* a text of n characters; NULL: none, or no memory */
static char *take_text(Bytes *from, size_t n)
{
    char *text = n && n <= from->left ? calloc(n + 1, 1) : NULL;
    if (text)
        take_kept(from, text, n);
    return text;
}

/* one member out of bytes that another rank or an earlier run has packed; false: they are not whole
 */
static bool unpack_member(Bytes *from, SweepMember *m)
{
    PackedMember p;
    if (!take_kept(from, &p, sizeof p) || p.nnumber > from->left / sizeof(double) ||
        !vec_resize(HEAP, &m->rows, p.nnumber) ||
        !take_kept(from, m->rows.items, p.nnumber * sizeof(double)))
        return false;
    m->nrow = p.nrow;
    m->begun = p.begun;
    m->t = p.t;
    m->failed = p.failed;
    m->failed_at = p.failed_at;
    m->message = take_text(from, p.nmessage);
    return !p.nmessage || m->message;
}

/* a batch from bytes; false: no memory, or damaged; batch_drop in any case */
static bool batch_unpack(MemberBatch *b, const char *bytes, size_t n)
{
    Bytes from = {bytes, n};
    uint64_t counts[3];
    if (!take_kept(&from, counts, sizeof counts) || counts[1] > n)
        return false;
    *b = (MemberBatch){.first = counts[0], .n = counts[1]};
    b->members = calloc(b->n + 1, sizeof *b->members);
    b->warning = take_text(&from, counts[2]);
    bool ok = b->members;
    for (size_t i = 0; i < b->n && ok; i++)
        ok = unpack_member(&from, &b->members[i]);
    return ok;
}

/* ------------------------------------------------------------------ which sweep it is */

static unsigned long long add_text(unsigned long long hash, const char *text)
{
    return text ? hash_bytes(hash, text, strlen(text) + 1) : hash;
}

/* the text of a model; folders are known by their name only */
static unsigned long long add_file(unsigned long long hash, const char *path)
{
    struct stat st;
    char buffer[4096];
    FILE *f = path && stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
    hash = add_text(hash, path);
    for (size_t n; f && (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
        hash = hash_bytes(hash, buffer, n);
    if (f)
        fclose(f);
    return hash;
}

/* a hash of all that decides the numbers of a sweep: texts, options, grid, columns */
static uint64_t sweep_fingerprint(const Sweep *s)
{
    const RunSettings *w = &s->settings->run;
    const LiederSimulateOptions *o = &s->options;
    const double numbers[] = {o->start,
                              o->stop,
                              o->step,
                              o->tolerance,
                              o->interval,
                              (double)o->solver,
                              (double)o->chatter,
                              s->settings->summary};
    unsigned long long hash = add_file(add_text(HASH_SEED, LIEDER_VERSION), w->source.file);
    for (size_t i = 0; i < w->source.before.n; i++)
        hash = add_file(hash, w->source.before.items[i]);
    hash = add_text(hash, s->main.loaded.title);
    hash = hash_bytes(hash, numbers, sizeof numbers);
    for (size_t i = 0; i < w->source.overrides.n; i++)
        hash = add_text(add_text(hash, w->source.overrides.items[i].name),
                        w->source.overrides.items[i].value);
    for (size_t i = 0; i < s->grid->axes.n; i++) {
        const GridAxis *axis = &s->grid->axes.items[i];
        hash = hash_bytes(add_text(hash, axis->name), axis->values.items,
                          axis->values.n * sizeof *axis->values.items);
    }
    for (size_t i = 0; i < s->selection.list.n; i++)
        hash = add_text(hash, s->selection.list.items[i].name);
    return hash;
}

/* ------------------------------------------------------------------ the file */

static bool fail_kept(const KeptFile *k, Log *log)
{
    log_error(log, "cannot write the finished members to %s: %s", k->path, strerror(errno));
    return false;
}

/* the batches that are there, up to the first damaged one, which the next one takes the place of */
static bool read_entries(KeptFile *k)
{
    uint64_t entry[2];
    long long at = sizeof(KeptHeader);
    struct stat st;
    if (fstat(fileno(k->file), &st) != 0)
        return false;
    while (fread(entry, sizeof entry, 1, k->file) == 1 && entry[0] < k->n &&
           entry[1] <= (uint64_t)(st.st_size - at)) {
        char *bytes = malloc(entry[1] + 1);
        uint64_t sum;
        bool whole = bytes && fread(bytes, 1, entry[1], k->file) == entry[1] &&
                     fread(&sum, sizeof sum, 1, k->file) == 1 &&
                     sum == hash_bytes(HASH_SEED, bytes, entry[1]);
        free(bytes);
        if (!whole)
            break;
        k->places[entry[0]] = (KeptPlace){at + (long long)sizeof entry, entry[1]};
        at += (long long)(sizeof entry + entry[1] + sizeof sum);
        k->nfound++;
    }
    k->end = at;
    return ftruncate(fileno(k->file), at) == 0;
}

/* the header of a file of this very sweep */
static bool read_header(const KeptFile *k, const KeptHeader *wanted, KeptHeader *h)
{
    return fread(h, sizeof *h, 1, k->file) == 1 && memcmp(h->magic, MAGIC, sizeof MAGIC) == 0 &&
           h->version == wanted->version && h->fingerprint == wanted->fingerprint &&
           h->nmember == wanted->nmember && h->group == wanted->group && h->batch > 0 &&
           h->batch <= h->group;
}

/* A file of ours: no link that someone has planted there is followed, nothing but a regular file
 * is read or written. NULL: errno. */
static FILE *open_kept(const char *path, int flags)
{
    struct stat st;
    int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd < 0)
        return NULL;
    bool regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    FILE *file = regular ? fdopen(fd, "r+b") : NULL;
    if (!file) {
        close(fd);
        errno = regular ? ENOMEM : EINVAL;
    }
    return file;
}

ExitCode kept_open(KeptFile *k, Sweep *s, bool resume)
{
    KeptHeader h, wanted = {.version = KEPT_VERSION,
                            .fingerprint = sweep_fingerprint(s),
                            .nmember = s->grid->n,
                            .group = s->group,
                            .batch = s->batch};
    memcpy(wanted.magic, MAGIC, sizeof MAGIC);
    k->path = path_join(s->log, s->output, strlen(s->output), ".kept");
    if (!k->path)
        return EXIT_SIMULATION;
    k->file = resume ? open_kept(k->path, O_RDWR) : NULL;
    if (resume && !k->file && errno != ENOENT) {
        fail_kept(k, s->log);
        return EXIT_IO;
    }
    if (k->file) {
        if (!read_header(k, &wanted, &h)) {
            log_error(
                s->log,
                "%s has members of another sweep\nremove it, or run the sweep that it belongs "
                "to: the same model, grid, columns and options",
                k->path);
            return EXIT_USAGE;
        }
        s->batch = h.batch;
    } else {
        if (!resume)
            unlink(k->path);
        k->file = open_kept(k->path, O_RDWR | O_CREAT | O_EXCL);
        if (!k->file || fwrite(&wanted, sizeof wanted, 1, k->file) != 1 || fflush(k->file) != 0) {
            fail_kept(k, s->log);
            return EXIT_IO;
        }
        k->end = sizeof wanted;
    }
    k->n = sweep_batches(s);
    k->places = calloc(k->n, sizeof *k->places);
    if (!k->places)
        return EXIT_SIMULATION;
    if (k->end == 0 && !read_entries(k)) {
        fail_kept(k, s->log);
        return EXIT_IO;
    }
    if (k->nfound)
        log_note(s->log, "%zu of %zu batches are finished already, in %s", k->nfound, k->n,
                 k->path);
    return EXIT_DONE;
}

bool kept_has(const KeptFile *k, size_t batch)
{
    return k->file && k->places[batch].at > 0;
}

bool kept_put(KeptFile *k, Log *log, size_t batch, const char *bytes, size_t n)
{
    uint64_t entry[2] = {batch, n}, sum = hash_bytes(HASH_SEED, bytes, n);
    errno = 0;
    if (fseeko(k->file, k->end, SEEK_SET) != 0 || fwrite(entry, sizeof entry, 1, k->file) != 1 ||
        fwrite(bytes, 1, n, k->file) != n || fwrite(&sum, sizeof sum, 1, k->file) != 1 ||
        fflush(k->file) != 0)
        return fail_kept(k, log);
    k->places[batch] = (KeptPlace){k->end + (long long)sizeof entry, n};
    k->end += (long long)(sizeof entry + n + sizeof sum);
    return true;
}

bool kept_get(KeptFile *k, size_t batch, MemberBatch *b)
{
    const KeptPlace *p = &k->places[batch];
    char *bytes = malloc(p->n + 1);
    bool ok = bytes && fseeko(k->file, p->at, SEEK_SET) == 0 &&
              fread(bytes, 1, p->n, k->file) == p->n && batch_unpack(b, bytes, p->n);
    free(bytes);
    return ok;
}

void kept_close(KeptFile *k, bool whole)
{
    if (k->file)
        fclose(k->file);
    if (k->file && whole)
        unlink(k->path);
    free(k->path);
    free(k->places);
    *k = (KeptFile){0};
}
