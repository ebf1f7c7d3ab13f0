/* sweep_ranks.c - a sweep by several processes.
 *
 * Each rank has threads that run batches and a main thread that talks to rank 0, which hands
 * batches out one by one to whoever has a thread that is free, rank 0 included:
 *
 *   rank r to rank 0   ASK      for a batch
 *   rank 0 to rank r   BATCH    its number, or NONE: there are no more
 *   rank r to rank 0   RESULT   number and bytes of a batch (batch_pack); no bytes: no memory
 *   rank r to rank 0   LEAVE    after all that: was it interrupted?
 *   rank 0 to rank r   STOP     interrupted, or the file cannot be written
 *
 * Rank 0 keeps what it gets (sweep_keep.c) and writes it in the order of the grid. If a process
 * dies, mpirun ends all of them: what was kept is there for --resume.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "cli/sweep.h"
#include "cluster/cluster.h"

enum { TAG_ASK = 20, TAG_BATCH, TAG_RESULT, TAG_LEAVE, TAG_STOP };
static const uint64_t NONE = UINT64_MAX;

/* what a thread works on, between it and the main thread */
typedef enum DeskState { DESK_FREE, DESK_ASKED, DESK_FULL, DESK_READY, DESK_CLOSED } DeskState;

typedef struct Desk {
    struct Crew *crew;
    pthread_t thread;
    bool started;
    DeskState state;
    Workplace place;
    size_t batch;
    char *bytes; /* of the result, or NULL: no memory */
    size_t n;
} Desk;

typedef struct Crew {
    Sweep *sweep;
    size_t nbatch;
    Desk *desks;
    size_t ndesk;
    pthread_mutex_t mutex; /* of the states of desks */
    pthread_cond_t changed;
    /* rank 0 */
    size_t next, turn; /* to be handed out, to be written */
    int nleft;         /* other ranks that have left */
    bool reported, out_of_memory;
} Crew;

/* ------------------------------------------------------------------ threads */

static void set_state(Desk *d, DeskState state)
{
    pthread_mutex_lock(&d->crew->mutex);
    d->state = state;
    pthread_cond_broadcast(&d->crew->changed);
    pthread_mutex_unlock(&d->crew->mutex);
}

static DeskState get_state(Desk *d)
{
    pthread_mutex_lock(&d->crew->mutex);
    DeskState state = d->state;
    pthread_mutex_unlock(&d->crew->mutex);
    return state;
}

/* batches until the desk is closed; one that was interrupted has no result */
static void *work(void *argument)
{
    Desk *d = argument;
    for (;;) {
        pthread_mutex_lock(&d->crew->mutex);
        while (d->state != DESK_FULL && d->state != DESK_CLOSED)
            pthread_cond_wait(&d->crew->changed, &d->crew->mutex);
        bool closed = d->state == DESK_CLOSED;
        pthread_mutex_unlock(&d->crew->mutex);
        if (closed)
            return NULL;
        MemberBatch b = sweep_batch(d->crew->sweep, d->batch);
        bool ran = batch_run(d->crew->sweep, &d->place, &b);
        d->bytes = ran && !run_interrupted ? batch_pack(&b, &d->n) : NULL;
        batch_drop(&b);
        set_state(d, DESK_READY);
    }
}

static bool open_desks(Crew *c, size_t threads)
{
    c->desks = calloc(threads, sizeof *c->desks);
    for (; c->desks && c->ndesk < threads; c->ndesk++) {
        Desk *d = &c->desks[c->ndesk];
        d->crew = c;
        d->started = pthread_create(&d->thread, NULL, work, d) == 0;
        if (!d->started)
            break;
    }
    return c->ndesk > 0;
}

static void close_desks(Crew *c)
{
    for (size_t i = 0; i < c->ndesk; i++) {
        set_state(&c->desks[i], DESK_CLOSED);
        pthread_join(c->desks[i].thread, NULL);
        workplace_close(&c->desks[i].place);
        free(c->desks[i].bytes);
    }
    free(c->desks);
}

static bool all_rest(Crew *c)
{
    bool rest = true;
    for (size_t i = 0; i < c->ndesk; i++)
        rest &= get_state(&c->desks[i]) == DESK_FREE;
    return rest;
}

static void pause_shortly(void)
{
    struct timespec pause = {.tv_nsec = 200000};
    nanosleep(&pause, NULL);
}

/* ------------------------------------------------------------------ rank 0 */

static bool ends(const Crew *c)
{
    return run_interrupted || c->sweep->stopped;
}

/* the next batch that is not finished, or NONE */
static uint64_t next_batch(Crew *c)
{
    while (c->next < c->nbatch && kept_has(&c->sweep->kept, c->next))
        c->next++;
    return ends(c) || c->next == c->nbatch ? NONE : c->next++;
}

/* what a batch has become; bytes NULL: no memory, or interrupted */
static void take_result(Crew *c, size_t batch, const char *bytes, size_t n)
{
    Sweep *s = c->sweep;
    if (!bytes || n == 0) {
        c->out_of_memory |= !run_interrupted;
        s->stopped |= !run_interrupted;
    } else if (!kept_put(&s->kept, s->log, batch, bytes, n)) {
        s->stopped = true;
    }
}

/* writes the batches whose turn it is; true: there was one */
static bool write_turns(Crew *c)
{
    size_t before = c->turn;
    while (c->turn < c->nbatch && !c->sweep->stopped && kept_has(&c->sweep->kept, c->turn)) {
        MemberBatch b = {0};
        if (kept_get(&c->sweep->kept, c->turn, &b))
            sweep_write_batch(c->sweep, &b);
        else
            c->out_of_memory = c->sweep->stopped = true;
        batch_drop(&b);
        c->turn++;
    }
    return c->turn > before;
}

/* takes results from threads of rank 0 and gives them batches; true: there was something to do */
static bool serve_desks(Crew *c)
{
    bool moved = false;
    for (size_t i = 0; i < c->ndesk; i++) {
        Desk *d = &c->desks[i];
        DeskState state = get_state(d);
        if (state == DESK_READY) {
            take_result(c, d->batch, d->bytes, d->n);
            free(d->bytes);
            d->bytes = NULL;
            set_state(d, state = DESK_FREE);
            moved = true;
        }
        uint64_t batch = state == DESK_FREE ? next_batch(c) : NONE;
        if (batch != NONE) {
            d->batch = batch;
            set_state(d, DESK_FULL);
            moved = true;
        }
    }
    return moved;
}

static void take_bytes(Crew *c, int from, size_t n)
{
    uint64_t *bytes = malloc(n);
    if (!bytes)
        cluster_abort(EXIT_SIMULATION);
    cluster_receive(from, TAG_RESULT, bytes, n);
    take_result(c, bytes[0], (char *)(bytes + 1), n - sizeof *bytes);
    free(bytes);
}

/* one message of another rank; false: none waits */
static bool serve_rank(Crew *c)
{
    int from, tag;
    size_t n;
    if (!cluster_probe(&from, &tag, &n))
        return false;
    if (tag == TAG_RESULT) {
        take_bytes(c, from, n);
        return true;
    }
    uint64_t number;
    cluster_receive(from, tag, &number, sizeof number);
    if (tag == TAG_ASK) {
        number = next_batch(c);
        cluster_send(from, TAG_BATCH, &number, sizeof number);
    } else { /* TAG_LEAVE */
        c->nleft++;
        if (number && !c->reported) /* by a signal of its own */
            run_interrupted = (int)number;
    }
    return true;
}

/* what rank 0 does until all ranks have left: hands out batches, takes results, writes them in
 * order */
static void lead(Crew *c)
{
    bool over = false;
    while (!over) {
        bool moved = serve_desks(c);
        while (serve_rank(c))
            moved = true;
        moved |= write_turns(c);
        if (ends(c) && !c->reported) {
            uint64_t none = 0;
            for (int r = 1; r < cluster_count(); r++)
                cluster_send(r, TAG_STOP, &none, sizeof none);
            c->reported = true;
        }
        over = c->nleft == cluster_count() - 1 && all_rest(c) && (ends(c) || c->turn == c->nbatch);
        if (!moved && !over)
            pause_shortly();
    }
}

/* ------------------------------------------------------------------ other ranks */

/* a finished batch to rank 0: its number, then its bytes */
static void send_result(Desk *d)
{
    size_t n = d->bytes ? d->n : 0;
    uint64_t *bytes = malloc(n + sizeof *bytes);
    if (!bytes)
        cluster_abort(EXIT_SIMULATION);
    bytes[0] = d->batch;
    for (size_t i = 0; i < n; i++)
        ((char *)(bytes + 1))[i] = d->bytes[i];
    cluster_send(0, TAG_RESULT, bytes, n + sizeof *bytes);
    free(bytes);
    free(d->bytes);
    d->bytes = NULL;
}

/* sends what is ready and asks for what is free; true: something happened */
static bool follow_desks(Crew *c, bool more)
{
    bool moved = false;
    for (size_t i = 0; i < c->ndesk; i++) {
        Desk *d = &c->desks[i];
        DeskState state = get_state(d);
        uint64_t one = 1;
        if (state == DESK_READY) {
            if (d->bytes || !run_interrupted)
                send_result(d);
            set_state(d, state = DESK_FREE);
            moved = true;
        }
        if (state == DESK_FREE && more && !run_interrupted) {
            cluster_send(0, TAG_ASK, &one, sizeof one);
            set_state(d, DESK_ASKED);
            moved = true;
        }
    }
    return moved;
}

/* an answer for the first desk that asked; false: there are no more batches */
static bool give_batch(Crew *c, uint64_t batch)
{
    for (size_t i = 0; i < c->ndesk; i++) {
        Desk *d = &c->desks[i];
        if (get_state(d) != DESK_ASKED)
            continue;
        d->batch = batch;
        set_state(d, batch == NONE ? DESK_FREE : DESK_FULL);
        break;
    }
    return batch != NONE;
}

/* what the other ranks do: take batches, run them, send results, until there are no more */
static void follow_leader(Crew *c)
{
    bool more = true;
    for (;;) {
        bool moved = follow_desks(c, more);
        int from, tag;
        size_t n;
        while (cluster_probe(&from, &tag, &n)) {
            uint64_t number;
            cluster_receive(from, tag, &number, sizeof number);
            if (tag == TAG_STOP)
                run_interrupted = 1;
            else
                more &= give_batch(c, number);
            moved = true;
        }
        if (all_rest(c) && (!more || run_interrupted))
            break;
        if (!moved)
            pause_shortly();
    }
    uint64_t interrupted = (uint64_t)run_interrupted;
    cluster_send(0, TAG_LEAVE, &interrupted, sizeof interrupted);
}

/* ------------------------------------------------------------------ all of it */

ExitCode sweep_by_ranks(Sweep *s, size_t threads)
{
    Crew c = {.sweep = s,
              .nbatch = sweep_batches(s),
              .mutex = PTHREAD_MUTEX_INITIALIZER,
              .changed = PTHREAD_COND_INITIALIZER};
    run_catch_signals(NULL, NULL);
    if (!open_desks(&c, threads))
        cluster_abort(EXIT_SIMULATION);
    if (cluster_rank() == 0)
        lead(&c);
    else
        follow_leader(&c);
    close_desks(&c);
    if (c.out_of_memory)
        log_error(s->log, "out of memory after %zu of %zu members", s->ndone, s->grid->n);
    return c.out_of_memory || s->nfailed ? EXIT_SIMULATION : EXIT_DONE;
}
