# Whether the Python module is built, and for which Python: PERP_PYTHON_FOUND, PERP_PYTHON_FOR_MODULE.
#
# AUTO builds it where perp itself is built, pybind11 is there, and Debian's python3 (or the one that is first on the
# PATH) has numpy, scipy and headers. Sanitizers would have to be loaded before Python is, so they go without it.
set(PERP_PYTHON_FOUND OFF)
if(PERP_BUILD_PYTHON STREQUAL "OFF" OR (PERP_BUILD_PYTHON STREQUAL "AUTO" AND
   (NOT PROJECT_IS_TOP_LEVEL OR NOT PERP_BUILD_PROGRAM OR PERP_SANITIZE)))
  return()
endif()

if(PERP_PYTHON_FOR_MODULE)
  set(candidates ${PERP_PYTHON_FOR_MODULE})
else()
  set(candidates /usr/bin/python3 python3)
endif()
foreach(candidate IN LISTS candidates)
  execute_process(COMMAND ${candidate} -c "import numpy, scipy, sysconfig, os, sys
assert os.path.isfile(os.path.join(sysconfig.get_paths()['include'], 'Python.h'))
print(sys.executable)" OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(PERP_PYTHON_FOR_MODULE ${python} CACHE FILEPATH "the Python that the module is built for")
    set(PYBIND11_FINDPYTHON ON)
    set(Python_EXECUTABLE ${python})
    find_package(pybind11 2.10 CONFIG QUIET)
    break()
  endif()
endforeach()
if(pybind11_FOUND)
  set(PERP_PYTHON_FOUND ON)
elseif(PERP_BUILD_PYTHON STREQUAL "ON")
  message(FATAL_ERROR "PERP_BUILD_PYTHON: pybind11 or a python3 with numpy, scipy and headers is missing (Debian: "
                      "pybind11-dev python3-dev python3-numpy python3-scipy)")
endif()
