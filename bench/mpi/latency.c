/* latency.c - what a decision and a letter of ranks cost on this machine: microseconds of
 * MPI_Allreduce of so many doubles, and of a letter to the next rank and back. bench/mpi.py
 * compiles it with mpicc. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 2000, LONGEST = 1024 };

/* the least of some means, in us */
static double measure(void (*what)(double *values, int n), double *values, int n)
{
    double least = 1e30;
    for (int i = 0; i < 5; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begin = MPI_Wtime();
        for (int k = 0; k < ROUNDS; k++)
            what(values, n);
        double mean = 1e6 * (MPI_Wtime() - begin) / ROUNDS;
        least = mean < least ? mean : least;
    }
    return least;
}

static void decide(double *values, int n)
{
    MPI_Allreduce(MPI_IN_PLACE, values, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void letter(double *values, int n)
{
    int rank, count;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Sendrecv(values, n, MPI_DOUBLE, (rank + 1) % count, 0, values + LONGEST, n, MPI_DOUBLE,
                 (rank + count - 1) % count, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, count;
    double *values = calloc(2 * LONGEST, sizeof *values);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    double one = measure(decide, values, 1), some = measure(decide, values, count),
           many = measure(decide, values, LONGEST), small = measure(letter, values, 1),
           large = measure(letter, values, LONGEST);
    if (rank == 0)
        printf("%d %.2f %.2f %.2f %.2f %.2f\n", count, one, some, many, small, large);
    free(values);
    MPI_Finalize();
    return 0;
}
