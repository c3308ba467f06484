# cmake --install: the libraries with their headers, the program, the cases, and what
# find_package(isotherm) needs.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/isotherm)
set(libraries isotherm_kernels isotherm_decomposition isotherm_solver isotherm_io)

install(TARGETS ${libraries} EXPORT isotherm
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY kernels decomposition solver io
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/isotherm FILES_MATCHING PATTERN "*.hpp")
install(TARGETS isotherm_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY jobs/cases DESTINATION ${CMAKE_INSTALL_DATADIR}/isotherm)

set(ISOTHERM_SHARED OFF)
if(BUILD_SHARED_LIBS)
  set(ISOTHERM_SHARED ON)
endif()
install(EXPORT isotherm NAMESPACE isotherm:: FILE isothermTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/isothermConfig.cmake.in isothermConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(isothermConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/FindCairo.cmake ${PROJECT_BINARY_DIR}/isothermConfig.cmake
              ${PROJECT_BINARY_DIR}/isothermConfigVersion.cmake DESTINATION ${package_dir})
