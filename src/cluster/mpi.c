/* mpi.c - the program as the ranks of MPI.
 *
 * Maxima of doubles are found as maxima of whole numbers, which have the same order: the bits of a
 * double, those of a negative one inverted; NaN is the greatest. MPI leaves open what a maximum
 * with NaN is; this one is exact, in whatever order ranks are combined.
 */
#include "cluster/cluster.h"

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FEW = 1024, LONGEST = 1 << 30, TAG_COLLECT = 1000, TAG_EXCHANGE };

static struct {
    int rank, count;
    LiederRanks ranks;
    ClusterTraffic traffic;
} mpi;

/* ------------------------------------------------------------------ decisions */

static uint64_t to_key(double value)
{
    uint64_t bits;
    if (value != value)
        return UINT64_MAX;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double from_key(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return key == UINT64_MAX ? __builtin_nan("") : value;
}

static void greatest(double *values, int n)
{
    uint64_t keys[FEW];
    for (int i = 0; i < n; i++)
        keys[i] = to_key(values[i]);
    MPI_Allreduce(MPI_IN_PLACE, keys, n, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        values[i] = from_key(keys[i]);
}

/* sums or greatest numbers over all ranks, in pieces of FEW */
static void combine_ranks(void *user, LiederCombine how, double *values, size_t n)
{
    (void)user;
    for (size_t at = 0; at < n; at += FEW) {
        int piece = (int)(n - at < FEW ? n - at : FEW);
        if (how == LIEDER_SUM) /* of whole numbers: exact in any order */
            MPI_Allreduce(MPI_IN_PLACE, values + at, piece, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        else
            greatest(values + at, piece);
        mpi.traffic.decisions++;
        mpi.traffic.bytes += (size_t)piece * sizeof *values;
    }
}

static void collect_ranks(void *user, int from, void *bytes, size_t n)
{
    (void)user;
    if (mpi.rank == 0)
        cluster_receive(from, TAG_COLLECT, bytes, n);
    else
        cluster_send(0, TAG_COLLECT, bytes, n);
}

/* pieces of a letter, which MPI counts with an int; every piece but the last is LONGEST */
static int pieces_of(size_t n)
{
    return (int)((n + LONGEST - 1) / LONGEST);
}

static int piece_length(size_t n, int piece)
{
    size_t left = n - (size_t)piece * LONGEST;
    return (int)(left < LONGEST ? left : LONGEST);
}

/* starts to send and to receive all letters before it waits for any */
static void exchange_letters(void *user, const LiederLetter *letters, size_t n)
{
    MPI_Request few[FEW], *all = few;
    size_t nrequest = 0, under_way = 0;
    (void)user;
    for (size_t i = 0; i < n; i++)
        nrequest += (size_t)(pieces_of(letters[i].nsent) + pieces_of(letters[i].nreceived));
    if (nrequest > FEW && !(all = malloc(nrequest * sizeof *all)))
        cluster_abort(3);
    for (size_t i = 0; i < n; i++)
        for (int p = 0; p < pieces_of(letters[i].nreceived); p++)
            MPI_Irecv((char *)letters[i].received + (size_t)p * LONGEST,
                      piece_length(letters[i].nreceived, p), MPI_BYTE, letters[i].rank,
                      TAG_EXCHANGE, MPI_COMM_WORLD, &all[under_way++]);
    for (size_t i = 0; i < n; i++) {
        for (int p = 0; p < pieces_of(letters[i].nsent); p++)
            MPI_Isend((const char *)letters[i].sent + (size_t)p * LONGEST,
                      piece_length(letters[i].nsent, p), MPI_BYTE, letters[i].rank, TAG_EXCHANGE,
                      MPI_COMM_WORLD, &all[under_way++]);
        mpi.traffic.messages += letters[i].nsent > 0;
        mpi.traffic.bytes += letters[i].nsent;
    }
    MPI_Waitall((int)under_way, all, MPI_STATUSES_IGNORE);
    if (all != few)
        free(all);
}

/* ------------------------------------------------------------------ messages */

void cluster_send(int to, int tag, const void *bytes, size_t n)
{
    size_t at = 0;
    do {
        int piece = (int)(n - at < LONGEST ? n - at : LONGEST);
        MPI_Send((const char *)bytes + at, piece, MPI_BYTE, to, tag, MPI_COMM_WORLD);
        at += (size_t)piece;
    } while (at < n);
    mpi.traffic.messages++;
    mpi.traffic.bytes += n;
}

void cluster_receive(int from, int tag, void *bytes, size_t n)
{
    size_t at = 0;
    do {
        int piece = (int)(n - at < LONGEST ? n - at : LONGEST);
        MPI_Recv((char *)bytes + at, piece, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        at += (size_t)piece;
    } while (at < n);
}

bool cluster_probe(int *from, int *tag, size_t *n)
{
    int there = 0, size = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &size);
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *n = (size_t)size;
    return true;
}

void cluster_meet(void)
{
    const long longest = 10000000;
    struct timespec pause = {.tv_nsec = 10000};
    MPI_Request all_here;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
    for (MPI_Test(&all_here, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(&all_here, &done, MPI_STATUS_IGNORE)) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = 2 * pause.tv_nsec < longest ? 2 * pause.tv_nsec : longest;
    }
}

bool cluster_share_file(void *set_fapl_mpio, int64_t access)
{
    int (*set)(int64_t, MPI_Comm, MPI_Info) =
        (int (*)(int64_t, MPI_Comm, MPI_Info))set_fapl_mpio; /* hid_t is an int64_t */
    return set(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0;
}

ClusterTraffic cluster_traffic(void)
{
    return mpi.traffic;
}

/* ------------------------------------------------------------------ begin and end */

bool cluster_begin(int *argc, char ***argv, char *why, size_t size)
{
    int level;
    (void)why;
    (void)size;
    /* ranks may share a processor: one that waits yields it */
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.count);
    mpi.ranks = (LiederRanks){.rank = mpi.rank,
                              .count = mpi.count,
                              .combine = combine_ranks,
                              .collect = collect_ranks,
                              .exchange = exchange_letters};
    return true;
}

void cluster_end(void)
{
    MPI_Finalize();
}

_Noreturn void cluster_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}

int cluster_rank(void)
{
    return mpi.rank;
}

int cluster_count(void)
{
    return mpi.count;
}

const LiederRanks *cluster_ranks(void)
{
    return mpi.count > 1 ? &mpi.ranks : NULL;
}
