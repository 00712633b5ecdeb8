# Installation: libraries, public headers, the program, its data, and the package for find_package(perp).
#
# Every rule belongs to a component, which is also what a Debian package holds (PerpPackages.cmake):
#   program   the program perp and its data
#   dev       static libraries, public headers, the CMake package
#   python    the Python module (python/CMakeLists.txt)
#   peers     programs of the peers; in no package
include(CMakePackageConfigHelpers)
include(PerpHeaders)

get_property(stages GLOBAL PROPERTY PERP_STAGES)
list(REMOVE_ITEM stages bench)  # the harness belongs to the program, not to the libraries
foreach(stage IN LISTS stages)
  install(TARGETS perp_${stage} EXPORT perpTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endforeach()
set(umbrellas ${stages})
if(TARGET perp_simulation)
  install(TARGETS perp_simulation EXPORT perpTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  list(APPEND umbrellas simulation)
endif()

# Umbrella headers, and the headers that they include when perp is installed.
foreach(name IN LISTS umbrellas)
  install(FILES ${PERP_UMBRELLA_FOLDER_${name}}/public.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perp
          RENAME ${name}.hpp COMPONENT dev)
endforeach()
install(CODE "
  include(\"${PROJECT_SOURCE_DIR}/cmake/PerpHeaders.cmake\")
  perp_public_headers(headers \"${PROJECT_SOURCE_DIR}\" ${umbrellas})
  foreach(header IN LISTS headers)
    get_filename_component(folder \"\${header}\" DIRECTORY)
    file(INSTALL \"${PROJECT_SOURCE_DIR}/\${header}\"
         DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/perp/\${folder}\")
  endforeach()" COMPONENT dev)
install(FILES bench/plugins/perp_plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

# Reference pages of the public headers.
find_program(PERP_DOXYGEN doxygen)
if(PERP_DOXYGEN AND PROJECT_IS_TOP_LEVEL)
  add_custom_target(perp_doxygen COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR}
                    -D OUTPUT=${PROJECT_BINARY_DIR}/doxygen -D DOXYGEN=${PERP_DOXYGEN}
                    -P ${PROJECT_SOURCE_DIR}/cmake/PerpDoxygen.cmake VERBATIM)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/perp)
install(EXPORT perpTargets NAMESPACE perp:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/perpConfig.cmake.in perpConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(perpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/perpConfig.cmake ${PROJECT_BINARY_DIR}/perpConfigVersion.cmake
              cmake/FindKLU.cmake cmake/FindGMP.cmake cmake/FindMPFR.cmake cmake/FindHDF5C.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# Data of the program. LICENSE goes into the collections that it exports.
set(data_dir ${CMAKE_INSTALL_DATADIR}/perp)
install(DIRECTORY bench/studies DESTINATION ${data_dir}/bench COMPONENT program FILES_MATCHING PATTERN "*.json")
install(FILES bench/report/page/page.js bench/report/page/page.css bench/report/page/LICENSES.txt
        DESTINATION ${data_dir}/bench/report/page COMPONENT program)
install(DIRECTORY problems/collections problems/recipes problems/suites DESTINATION ${data_dir}/problems
        COMPONENT program)
install(DIRECTORY problems/scenes DESTINATION ${data_dir}/problems COMPONENT program
        FILES_MATCHING PATTERN "*.json")
install(DIRECTORY problems/io/schema DESTINATION ${data_dir} COMPONENT program)
install(FILES LICENSE DESTINATION ${data_dir} COMPONENT program)

include(PerpPackages)
