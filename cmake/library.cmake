# The library: all of src/ but analysis, viewer, language server and program.
foreach(folder base block equation model compile solve record front picture diagram fmi)
  file(GLOB FILES CONFIGURE_DEPENDS src/${folder}/*.c src/${folder}/*/*.c)
  list(FILTER FILES EXCLUDE REGEX src/fmi/runtime/) # another program
  list(APPEND CORE ${FILES})
endforeach()
# these are compiled once per instruction set: lanes.cmake
set(LANE_FILES src/model/program/lanes.c src/block/interpret.c)
set(NET_FILES src/model/net/net_lanes.c src/model/net/net_vectors.c)
foreach(file ${LANE_FILES} ${NET_FILES})
  list(REMOVE_ITEM CORE ${CMAKE_SOURCE_DIR}/${file})
endforeach()
# all but the classes of the library: lieder-precompile, which makes some of these, consists of it
add_library(lieder-core OBJECT ${CORE} src/library/domains.c)
add_library(lieder STATIC $<TARGET_OBJECTS:lieder-core>
  src/library/library.c src/library/contact.c src/library/examples.c src/library/texts.c)
set_target_properties(lieder lieder-core PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(lieder PUBLIC
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
  PRIVATE src)
target_include_directories(lieder-core PRIVATE
  include src ${KLU_INCLUDE} ${KLU_INCLUDE}/suitesparse)
# a target with the property LINK_ARCHIVES contains SUNDIALS and KLU instead of loading them
target_link_libraries(lieder PUBLIC m PRIVATE ${CMAKE_DL_LIBS}
  "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:LINK_ARCHIVES>>>:${SUNDIALS_LIBRARIES};${KLU_LIBRARY}>"
  "$<$<BOOL:$<TARGET_PROPERTY:LINK_ARCHIVES>>:${SOLVER_ARCHIVES};m>"
  Threads::Threads ZLIB::ZLIB EXPAT::EXPAT)

# ---------------------------------------------------------------- options of single files
# Each instruction jumps to the next one from a place of its own, which a processor learns better;
# -O2 makes code that is as fast in half of the time.
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  set(INTERPRET_OPTIONS -fno-gcse -fno-crossjumping -fno-tree-tail-merge -Wno-maybe-uninitialized)
  if(NOT SANITIZED)
    list(PREPEND INTERPRET_OPTIONS -O2)
  endif()
  set_source_files_properties(src/block/interpret.c PROPERTIES
    COMPILE_OPTIONS "${INTERPRET_OPTIONS}")
endif()
# the functions of the language have the bits that they have in blocks
set_source_files_properties(src/block/function.c src/block/expression.c PROPERTIES
  COMPILE_OPTIONS -ffp-contract=off)
# and steps of lanes the same ones whatever the machine
set_source_files_properties(src/solve/method/onestep.c src/solve/method/vectors.c PROPERTIES
  COMPILE_OPTIONS "-O3;-ffp-contract=off;-fno-math-errno;-fno-trapping-math")
# one lane in full is evaluated several times a step by the meter of energies
set_source_files_properties(src/model/system/evaluate.c src/model/system/energy.c PROPERTIES
  COMPILE_OPTIONS "-O3;-ffp-contract=off")

# ---------------------------------------------------------------- libraries that are loaded late
set_source_files_properties(src/model/net/cholmod.c PROPERTIES
  COMPILE_DEFINITIONS ${CHOLMOD_DEFINITION})
set_source_files_properties(src/front/external/external_matrix.c PROPERTIES
  COMPILE_DEFINITIONS ${LAPACK_DEFINITION})
set_source_files_properties(src/base/hdf5.c PROPERTIES
  COMPILE_DEFINITIONS "${HDF5_DEFINITION};${HDF5_MPI_DEFINITION}")
set_source_files_properties(src/base/hdf5.c src/record/hdf5.c src/picture/result_h5.c PROPERTIES
  INCLUDE_DIRECTORIES ${HDF5_INCLUDE})

# ---------------------------------------------------------------- texts inside the library
set(ROOT LIEDER_ROOT="${CMAKE_SOURCE_DIR}")
# what generated code includes (src/compile/sources.c)
file(GLOB EMBEDDED CONFIGURE_DEPENDS include/lieder/* src/library/*.[ch] src/compile/*.inc)
set_source_files_properties(src/compile/sources.c PROPERTIES
  OBJECT_DEPENDS "${EMBEDDED}" COMPILE_DEFINITIONS ${ROOT})
# the classes of the library that are Modelica text
file(GLOB LIBRARY_TEXTS CONFIGURE_DEPENDS library/*.mo)
set_source_files_properties(src/library/texts.c PROPERTIES
  OBJECT_DEPENDS "${LIBRARY_TEXTS}" COMPILE_DEFINITIONS ${ROOT})
# what becomes part of every FMU: as text, and as objects with the options of src/fmi/export.c; gcc
# makes the smaller ones
file(GLOB FMU CONFIGURE_DEPENDS src/fmi/runtime/*)
file(GLOB FMU_HEADERS CONFIGURE_DEPENDS include/lieder/*.h include/lieder/*.inc)
find_program(FMU_COMPILER NAMES gcc cc)
set(FMU_OPTIONS -std=gnu17 -w -Os -fPIC -fvisibility=hidden -fno-asynchronous-unwind-tables
  -ffp-contract=off -fno-math-errno -fno-trapping-math -ffinite-math-only -fno-signed-zeros
  -mavx2 -mfma -mtune=haswell -ffunction-sections -fdata-sections -U_FORTIFY_SOURCE
  -fno-stack-protector -DFMU_RUNTIME
  -I${CMAKE_SOURCE_DIR}/src/fmi/runtime -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR}/include)
set(FMU_DEFINITIONS ${ROOT})
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fmi)
  foreach(version 2 3)
    set(object ${CMAKE_BINARY_DIR}/fmi/runtime_${version}.o)
    add_custom_command(OUTPUT ${object} VERBATIM
      DEPENDS ${FMU} ${FMU_HEADERS} src/compile/options.inc src/model/linear/lu.c src/model/linear/lu.h
      COMMAND ${FMU_COMPILER} ${FMU_OPTIONS} -DFMI_VERSION=${version}
        -c ${CMAKE_SOURCE_DIR}/src/fmi/runtime/fmu.c -o ${object})
    list(APPEND FMU_OBJECTS ${object})
  endforeach()
  list(APPEND FMU_DEFINITIONS LIEDER_FMI_OBJECTS="${CMAKE_BINARY_DIR}/fmi")
endif()
set_source_files_properties(src/fmi/texts.c PROPERTIES
  OBJECT_DEPENDS "${FMU};${FMU_OBJECTS}" COMPILE_DEFINITIONS "${FMU_DEFINITIONS}")
