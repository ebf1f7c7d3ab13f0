/* hdf5.c - see hdf5.h. LIEDER_HDF5 and LIEDER_HDF5_MPI are the names of the shared libraries. */
#include "base/hdf5.h"

#include <stdio.h>

#include "base/delayed.h"

/* what the macros H5T_NATIVE_DOUBLE, H5P_FILE_ACCESS ... look up: variables of the library */
static bool find_number(const char *library, hid_t *to, const char *name)
{
    const hid_t *at = delayed_function(library, name);
    if (at)
        *to = *at;
    return at != NULL;
}

/* all functions and constants of one of the two libraries */
static bool load_from(const char *library, Hdf5 *h5)
{
#define HDF5_FIND(name)                                                                            \
    if (!(h5->name = (__typeof__(&H5##name))delayed_function(library, "H5" #name)))                \
        return false;
    HDF5_FUNCTIONS(HDF5_FIND)
#undef HDF5_FIND
    // a file that could not be closed, on a full disk, crashes what the library does when a program
    // exits; we close our files ourselves
    h5->dont_atexit();
    if (h5->open() < 0)
        return false;
    h5->Eset_auto2(H5E_DEFAULT, NULL, NULL); // it would print its errors
    return find_number(library, &h5->number, "H5T_NATIVE_DOUBLE_g") &&
           find_number(library, &h5->text, "H5T_C_S1_g") &&
           find_number(library, &h5->file_access, "H5P_CLS_FILE_ACCESS_ID_g") &&
           find_number(library, &h5->file_create, "H5P_CLS_FILE_CREATE_ID_g") &&
           find_number(library, &h5->dataset_create, "H5P_CLS_DATASET_CREATE_ID_g");
}

bool hdf5_load(Hdf5 *h5)
{
    return load_from(LIEDER_HDF5, h5);
}

bool hdf5_load_parallel(Hdf5 *h5, void **set_fapl_mpio)
{
    *set_fapl_mpio = delayed_function(LIEDER_HDF5_MPI, "H5Pset_fapl_mpio");
    return *set_fapl_mpio && load_from(LIEDER_HDF5_MPI, h5);
}

const char *hdf5_problem(char *buffer, size_t size)
{
    if (!*delayed_problem(LIEDER_HDF5, buffer, size))
        snprintf(buffer, size, "%s is not the version that this program was built with",
                 LIEDER_HDF5);
    return buffer;
}
