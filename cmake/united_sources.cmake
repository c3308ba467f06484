# ISOTHERM_UNITED_SOURCES: the sources of a folder are compiled as one. Templates of the libraries are then instantiated
# once for each folder, not for each source, which halves the time of a first build. A change of a source compiles its
# whole folder again, so only the scripts in jobs/ and .ci/run set the option. Kernels are always compiled one by one:
# their templates are their own, and the compiler optimises each source by itself.
#
# The unnamed namespaces of united sources become one. Sources of a folder that define the same name therefore go to
# different units. A source that brings in all names of an enumeration or a namespace is a unit of its own.

# isotherm_find_names(<source> <result>): the names of functions, types and constants that a source defines outside
# classes. Members, whose names are qualified, are left out.
function(isotherm_find_names source result)
  set(names)
  file(STRINGS ${PROJECT_SOURCE_DIR}/${source} lines REGEX "^[A-Za-z[]")
  foreach(line IN LISTS lines)
    foreach(form IN ITEMS
        "^(struct|class|enum class|enum|using) ([A-Za-z0-9_]+)"
        "^(constexpr [^=({]*[ *&])([A-Za-z0-9_]+)( =|{|\\[)"
        "^([^(=]*[ *&>])?([A-Za-z0-9_]+)\\(")
      if(line MATCHES "${form}")
        list(APPEND names ${CMAKE_MATCH_2})
        break()
      endif()
    endforeach()
  endforeach()
  list(REMOVE_ITEM names template requires static_assert)
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# isotherm_choose_unit(<source> <result>): the first unit of the source's folder that has none of its names yet.
# Remembers the names of each unit in a global property.
function(isotherm_choose_unit source result)
  isotherm_find_names(${source} names)
  file(STRINGS ${PROJECT_SOURCE_DIR}/${source} all_names_of REGEX "^using (enum|namespace) ")
  if(all_names_of)
    string(REGEX REPLACE "[/.]" "_" unit ${source})
    set(${result} ${unit} PARENT_SCOPE)
    return()
  endif()
  cmake_path(GET source PARENT_PATH folder)
  string(REPLACE "/" "_" folder ${folder})
  foreach(number RANGE 1 20)
    set(unit ${folder}_${number})
    get_property(taken GLOBAL PROPERTY isotherm_names_in_${unit})
    set(clash OFF)
    foreach(name IN LISTS names)
      if(name IN_LIST taken)
        set(clash ON)
        break()
      endif()
    endforeach()
    if(NOT clash)
      set_property(GLOBAL APPEND PROPERTY isotherm_names_in_${unit} ${names})
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
    isotherm_choose_unit(${source} unit)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
endfunction()
