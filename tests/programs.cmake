# The programs that tests are compiled into: one for each source. With ISOTHERM_UNITED_SOURCES the sources of a folder
# share programs, each compiled as one source. This halves the time of a first build. CMakeLists.txt sets the variables
# test_options, long_tests and numbers_alone.

# Sources that need more than the libraries of their room, that are optimised like the product, or that change the
# environment or the allocation of the whole program.
set(isotherm_tests_alone
  "^(kernels/sweep_test|kernels/faces_test|decomposition/serial_ranks_test|fuzz/texts_test|app/shipped_cases_test)$"
  "^(decomposition/transport_mpi_test|case/data_mpi_test|case/constants_test|structure/leak_mpi_test)$"
  "^(io/picture_without_fontconfig_test|solver/fixed_links_mpi_test)$")

# The names that tests may take from headers. A source that defines one of them for itself is alone: its neighbours may
# mean the header's.
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} support/*.hpp)
set(isotherm_names_of_support)
foreach(header IN LISTS headers)
  isotherm_find_names(${header} names)
  list(APPEND isotherm_names_of_support ${names})
endforeach()

# isotherm_add_to_test_program(<room>/<folders>/<name> <kind> <libraries>)
#
# Adds <room>/<folders>/<name>.cpp to a program of a kind: "serial", or "mpi" if it runs on several ranks. Sets the
# global property isotherm_program_of_<room>.<name> to the target of the program.
function(isotherm_add_to_test_program source kind libraries)
  isotherm_short_name(${source} test)
  string(REPLACE "/" "." program ${test})
  set(name ${program})
  set(united ${ISOTHERM_UNITED_SOURCES})
  foreach(alone IN LISTS isotherm_tests_alone)
    if(test MATCHES "${alone}")
      set(united OFF)
    endif()
  endforeach()
  isotherm_find_names(tests/${source}.cpp names)
  foreach(name_of_source IN LISTS names)
    if(name_of_source IN_LIST isotherm_names_of_support)
      set(united OFF)
    endif()
  endforeach()
  if(united)
    cmake_path(GET source PARENT_PATH group)
    string(REPLACE "/" "." group ${group})
    if(test MATCHES "${numbers_alone}")
      string(APPEND group .numbers)
    endif()
    isotherm_choose_unit(tests/${source}.cpp ${group}.${kind} program)
  endif()
  set_property(GLOBAL PROPERTY isotherm_program_of_${name} ${program})
  if(TARGET ${program})
    target_sources(${program} PRIVATE ${source}.cpp)
    return()
  endif()
  add_executable(${program} ${source}.cpp)
  target_link_libraries(${program} PRIVATE ${libraries} isotherm_${kind}_test_main isotherm_options)
  set_target_properties(${program} PROPERTIES ISOTHERM_TEST ON)
  if(united)
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
  if(NOT test MATCHES "${long_tests}")
    target_compile_options(${program} PRIVATE ${test_options})
    isotherm_reuse_test_headers(${program} ${test})
  endif()
endfunction()
