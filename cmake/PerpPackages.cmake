# Debian packages: "cpack -G DEB" in a build tree writes them to its folder packages/ (docs/how-to/packages.md).
#
#   perp           component program: the program and its data
#   libperp-dev    component dev: static libraries, public headers, the CMake package
#   python3-perp   component python: the Python module, if it is built

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME perp)
set(CPACK_PACKAGE_VENDOR "the perp authors")
set(CPACK_PACKAGE_CONTACT "the perp authors")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)  # the program finds its data in ../share/perp
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)

get_cmake_property(components COMPONENTS)
set(CPACK_COMPONENTS_ALL program dev)
if("python" IN_LIST components)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# Descriptions: the first line is the summary, the rest is the same for all but for the last paragraph.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(what "perp states contact problems of rigid bodies as complementarity problems,
solves them with its own solvers, verifies every answer independently and
measures solvers against one another.
")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME perp)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "complementarity problems of rigid-body contact: program and data
${what}
This package has the program perp, its suites, studies, scenes and
collections of problems.")

# What find_package(perp) looks for (perpConfig.cmake.in).
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libperp-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(development libeigen3-dev libsuitesparse-dev libgmp-dev libmpfr-dev nlohmann-json3-dev libfmt-dev zlib1g-dev
                libqhull-dev libccd-dev liborocos-kdl-dev)
if(HDF5C_FOUND)
  list(APPEND development libhdf5-dev)
endif()
list(JOIN development ", " CPACK_DEBIAN_DEV_PACKAGE_DEPENDS)
set(CPACK_COMPONENT_DEV_DESCRIPTION "complementarity problems of rigid-body contact: libraries for C++
${what}
This package has the static libraries perp::problems, perp::solvers,
perp::formulations and perp::simulation, their public headers, the header
of plug-ins (perp_plugin.h) and the CMake package perp.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-perp)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-pandas")
# The module is for one version of Python.
if("python" IN_LIST components)
  execute_process(COMMAND ${PERP_PYTHON_FOR_MODULE} -c
                  "import sys; v = sys.version_info; print(f'python3 (>= 3.{v[1]}), python3 (<< 3.{v[1] + 1})')"
                  OUTPUT_VARIABLE python_depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "perp (= ${PROJECT_VERSION}), ${python_depends}, python3-numpy, python3-scipy")
endif()
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "complementarity problems of rigid-body contact: Python module
${what}
This package has the Python module perp.")

# Every package has the licence in the place that Debian asks for.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
          RENAME copyright COMPONENT ${component})
endforeach()

include(CPack)
