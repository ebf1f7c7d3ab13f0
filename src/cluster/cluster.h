/* cluster.h - processes of this program that work together, the ranks. Rank 0 writes all messages
 * and files.
 *
 * lieder-mpi has the version of mpi.c. lieder has that of alone.c: one rank, and no messages. A
 * process has one MPI, so that the cluster is global. Only the thread that called cluster_begin may
 * call the others.
 */
#ifndef LIEDER_CLUSTER_H
#define LIEDER_CLUSTER_H

#include <lieder/lieder.h>

#include <stdint.h>

/* Call it first. False: the program must end; why: the reason. */
bool cluster_begin(int *argc, char ***argv, char *why, size_t size);
void cluster_end(void);
/* ends all ranks at once: this one cannot go on, and the others would wait for it for ever */
_Noreturn void cluster_abort(int code);

int cluster_rank(void);
int cluster_count(void);
const LiederRanks *cluster_ranks(void); /* for systems; NULL: alone */

/* Waits until all ranks have called it, and leaves the processor to other programs meanwhile: a
 * rank that waits in MPI otherwise polls without pause. */
void cluster_meet(void);

/* an access property list of HDF5 becomes one for a file that all ranks open, by its function
 * H5Pset_fapl_mpio; false: it failed, or there is no MPI */
bool cluster_share_file(void *set_fapl_mpio, int64_t access);

/* whole messages, which arrive in the order in which they were sent; receive waits for one of
 * exactly n bytes */
void cluster_send(int to, int tag, const void *bytes, size_t n);
void cluster_receive(int from, int tag, void *bytes, size_t n);
/* a message that waits to be received; false: there is none */
bool cluster_probe(int *from, int *tag, size_t *n);

/* what this rank has sent, and the decisions that it took part in, since cluster_begin */
typedef struct ClusterTraffic {
    size_t messages, decisions, bytes;
} ClusterTraffic;
ClusterTraffic cluster_traffic(void);

#endif
