# ISOTHERM_UNITED_SOURCES: neighbouring sources are compiled as one. Templates of the libraries are then instantiated
# once for each unit, not for each source, which halves the time of a first build. A change of a source compiles its
# whole unit again, so only the scripts in jobs/ and .ci/run set the option. Kernels are always compiled one by one:
# their templates are their own, and the compiler optimises each source by itself.
#
# The unnamed namespaces of united sources become one. Sources that define the same name therefore go to different
# units. A source that brings in all names of an enumeration or a namespace is a unit of its own.

# isotherm_find_names(<source> <result>): the names of functions, types and constants that a source defines outside
# classes, and of its test suites. Members, whose names are qualified, are left out.
function(isotherm_find_names source result)
  set(names)
  file(STRINGS ${PROJECT_SOURCE_DIR}/${source} lines REGEX "^[A-Za-z[]")
  list(FILTER lines EXCLUDE REGEX "^using (enum|namespace) |= testing::Types<float, double>")  # may occur several times
  foreach(line IN LISTS lines)
    foreach(form IN ITEMS
        "^(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_SUITE)\\(([A-Za-z0-9_]+)"
        "^(struct|class|enum class|enum|using) ([A-Za-z0-9_]+)"
        "^(constexpr [^=({]*[ *&])([A-Za-z0-9_]+)( =|{|\\[)"
        "^([^(=]*[ *&>])?([A-Za-z0-9_]+)\\(")
      if(line MATCHES "${form}")
        list(APPEND names ${CMAKE_MATCH_2})
        break()
      endif()
    endforeach()
  endforeach()
  list(REMOVE_ITEM names template requires static_assert INSTANTIATE_TEST_SUITE_P)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# isotherm_choose_unit(<source> <group> <result>): the first unit of the group that has none of the source's names yet,
# and fewer than twelve sources, so that two cores end together. Remembers the names and sources of each unit in global
# properties.
function(isotherm_choose_unit source group result)
  isotherm_find_names(${source} names)
  foreach(number RANGE 1 40)
    set(unit ${group}_${number})
    get_property(taken GLOBAL PROPERTY isotherm_names_in_${unit})
    get_property(members GLOBAL PROPERTY isotherm_sources_in_${unit})
    list(LENGTH members count)
    set(fits ON)
    if(count EQUAL 12)
      set(fits OFF)
    endif()
    foreach(name IN LISTS names)
      if(name IN_LIST taken)
        set(fits OFF)
        break()
      endif()
    endforeach()
    if(fits)
      set_property(GLOBAL APPEND PROPERTY isotherm_names_in_${unit} ${names})
      set_property(GLOBAL APPEND PROPERTY isotherm_sources_in_${unit} ${source})
      break()
    endif()
  endforeach()
  set(${result} ${unit} PARENT_SCOPE)
endfunction()

# isotherm_unite_sources(<target> <name> <sources>): unites the sources of the room's folders.
function(isotherm_unite_sources target name sources)
  if(NOT ISOTHERM_UNITED_SOURCES OR name STREQUAL "kernels")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # A united source includes sources, so types of their unnamed namespaces look like those of a header.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  list(FILTER sources EXCLUDE REGEX "\\.cu$")
  foreach(source IN LISTS sources)
    file(STRINGS ${PROJECT_SOURCE_DIR}/${source} all_names_of REGEX "^using (enum|namespace) ")
    if(all_names_of)
      string(REGEX REPLACE "[/.]" "_" unit ${source})
    else()
      string(REGEX MATCH "^[^/]*(/[^/]*/)?" group ${source})
      string(REPLACE "/" "_" group ${group})
      isotherm_choose_unit(${source} ${group} unit)
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
endfunction()
