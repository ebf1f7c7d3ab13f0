/* hdf5.h - the functions of libhdf5 that the writer and the reader of .h5 files call.
 *
 * The library brings network and compression libraries along, and most runs need none of it, so it
 * is loaded when the first file is opened (base/delayed.h). A call of H5Fopen is h5.Fopen:
 *
 *   Hdf5 h5;
 *   if (hdf5_load(&h5))              else hdf5_problem says why
 *     file = h5.Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
 *
 * The library has a lock of its own, so that threads may call it.
 *
 * Ranks of MPI that write one file have another build of it, which they load beside this one
 * (hdf5_load_parallel); its functions are called by all ranks together. */
#ifndef LIEDER_BASE_HDF5_H
#define LIEDER_BASE_HDF5_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

/* its constants call these two on the way, which are not linked; hdf5_load has opened the library
 */
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK

/* clang-format off */
#define HDF5_FUNCTIONS(X) \
    X(dont_atexit) X(open) \
    X(Eset_auto2) \
    X(Fcreate) X(Fopen) X(Fclose) X(Fstart_swmr_write) X(Fflush) X(Fget_vfd_handle) \
    X(Pcreate) X(Pclose) X(Pset_fill_time) X(Pset_libver_bounds) \
    X(Pset_metadata_read_attempts) X(Pset_file_locking) X(Pset_chunk) \
    X(Pset_link_creation_order) \
    X(Screate) X(Screate_simple) X(Sclose) X(Sget_simple_extent_ndims) \
    X(Sget_simple_extent_dims) X(Sselect_hyperslab) \
    X(Tcopy) X(Tclose) X(Tset_size) X(Tset_cset) X(Tget_size) X(Tget_class) \
    X(Tis_variable_str) \
    X(Acreate2) X(Awrite) X(Aread) X(Aopen) X(Aclose) X(Aexists) X(Aget_type) \
    X(Dcreate2) X(Dopen2) X(Dclose) X(Dwrite) X(Dread) X(Dset_extent) X(Dget_space) \
    X(Dget_type) X(Dflush) \
    X(Gget_info) \
    X(Lget_name_by_idx)
/* clang-format on */

typedef struct Hdf5 {
#define HDF5_FIELD(name) __typeof__(&H5##name) name;
    HDF5_FUNCTIONS(HDF5_FIELD)
#undef HDF5_FIELD
    hid_t number, text, file_access, file_create, dataset_create; /* types and property lists */
} Hdf5;

/* false: hdf5_problem */
bool hdf5_load(Hdf5 *h5);
/* the library for files of several ranks, and its H5Pset_fapl_mpio; false: there is none */
bool hdf5_load_parallel(Hdf5 *h5, void **set_fapl_mpio);
/* why it cannot be loaded, or what is missing in it; returns buffer */
const char *hdf5_problem(char *buffer, size_t size);

#endif
