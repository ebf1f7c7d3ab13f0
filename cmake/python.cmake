# The Python package: it stands in build/python as it is installed; python3-dev has the headers.
find_path(PYTHON_INCLUDE Python.h
  PATHS /usr/include/python3.11 /usr/include/python3.12 /usr/include/python3.13 NO_DEFAULT_PATH)
if(NOT PYTHON_INCLUDE)
  message(STATUS "no Python.h of 3.11 or later under /usr/include: the Python package is not built "
    "(python3-dev)")
  return()
endif()
file(GLOB PYTHON_SOURCES CONFIGURE_DEPENDS python/*.c)
file(GLOB PYTHON_TEXTS CONFIGURE_DEPENDS python/lieder/*)
add_library(lieder-python MODULE ${PYTHON_SOURCES})
set_target_properties(lieder-python PROPERTIES
  PREFIX "" OUTPUT_NAME _lieder SUFFIX .abi3.so C_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/lieder)
target_include_directories(lieder-python PRIVATE python src)
target_include_directories(lieder-python SYSTEM PRIVATE ${PYTHON_INCLUDE})
target_link_libraries(lieder-python PRIVATE lieder-analysis)
# nothing but the module is seen outside: another copy of the library in the process does not meet
# it
target_link_options(lieder-python PRIVATE LINKER:--exclude-libs,ALL)
foreach(text ${PYTHON_TEXTS})
  get_filename_component(name ${text} NAME)
  configure_file(${text} python/lieder/${name} COPYONLY)
endforeach()
