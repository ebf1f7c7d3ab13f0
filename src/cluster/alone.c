/* alone.c - the program as one process. */
#include "cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>

/* how many processes mpirun or another starter has started, by its environment variables */
static long started(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && atol(text) > 1)
            return atol(text);
    }
    return 1;
}

bool cluster_begin(int *argc, char ***argv, char *why, size_t size)
{
    (void)argc;
    (void)argv;
    long n = started();
    if (n > 1)
        snprintf(
            why, size,
            "this program was started %ld times by mpirun, and knows nothing of MPI: each would "
            "do all of the work\n'make mpi' builds lieder-mpi, whose processes share it",
            n);
    return n == 1;
}

void cluster_end(void)
{
}

_Noreturn void cluster_abort(int code)
{
    exit(code);
}

int cluster_rank(void)
{
    const char *text = getenv("OMPI_COMM_WORLD_RANK");
    return text && started() > 1 ? atoi(text) : 0; /* so that one of them reports the error */
}

int cluster_count(void)
{
    return 1;
}

const LiederRanks *cluster_ranks(void)
{
    return NULL;
}

void cluster_meet(void)
{
}

void cluster_send(int to, int tag, const void *bytes, size_t n)
{
    (void)to;
    (void)tag;
    (void)bytes;
    (void)n;
}

void cluster_receive(int from, int tag, void *bytes, size_t n)
{
    (void)from;
    (void)tag;
    (void)bytes;
    (void)n;
}

bool cluster_probe(int *from, int *tag, size_t *n)
{
    (void)from;
    (void)tag;
    (void)n;
    return false;
}

bool cluster_share_file(void *set_fapl_mpio, int64_t access)
{
    (void)set_fapl_mpio;
    (void)access;
    return false;
}

ClusterTraffic cluster_traffic(void)
{
    return (ClusterTraffic){0};
}
