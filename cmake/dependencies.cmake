# Libraries of the system.
find_path(KLU_INCLUDE suitesparse/klu.h REQUIRED)
find_library(KLU_LIBRARY klu REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
foreach(part arkode cvode sunlinsolklu sunmatrixsparse nvecserial)
  find_library(SUNDIALS_${part} sundials_${part} REQUIRED)
  list(APPEND SUNDIALS_LIBRARIES ${SUNDIALS_${part}})
endforeach()
find_path(HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
find_library(HDF5_LIBRARY NAMES hdf5_serial hdf5 REQUIRED)
find_library(LAPACK_LIBRARY lapack REQUIRED)
find_library(ARPACK_LIBRARY arpack REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(EXPAT REQUIRED)

# Libraries that bring a BLAS or more along are loaded when they are first called
# (src/base/delayed.h), by the name that a program linked with them would ask for: libcholmod.so.3
foreach(name CHOLMOD LAPACK ARPACK HDF5)
  file(REAL_PATH ${${name}_LIBRARY} file)
  get_filename_component(file ${file} NAME)
  string(REGEX REPLACE "(\\.so\\.[0-9]+).*" "\\1" file ${file})
  set(${name}_DEFINITION LIEDER_${name}="${file}")
endforeach()
# ranks write .h5 files by the build of the library that knows MPI, if it is there when they run
string(REGEX REPLACE "LIEDER_HDF5=\"libhdf5(_serial)?" "LIEDER_HDF5_MPI=\"libhdf5_openmpi"
  HDF5_MPI_DEFINITION ${HDF5_DEFINITION})

# the archives of SUNDIALS and KLU, for programs that contain them
set(SOLVER_ARCHIVES)
foreach(part sundials_arkode sundials_cvode sundials_sunlinsolklu sundials_sunmatrixsparse
    sundials_nvecserial klu amd colamd btf suitesparseconfig)
  find_library(ARCHIVE_${part} lib${part}.a)
  list(APPEND SOLVER_ARCHIVES ${ARCHIVE_${part}})
endforeach()
# what everything that contains the library is linked with
set(SYSTEM_LIBRARIES ${CMAKE_DL_LIBS} ${SUNDIALS_LIBRARIES} ${KLU_LIBRARY} Threads::Threads
  ZLIB::ZLIB EXPAT::EXPAT m)
