# Installation: libraries, headers, the program, its data, and the package for find_package(perp).
include(CMakePackageConfigHelpers)

get_property(stages GLOBAL PROPERTY PERP_STAGES)
list(REMOVE_ITEM stages bench)  # the harness belongs to the program, not to the libraries
foreach(stage IN LISTS stages)
  get_property(folder GLOBAL PROPERTY PERP_STAGE_FOLDER_${stage})
  install(TARGETS perp_${stage} EXPORT perpTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY "${folder}/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perp/${stage}
          FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
endforeach()
if(TARGET perp_simulation)
  install(TARGETS perp_simulation EXPORT perpTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(DIRECTORY bench/simulation DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/perp/bench
          FILES_MATCHING PATTERN "*.hpp")
endif()
install(FILES bench/plugins/perp_plugin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY bench/studies DESTINATION ${CMAKE_INSTALL_DATADIR}/perp/bench FILES_MATCHING PATTERN "*.json")
install(FILES bench/report/page/page.js bench/report/page/page.css bench/report/page/LICENSES.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/perp/bench/report/page)
install(DIRECTORY problems/collections problems/recipes problems/suites
        DESTINATION ${CMAKE_INSTALL_DATADIR}/perp/problems)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/perp)  # collections hold it
install(DIRECTORY problems/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/perp/problems
        FILES_MATCHING PATTERN "*.json")
install(DIRECTORY problems/io/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/perp)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/perp)
install(EXPORT perpTargets NAMESPACE perp:: DESTINATION ${package_dir})
configure_package_config_file(cmake/perpConfig.cmake.in perpConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(perpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/perpConfig.cmake ${PROJECT_BINARY_DIR}/perpConfigVersion.cmake
              cmake/FindKLU.cmake cmake/FindGMP.cmake cmake/FindMPFR.cmake cmake/FindHDF5C.cmake DESTINATION ${package_dir})
