# What is built on the library: analysis, viewer, language server, the program, examples, benchmark.

# ---------------------------------------------------------------- linear analysis
# apart from the library: who embeds Lieder needs neither LAPACK nor ARPACK
file(GLOB ANALYSIS CONFIGURE_DEPENDS src/analysis/*.c)
add_library(lieder-analysis STATIC ${ANALYSIS})
set_target_properties(lieder-analysis PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(lieder-analysis PUBLIC src)
target_link_libraries(lieder-analysis PUBLIC lieder)
target_compile_definitions(lieder-analysis PRIVATE ${LAPACK_DEFINITION} ${ARPACK_DEFINITION})

# ---------------------------------------------------------------- the viewer
# The page is bundled by npm's packages, and embedded. Where npm cannot be reached the files are
# empty, and lieder view says so; the next build tries again.
set(WEB ${CMAKE_BINARY_DIR}/web)
set(WEB_FILES ${WEB}/index.html.gz ${WEB}/app.js.gz ${WEB}/app.css.gz)
if(EXISTS ${WEB}/left_out)
  file(REMOVE ${WEB_FILES})
endif()
file(GLOB WEB_SOURCES CONFIGURE_DEPENDS web/src/*.js web/src/*.css)
add_custom_command(OUTPUT ${WEB_FILES} COMMAND ${CMAKE_SOURCE_DIR}/scripts/web.sh ${WEB}
  DEPENDS ${WEB_SOURCES} web/index.html web/build.mjs web/package-lock.json scripts/web.sh VERBATIM)
file(GLOB VIEW CONFIGURE_DEPENDS src/view/*.c)
add_library(lieder-view STATIC ${VIEW})
set_target_properties(lieder-view PROPERTIES POSITION_INDEPENDENT_CODE ON)
set_source_files_properties(src/view/page.c PROPERTIES OBJECT_DEPENDS "${WEB_FILES}"
  COMPILE_DEFINITIONS LIEDER_WEB="${WEB}")
target_include_directories(lieder-view PUBLIC src)
target_link_libraries(lieder-view PUBLIC lieder PRIVATE ZLIB::ZLIB)

# ---------------------------------------------------------------- the language server
file(GLOB LSP CONFIGURE_DEPENDS src/lsp/*.c)
add_library(lieder-lsp STATIC ${LSP})
set_target_properties(lieder-lsp PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(lieder-lsp PUBLIC src)
target_link_libraries(lieder-lsp PUBLIC lieder)

# ---------------------------------------------------------------- the program
file(GLOB CLI CONFIGURE_DEPENDS src/cli/*.c)
add_executable(lieder-cli ${CLI} src/cluster/alone.c)
set_target_properties(lieder-cli PROPERTIES OUTPUT_NAME lieder)
target_include_directories(lieder-cli PRIVATE src)
target_link_libraries(lieder-cli PRIVATE lieder-analysis lieder-view lieder-lsp Threads::Threads)
# classes of --load FILE.so refer to domains and functions of the library inside the program
target_link_options(lieder-cli PRIVATE "LINKER:--export-dynamic-symbol=lieder_*")
# 20000 pointers in the tables of classes are written at each start of a program that may stand
# anywhere in memory, and ten shared libraries are found and mapped: --version takes 2.2 ms of
# processor time so, 1.6 at a fixed place, 0.8 with archives
if(NOT LIEDER_PIE AND NOT SANITIZED)
  target_link_options(lieder-cli PRIVATE -no-pie)
  if(NOT SOLVER_ARCHIVES MATCHES NOTFOUND)
    set_target_properties(lieder-cli PROPERTIES LINK_ARCHIVES ON)
  endif()
endif()
# the same program as ranks of MPI: make mpi installs it
find_package(MPI COMPONENTS C QUIET)
if(MPI_C_FOUND)
  add_executable(lieder-mpi EXCLUDE_FROM_ALL ${CLI} src/cluster/mpi.c)
  target_include_directories(lieder-mpi PRIVATE src)
  target_link_libraries(lieder-mpi PRIVATE lieder-analysis lieder-view lieder-lsp
    Threads::Threads MPI::MPI_C)
  target_link_options(lieder-mpi PRIVATE "LINKER:--export-dynamic-symbol=lieder_*")
endif()

# ---------------------------------------------------------------- examples and benchmark
file(GLOB EXAMPLES CONFIGURE_DEPENDS examples/*.c)
foreach(source ${EXAMPLES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE lieder m)
endforeach()
file(GLOB BENCH CONFIGURE_DEPENDS bench/*.c)
if(NOT SANITIZED)
  add_executable(lieder-bench ${BENCH})
  target_include_directories(lieder-bench PRIVATE src test) # test/help/row.h
  target_link_libraries(lieder-bench PRIVATE lieder ${CHOLMOD_LIBRARY} m)
endif()
# other programs on the same mechanisms; make bench-peers installs them
find_library(MUJOCO_LIBRARY mujoco)
find_library(SIMBODY_LIBRARY SimTKsimbody)
if(MUJOCO_LIBRARY AND SIMBODY_LIBRARY)
  enable_language(CXX)
  file(GLOB PEERS CONFIGURE_DEPENDS bench/peers/*.c bench/peers/*.cc)
  add_executable(lieder-bench-peers EXCLUDE_FROM_ALL
    ${PEERS} bench/measure.c bench/tree.c bench/flat.c)
  target_include_directories(lieder-bench-peers PRIVATE src bench)
  target_include_directories(lieder-bench-peers SYSTEM PRIVATE /usr/include/simbody)
  # Simbody's classes have other members with NDEBUG, without which Debian's library was built
  set_property(SOURCE bench/peers/simbody.cc PROPERTY COMPILE_OPTIONS -O2 -UNDEBUG)
  target_link_libraries(lieder-bench-peers PRIVATE
    lieder m ${MUJOCO_LIBRARY} ${SIMBODY_LIBRARY} SimTKmath SimTKcommon)
endif()
