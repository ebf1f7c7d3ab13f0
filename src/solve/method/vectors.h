/* vectors.h - vectors and matrices of SUNDIALS out of memory that is allocated beforehand.
 *
 * SUNDIALS 6 does not check whether N_VClone and SUNMatClone have found memory, and crashes if not.
 * So the vectors and the second matrix that it will clone are allocated before it begins, vectors
 * in the session's memory: the shelf. Cloning takes one from there. A vector more than there are is
 * allocated, and may fail. */
#ifndef LIEDER_VECTORS_H
#define LIEDER_VECTORS_H

#include <lieder/simulate.h>

#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_sparse.h>

typedef struct Shelf Shelf;

typedef struct ShelfVector {
    struct _generic_N_Vector base; /* first: SUNDIALS knows nothing of the rest */
    struct _N_VectorContent_Serial content;
    Shelf *shelf;
    bool taken, extra; /* extra: there were not enough, and this one was allocated */
} ShelfVector;

typedef struct ShelfMatrix {
    struct _generic_SUNMatrix base;
    SUNMatrix made; /* the one whose contents these are */
    Shelf *shelf;
    bool taken;
} ShelfMatrix;

struct Shelf {
    const LiederAllocator *alloc;
    const LiederSystem *system; /* whose ranks share the norms */
    size_t n, count;            /* length of vectors, and how many there are */
    ShelfVector *vectors;
    double *data;
    ShelfMatrix matrices[2];
    struct _generic_N_Vector_Ops vector_ops;
    struct _generic_SUNMatrix_Ops matrix_ops;
};

/* square matrices of compressed columns; the shelf must not move. False: no memory */
bool shelf_create(Shelf *shelf, const LiederSystem *system, size_t n, size_t count, size_t nonzeros,
                  SUNContext context);
void shelf_drop(Shelf *shelf);
/* the next free one, or NULL; N_VDestroy and SUNMatDestroy give it back */
N_Vector shelf_vector(Shelf *shelf);
SUNMatrix shelf_matrix(Shelf *shelf);

#endif
