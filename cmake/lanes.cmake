# Files with loops over lanes are compiled once per instruction set; component.h and real.h say what
# the two macros mean. No contraction: all widths give the same bits. In component blocks zero times
# anything is zero, so that probing with unit inputs folds (kernels.inc).
set(LANE_OPTIONS -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math)
set(BLOCK_OPTIONS -ffinite-math-only -fno-signed-zeros)
# gcc folds less of what probing leaves (2.5 times the instructions for the joint on a rod) and
# takes five times as long for it: where clang is installed, it compiles the blocks. The bits are
# the same. What nets compute in lanes is compiled by it, too, in half of the time, and is a little
# faster then.
find_program(CLANG clang)
if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CLANG AND NOT SANITIZED)
  set(BLOCK_LAUNCHER
    ${CMAKE_SOURCE_DIR}/scripts/clang_instead.sh ${CLANG} ${CMAKE_C_COMPILER_LAUNCHER} --)
elseif(CMAKE_C_COMPILER_ID STREQUAL GNU) # see src/compile/options.inc
  list(APPEND BLOCK_OPTIONS -fno-tree-vrp -fno-thread-jumps -fno-tree-dominator-opts)
endif()
if(LIEDER_SANITIZE)
  # the kernels are huge once instrumented in line: checks by call, and none of arithmetic; with
  # -O2 they would take twice the time to compile
  set(LANE_OPTIONS -O1 -ffp-contract=off -fno-math-errno
    -fno-sanitize=undefined,float-cast-overflow)
  set(BY_CALL asan-instrumentation-with-call-threshold=0)
  if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    list(APPEND BLOCK_OPTIONS "SHELL:--param ${BY_CALL}")
  else()
    list(APPEND BLOCK_OPTIONS "SHELL:-mllvm -${BY_CALL}")
  endif()
endif()
if(LIEDER_SANITIZE_THREADS)
  set(LANE_OPTIONS -O1 -ffp-contract=off -fno-math-errno -fno-trapping-math)
endif()

# ---------------------------------------------------------------- classes of the library
# Rows of files.h: SOURCE is a file of C, TEXT one of Modelica, which lieder-precompile makes C of.
file(READ src/library/files.h LIBRARY_ROWS)
string(REGEX MATCHALL "\n    (SOURCE|TEXT)\\([A-Za-z0-9_]+\\)" LIBRARY_ROWS "${LIBRARY_ROWS}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/library/files.h)
set(PRECOMPILED ${CMAKE_BINARY_DIR}/precompiled)
file(MAKE_DIRECTORY ${PRECOMPILED})
foreach(row ${LIBRARY_ROWS})
  string(REGEX REPLACE ".*\\(|\\).*" "" name "${row}")
  if(row MATCHES TEXT)
    set(blocks ${PRECOMPILED}/${name}.c)
    set(tables ${PRECOMPILED}/${name}_tables.c)
    add_custom_command(OUTPUT ${blocks} ${tables} VERBATIM
      COMMAND lieder-precompile ${name} ${PRECOMPILED} ${CMAKE_SOURCE_DIR}/library/${name}.mo
        ${CMAKE_SOURCE_DIR}/library/Friction.mo
      DEPENDS lieder-precompile library/${name}.mo library/Friction.mo)
    # blocks have the arguments that kernels.inc gives them
    set_source_files_properties(${blocks} PROPERTIES COMPILE_OPTIONS -Wno-unused-parameter)
    list(APPEND PRECOMPILED_FILES ${blocks})
    list(APPEND PRECOMPILED_TABLES ${tables})
  else()
    list(APPEND BLOCK_FILES src/library/${name}.c)
    # generated code includes the text under this name (src/compile/sources.c)
    set_source_files_properties(src/library/${name}.c PROPERTIES
      COMPILE_DEFINITIONS LIEDER_SOURCE="library/${name}.c")
  endif()
endforeach()
file(GLOB PRECOMPILE CONFIGURE_DEPENDS src/precompile/*.c)
add_executable(lieder-precompile ${PRECOMPILE} $<TARGET_OBJECTS:lieder-core>)
target_include_directories(lieder-precompile PRIVATE include src)
target_link_libraries(lieder-precompile PRIVATE ${SYSTEM_LIBRARIES})
# one rule runs the command, whatever needs its files: Makefiles would run it for each target
add_custom_target(precompiled DEPENDS ${PRECOMPILED_FILES} ${PRECOMPILED_TABLES})
target_sources(lieder PRIVATE ${PRECOMPILED_TABLES})
add_dependencies(lieder precompiled)

# ---------------------------------------------------------------- one instruction set
function(add_lane_variant isa lanes)
  add_library(lanes_${isa} OBJECT ${LANE_FILES})
  add_library(nets_${isa} OBJECT ${NET_FILES})
  add_library(blocks_${isa} OBJECT ${BLOCK_FILES} ${PRECOMPILED_FILES})
  add_dependencies(blocks_${isa} precompiled)
  target_compile_options(blocks_${isa} PRIVATE ${BLOCK_OPTIONS})
  if(BLOCK_LAUNCHER)
    set_target_properties(blocks_${isa} nets_${isa} PROPERTIES
      C_COMPILER_LAUNCHER "${BLOCK_LAUNCHER}")
  endif()
  foreach(target lanes_${isa} nets_${isa} blocks_${isa})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${target} PRIVATE include src)
    target_compile_options(${target} PRIVATE ${LANE_OPTIONS} ${ARGN})
    # machines without the instructions of avx2 are slow whatever a compiler does: ten seconds of it
    # are saved
    if(target MATCHES "^(lanes|nets)_(scalar|sse2)$")
      target_compile_options(${target} PRIVATE -O2)
    endif()
    # all variants are the same text: reading and writing is watched in two of them
    if(LIEDER_SANITIZE AND NOT isa MATCHES "^(scalar|avx2)$")
      target_compile_options(${target} PRIVATE -fno-sanitize=all)
    endif()
    target_compile_definitions(${target} PRIVATE LIEDER_VARIANT=${isa} LIEDER_LANES=${lanes})
    target_sources(lieder PRIVATE $<TARGET_OBJECTS:${target}>)
    if(NOT target MATCHES blocks_)
      target_sources(lieder-precompile PRIVATE $<TARGET_OBJECTS:${target}>)
    endif()
    set_property(GLOBAL APPEND PROPERTY LANE_OBJECTS $<TARGET_OBJECTS:${target}>)
  endforeach()
endfunction()

# scalar_fma takes the place of scalar on machines that have the instructions of avx2
add_lane_variant(scalar 1)
add_lane_variant(scalar_fma 1 -mavx2 -mfma -mtune=haswell)
add_lane_variant(sse2 2)
add_lane_variant(avx2 4 -mavx2 -mfma -mtune=haswell)
add_lane_variant(avx512 8 -mavx512f -mavx512dq -mavx512vl -mfma -mtune=skylake-avx512
  -mprefer-vector-width=512)
# the objects of all of them, for what consists of the whole library
get_property(LANE_OBJECTS GLOBAL PROPERTY LANE_OBJECTS)
