# The library as it is installed.
# Both kinds have the symbols of the public headers and no others (test_headers.c). The tests and
# the program are linked with all of it, so that they see the inside.
set(LIEDER_SONAME ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # docs/c.md
set(SYMBOLS ${CMAKE_SOURCE_DIR}/scripts/install/symbols.map)
add_library(lieder-shared SHARED
  $<TARGET_OBJECTS:lieder> $<TARGET_OBJECTS:lieder-core> ${LANE_OBJECTS})
set_target_properties(lieder-shared PROPERTIES
  OUTPUT_NAME lieder EXPORT_NAME lieder LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${LIEDER_SONAME} LINK_DEPENDS ${SYMBOLS})
target_include_directories(lieder-shared INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# files with component classes want more: see scripts/install/lieder-class.pc.in
set(CLASS_OPTIONS -ffp-contract=off -fno-math-errno -ffinite-math-only -fno-signed-zeros)
add_library(lieder-class INTERFACE)
set_target_properties(lieder-class PROPERTIES EXPORT_NAME class)
target_compile_options(lieder-class INTERFACE ${CLASS_OPTIONS})
target_link_libraries(lieder-class INTERFACE lieder-shared)
target_link_libraries(lieder-shared PRIVATE ${SYSTEM_LIBRARIES})
target_link_options(lieder-shared PRIVATE
  LINKER:--version-script=${SYMBOLS} LINKER:--no-undefined)
# one object in which only the public symbols are left
set(STATIC_FOLDER ${CMAKE_BINARY_DIR}/static)
file(MAKE_DIRECTORY ${STATIC_FOLDER})
add_custom_command(OUTPUT ${STATIC_FOLDER}/liblieder.a
  DEPENDS lieder WORKING_DIRECTORY ${STATIC_FOLDER} VERBATIM
  COMMAND ${CMAKE_LINKER} -r --whole-archive $<TARGET_FILE:lieder> -o lieder.o
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden --wildcard --keep-global-symbol lieder_* --strip-debug
          -R .comment lieder.o
  COMMAND ${CMAKE_COMMAND} -E rm -f liblieder.a
  COMMAND ${CMAKE_AR} rcs liblieder.a lieder.o)
add_custom_target(lieder-static ALL DEPENDS ${STATIC_FOLDER}/liblieder.a)
