# The tests: test/X mirrors src/X.
find_library(CMOCKA_LIBRARY cmocka REQUIRED)
find_library(MATIO_LIBRARY matio REQUIRED)
file(GLOB TESTS CONFIGURE_DEPENDS test/*/test_*.c)
# tests that have the kernels of many classes inside go without UBSan, as blocks do
set(KERNEL_TESTS test/block/test_class.c test/library/test_text.c test/model/test_class_kinds.c)
if(LIEDER_SANITIZE)
  set_source_files_properties(${KERNEL_TESTS} PROPERTIES
    COMPILE_OPTIONS "-O0;-fno-sanitize=undefined,float-cast-overflow")
endif()
# What the tests are linked with: everything, with all symbols, as one shared library. Each of them
# as a program that contains the library takes 8 MB and 0.2 s of linking, 22 MB and 3 s when
# sanitized.
add_library(lieder-tested SHARED
  $<TARGET_OBJECTS:lieder> $<TARGET_OBJECTS:lieder-core> ${LANE_OBJECTS}
  $<TARGET_OBJECTS:lieder-analysis> $<TARGET_OBJECTS:lieder-view> $<TARGET_OBJECTS:lieder-lsp>)
set_target_properties(lieder-tested PROPERTIES LINKER_LANGUAGE C)
target_include_directories(lieder-tested INTERFACE include src test)
target_link_libraries(lieder-tested PUBLIC m PRIVATE ${SYSTEM_LIBRARIES})
target_link_options(lieder-tested PRIVATE LINKER:-Bsymbolic-functions) # calls inside stay direct
foreach(source ${TESTS})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_compile_definitions(${name} PRIVATE SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE lieder-tested ${CMOCKA_LIBRARY} ${MATIO_LIBRARY})
  add_test(NAME ${name} COMMAND ${name})
  # Most tests take longer to compile with optimisation than it saves when they run: their time is
  # spent in the library. Not those that have kernels of their own, which clang compiles as it does
  # blocks; those of many classes only need to be compiled.
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${source})
  file(STRINGS ${source} kernels REGEX "kernels\\.inc" LIMIT_COUNT 1)
  if(NOT SANITIZED)
    if(kernels AND NOT path IN_LIST KERNEL_TESTS)
      target_compile_options(${name} PRIVATE -O1)
    else()
      target_compile_options(${name} PRIVATE -O0)
    endif()
  endif()
  if(BLOCK_LAUNCHER AND (kernels OR path IN_LIST KERNEL_TESTS))
    set_target_properties(${name} PROPERTIES C_COMPILER_LAUNCHER "${BLOCK_LAUNCHER}")
  endif()
endforeach()
add_test(NAME check_source COMMAND ${CMAKE_SOURCE_DIR}/scripts/check_source.sh)
# make fuzz runs these, linked with libFuzzer; every other build compiles them, so that a changed
# interface shows at once
file(GLOB FUZZ_TARGETS CONFIGURE_DEPENDS test/*/fuzz_*.c)
if(LIEDER_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL Clang)
  foreach(source ${FUZZ_TARGETS})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_include_directories(${name} PRIVATE src test)
    target_link_libraries(${name} PRIVATE lieder-lsp lieder-view)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
else()
  add_library(fuzz-targets OBJECT ${FUZZ_TARGETS})
  target_compile_options(fuzz-targets PRIVATE -O0)
  target_include_directories(fuzz-targets PRIVATE include src test)
endif()
foreach(source ${EXAMPLES})
  get_filename_component(name ${source} NAME_WE)
  add_test(NAME example_${name} COMMAND example_${name})
endforeach()
if(TARGET lieder-shared)
  # installed, moved and used from there
  add_test(NAME test_install
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/install/test_install.sh ${CMAKE_BINARY_DIR})
  target_compile_definitions(test_headers PRIVATE SHARED="$<TARGET_FILE:lieder-shared>"
    STATIC="${CMAKE_BINARY_DIR}/static/liblieder.a")
  add_dependencies(test_headers lieder-shared lieder-static)
endif()
# the commands of docs/guide
add_test(NAME test_guide
  COMMAND ${CMAKE_SOURCE_DIR}/scripts/test_guide.sh $<TARGET_FILE:lieder-cli>)
# Python: Debian's own, not one that a version manager put before it in the path
find_program(PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(TARGET lieder-python AND PYTHON)
  execute_process(COMMAND ${PYTHON} -c "import numpy"
    RESULT_VARIABLE NO_NUMPY OUTPUT_QUIET ERROR_QUIET)
endif()
if(TARGET lieder-python AND PYTHON AND NOT NO_NUMPY)
  file(GLOB PYTHON_EXAMPLES CONFIGURE_DEPENDS python/examples/*.py)
  add_test(NAME test_python
    COMMAND ${PYTHON} -B ${CMAKE_SOURCE_DIR}/test/python/test_lieder.py)
  set(PYTHON_TESTS test_python)
  if(LIEDER_SANITIZE) # a fleet takes many minutes then; test_python has all calls
    set(PYTHON_EXAMPLES)
  endif()
  foreach(source ${PYTHON_EXAMPLES})
    get_filename_component(name ${source} NAME_WE)
    add_test(NAME example_python_${name} COMMAND ${PYTHON} -B ${source})
    list(APPEND PYTHON_TESTS example_python_${name})
  endforeach()
  set(PYTHON_ENVIRONMENT PYTHONPATH=${CMAKE_BINARY_DIR}/python LIEDER_SOURCE=${CMAKE_SOURCE_DIR}
    LIEDER_PROGRAM=$<TARGET_FILE:lieder-cli>)
  if(LIEDER_SANITIZE) # the interpreter is not instrumented and keeps what it allocated
    if(CMAKE_C_COMPILER_ID STREQUAL Clang)
      set(ASAN_LIBRARY libclang_rt.asan-x86_64.so)
    else()
      set(ASAN_LIBRARY libasan.so)
    endif()
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${ASAN_LIBRARY}
      OUTPUT_VARIABLE ASAN OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND PYTHON_ENVIRONMENT LD_PRELOAD=${ASAN}
      ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1)
  endif()
  set_tests_properties(${PYTHON_TESTS} PROPERTIES ENVIRONMENT "${PYTHON_ENVIRONMENT}")
else()
  message(STATUS "the Python package is not tested: that needs python3-dev and python3-numpy of "
    "Debian")
endif()
# the longest begin first, so that two cores end together
foreach(name test_eigen test_compile test_cli test_fuse test_scaling test_restart test_structure
    test_ranks test_growth test_export test_all_solvers test_fmu_events test_allocation test_headers
    test_files test_electrical test_models test_discrete)
  set_tests_properties(${name} PROPERTIES COST 100)
endforeach()
foreach(name test_cli test_sweep test_files test_trust test_view test_lsp)
  target_compile_definitions(${name} PRIVATE PROGRAM="$<TARGET_FILE:lieder-cli>")
  add_dependencies(${name} lieder-cli)
endforeach()
