# The Python package (ISOTHERM_PYTHON_PACKAGE, which pyproject.toml sets): module isotherm._core, and beside it
# what is written in Python. nanobind is found by the Python that it is installed for.

find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  message(FATAL_ERROR "ISOTHERM_PYTHON_PACKAGE needs nanobind for ${Python_EXECUTABLE}: pip install nanobind")
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB python_sources CONFIGURE_DEPENDS python/*.cpp)
nanobind_add_module(isotherm_python NB_STATIC NOMINSIZE ${python_sources})
set_target_properties(isotherm_python PROPERTIES
  OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/isotherm)
target_link_libraries(isotherm_python PRIVATE isotherm::in_memory isotherm_options)
# Not ours to warn about.
target_include_directories(isotherm_python SYSTEM PRIVATE ${NB_DIR}/include)

# The package as it will be installed, for tests and the stubs.
file(GLOB python_files CONFIGURE_DEPENDS python/isotherm/*.py python/isotherm/py.typed)
foreach(file IN LISTS python_files)
  cmake_path(GET file FILENAME file_name)
  configure_file(${file} ${PROJECT_BINARY_DIR}/python/isotherm/${file_name} COPYONLY)
endforeach()
nanobind_add_stub(isotherm_python_stub MODULE isotherm._core
  OUTPUT ${PROJECT_BINARY_DIR}/python/isotherm/_core.pyi
  PYTHON_PATH ${PROJECT_BINARY_DIR}/python DEPENDS isotherm_python)

# All that the package needs; with it, pip installs the program as a command.
add_custom_target(isotherm_package DEPENDS isotherm_python_stub)
if(SKBUILD)
  if(ISOTHERM_BUILT_ROOMS)
    install(PROGRAMS ${ISOTHERM_BUILT_ROOMS}/isotherm DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  else()
    add_dependencies(isotherm_package isotherm_program)
    install(TARGETS isotherm_program RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  endif()
endif()
install(TARGETS isotherm_python LIBRARY DESTINATION isotherm COMPONENT python)
install(FILES ${PROJECT_BINARY_DIR}/python/isotherm/_core.pyi DESTINATION isotherm COMPONENT python)
