# cmake --install: the libraries with their headers, the program, the cases, the job scripts, the
# documents, and what find_package(isotherm) needs. Packages (package.cmake) divide it into two components:
# what a user of the program needs, and what programs that link isotherm need to be built.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/isotherm)
set(libraries isotherm_kernels isotherm_decomposition isotherm_solver isotherm_io isotherm_case)

# The folders that the installation makes, for the target "uninstall".
set(destinations BINDIR LIBDIR/cmake INCLUDEDIR DOCDIR MANDIR/man1 DATADIR/bash-completion/completions
                 DATADIR/zsh/site-functions DATADIR/fish/vendor_completions.d)
set(folders)
foreach(destination IN LISTS destinations)
  string(REGEX REPLACE "^([A-Z]+)" "\\1;" parts "${destination}")
  list(POP_FRONT parts variable)
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_${variable} BASE_DIRECTORY "\${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE folder)
  list(APPEND folders "${folder}${parts}")
endforeach()
install(CODE "
  set(FOLDERS_FILE \"${PROJECT_BINARY_DIR}/install_folders.txt\")
  set(FOLDERS \"${folders}\")")
install(SCRIPT cmake/note_folders.cmake)

install(TARGETS ${libraries} EXPORT isotherm
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT program
                NAMELINK_COMPONENT development)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
install(TARGETS isotherm_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# What other programs include, as <isotherm/solver/solver.hpp>. Headers that these need come along.
set(public_headers solver/solver.hpp
                   io/snapshot/snapshot.hpp
                   io/snapshot/compare/compare_fields.hpp
                   io/picture/picture.hpp
                   case/read_case.hpp
                   case/basics/version.hpp)
if(NOT ISOTHERM_MPI)
  list(APPEND public_headers decomposition/ranks/serial/mpi.h)
endif()
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_INCLUDEDIR BASE_DIRECTORY "\${CMAKE_INSTALL_PREFIX}"
           OUTPUT_VARIABLE header_destination)
install(CODE "
  set(HEADERS ${public_headers})
  set(HEADERS_SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(HEADERS_STAGE \"${PROJECT_BINARY_DIR}/installed_headers\")
  set(HEADERS_DESTINATION \"${header_destination}\")" COMPONENT development)
install(SCRIPT cmake/install_headers.cmake COMPONENT development)

install(DIRECTORY jobs/cases DESTINATION ${CMAKE_INSTALL_DATADIR}/isotherm)
# With the permissions that they have: some are started, some are sourced by others.
install(DIRECTORY jobs/slurm DESTINATION ${CMAKE_INSTALL_DATADIR}/isotherm USE_SOURCE_PERMISSIONS
        PATTERN __pycache__ EXCLUDE)
install(FILES CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_DOCDIR BASE_DIRECTORY "\${CMAKE_INSTALL_PREFIX}"
           OUTPUT_VARIABLE document_destination)
cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_DATADIR BASE_DIRECTORY "\${CMAKE_INSTALL_PREFIX}"
           OUTPUT_VARIABLE data_destination)
install(CODE "
  set(DOCUMENTS_SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(DOCUMENTS_STAGE \"${PROJECT_BINARY_DIR}/installed_documents\")
  set(DOCUMENTS_DESTINATION \"${document_destination}\")
  set(DATA_DESTINATION \"${data_destination}/isotherm\")")
install(SCRIPT cmake/install_documents.cmake)
if(ISOTHERM_MANUAL)
  install(FILES ${ISOTHERM_MAN_PAGE} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${ISOTHERM_COMPLETION_bash} RENAME isotherm
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${ISOTHERM_COMPLETION_zsh} RENAME _isotherm
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${ISOTHERM_COMPLETION_fish}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

if(NOT TARGET uninstall)
  add_custom_target(uninstall COMMENT "Removing what was installed" VERBATIM
    COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)
endif()

set(ISOTHERM_SHARED OFF)
if(BUILD_SHARED_LIBS)
  set(ISOTHERM_SHARED ON)
endif()
install(EXPORT isotherm NAMESPACE isotherm:: FILE isothermTargets.cmake DESTINATION ${package_dir}
        COMPONENT development)
configure_package_config_file(cmake/isothermConfig.cmake.in package/isothermConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(package/isothermConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/FindCairo.cmake ${PROJECT_BINARY_DIR}/package/isothermConfig.cmake
              ${PROJECT_BINARY_DIR}/package/isothermConfigVersion.cmake DESTINATION ${package_dir}
        COMPONENT development)
