# What is installed where, and which Debian package has it: the program with the shared library, what programs are built
# with, the Python package. Nothing installed holds a path of this machine, so that a prefix may be moved as a whole.
include(CMakePackageConfigHelpers)

# ---------------------------------------------------------------- lieder
install(TARGETS lieder-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT lieder)
install(TARGETS lieder-class EXPORT lieder)
install(TARGETS lieder-shared EXPORT lieder LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lieder
        NAMELINK_COMPONENT liblieder-dev)
execute_process(COMMAND gzip -9n INPUT_FILE ${CMAKE_SOURCE_DIR}/docs/man/lieder.1 OUTPUT_FILE ${CMAKE_BINARY_DIR}/lieder.1.gz)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS docs/man/lieder.1)
install(FILES ${CMAKE_BINARY_DIR}/lieder.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT lieder)
install(FILES share/completions/lieder.bash RENAME lieder COMPONENT lieder
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES share/completions/_lieder DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT lieder)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT lieder)

# ---------------------------------------------------------------- liblieder-dev
set(DEV COMPONENT liblieder-dev)
install(DIRECTORY include/lieder DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${DEV})
install(FILES ${CMAKE_BINARY_DIR}/static/liblieder.a DESTINATION ${CMAKE_INSTALL_LIBDIR} ${DEV})
file(RELATIVE_PATH PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PC_TO_PREFIX ${PC_TO_PREFIX})
string(REPLACE ";" " " CLASS_OPTIONS "${CLASS_OPTIONS}")
configure_file(scripts/install/lieder.pc.in lieder.pc @ONLY)
configure_file(scripts/install/lieder-class.pc.in lieder-class.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/lieder.pc ${CMAKE_BINARY_DIR}/lieder-class.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${DEV})
set(CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/lieder)
install(EXPORT lieder NAMESPACE lieder:: FILE lieder-config.cmake DESTINATION ${CONFIG_FOLDER} ${DEV})
write_basic_package_version_file(lieder-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/lieder-config-version.cmake DESTINATION ${CONFIG_FOLDER} ${DEV})
install(FILES docs/c.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/liblieder-dev ${DEV})
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/liblieder-dev ${DEV})

# ---------------------------------------------------------------- python3-lieder
# Debian's Python looks into lib/python3 of /usr, and into the folder of its version below /usr/local
if(TARGET lieder-python)
  set(PYTHON_FOLDER lib/python3/dist-packages)
  if(CMAKE_INSTALL_PREFIX STREQUAL /usr/local)
    get_filename_component(PYTHON_NAME ${PYTHON_INCLUDE} NAME)
    set(PYTHON_FOLDER lib/${PYTHON_NAME}/dist-packages)
  endif()
  install(TARGETS lieder-python LIBRARY DESTINATION ${PYTHON_FOLDER}/lieder COMPONENT python3-lieder)
  install(FILES ${PYTHON_TEXTS} DESTINATION ${PYTHON_FOLDER}/lieder COMPONENT python3-lieder)
endif()

# what Debian alone wants
if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
  include(scripts/install/package.cmake)
endif()
