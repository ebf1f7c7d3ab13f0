# Debian packages by cpack (make package): lieder has the program and the shared library, liblieder-dev what programs
# are built with, python3-lieder the Python package. make test-package installs them in a clean root.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lieder)
set(CPACK_PACKAGE_VENDOR "The Lieder authors")
set(CPACK_PACKAGE_CONTACT "The Lieder authors <lieder@packages.debian.org>")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL lieder liblieder-dev python3-lieder)
set(DEBIAN_VERSION ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

# a paragraph of a description, as lines of at most 75 columns, is what cpack makes of the text itself
set(CPACK_COMPONENT_LIEDER_DESCRIPTION "simulator for physical systems written in Modelica
Simulates mechanisms, circuits, heat and control systems whose models are
linear implicit equilibrium dynamics: mechanisms with stiff contacts and
clamps run in real time with an explicit solver. Draws results, finds
eigenvalues, exports FMUs, shows models in the browser.")
set(CPACK_COMPONENT_LIBLIEDER-DEV_DESCRIPTION "embed the simulator Lieder in C programs
Headers, libraries and examples of the simulator Lieder for programs in C
and C++: models from Modelica text, steps with inputs, fleets, component
classes of one's own.")
set(CPACK_COMPONENT_PYTHON3-LIEDER_DESCRIPTION "simulator Lieder as a Python package
Loads models written in Modelica, simulates them, finds eigenvalues, sweeps
over parameters and steps closed loops and fleets; results are numpy arrays
without a copy.")

set(CPACK_DEBIAN_LIEDER_PACKAGE_NAME lieder)
# the last three are loaded when they are first called
set(CPACK_DEBIAN_LIEDER_PACKAGE_DEPENDS "libcholmod3, liblapack3, libarpack2")
set(CPACK_DEBIAN_LIEDER_PACKAGE_RECOMMENDS "clang | gcc, libc6-dev, gnuplot-nox | gnuplot, libhdf5-103-1")
set(CPACK_DEBIAN_LIEDER_PACKAGE_SUGGESTS "liblieder-dev, python3-lieder")
file(WRITE ${CMAKE_BINARY_DIR}/debian/shlibs "liblieder ${LIEDER_SONAME} lieder (>= ${LIEDER_SONAME})\n")
file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIEDER_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/shlibs ${CMAKE_BINARY_DIR}/debian/triggers)

set(CPACK_DEBIAN_LIBLIEDER-DEV_PACKAGE_NAME liblieder-dev)
set(CPACK_DEBIAN_LIBLIEDER-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBLIEDER-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_LIBLIEDER-DEV_PACKAGE_DEPENDS "lieder (= ${DEBIAN_VERSION})")
set(CPACK_DEBIAN_LIBLIEDER-DEV_PACKAGE_SUGGESTS "libsundials-dev, libsuitesparse-dev, zlib1g-dev, libexpat1-dev")

set(CPACK_DEBIAN_PYTHON3-LIEDER_PACKAGE_NAME python3-lieder)
set(CPACK_DEBIAN_PYTHON3-LIEDER_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3-LIEDER_PACKAGE_DEPENDS "python3 (>= 3.11), libcholmod3, liblapack3, libarpack2")
set(CPACK_DEBIAN_PYTHON3-LIEDER_PACKAGE_RECOMMENDS "python3-numpy, clang | gcc, libc6-dev, libhdf5-103-1")
set(CPACK_DEBIAN_PYTHON3-LIEDER_PACKAGE_SUGGESTS "python3-matplotlib, lieder")

# what every package must have: copyright, changelog, and what lintian is told
file(READ LICENSE LICENCE_TEXT)
string(REGEX REPLACE "^.*authors\n" "" LICENCE_TEXT "${LICENCE_TEXT}")
string(REGEX REPLACE "\n\n" "\n.\n" LICENCE_TEXT "${LICENCE_TEXT}")
string(REGEX REPLACE "\n([^\n])" "\n \\1" LICENCE_TEXT "${LICENCE_TEXT}")
string(REGEX REPLACE "^\n \\.\n" "" LICENCE_TEXT "${LICENCE_TEXT}")
execute_process(COMMAND date -R -u OUTPUT_VARIABLE DEBIAN_DATE OUTPUT_STRIP_TRAILING_WHITESPACE)
configure_file(scripts/install/debian/copyright.in debian/copyright @ONLY)
configure_file(scripts/install/debian/changelog.in debian/changelog.Debian @ONLY)
execute_process(COMMAND gzip -9nfk ${CMAKE_BINARY_DIR}/debian/changelog.Debian)
foreach(package ${CPACK_COMPONENTS_ALL})
  install(FILES ${CMAKE_BINARY_DIR}/debian/copyright ${CMAKE_BINARY_DIR}/debian/changelog.Debian.gz
          DESTINATION share/doc/${package} COMPONENT ${package})
  if(EXISTS ${CMAKE_SOURCE_DIR}/scripts/install/debian/${package}.overrides)
    install(FILES scripts/install/debian/${package}.overrides RENAME ${package}
            DESTINATION share/lintian/overrides COMPONENT ${package})
  endif()
endforeach()
include(CPack)
