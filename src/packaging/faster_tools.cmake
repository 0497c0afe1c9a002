# Tools and flags that make builds faster. They are used for weir's own builds, not in projects that embed it.

# Release builds use the system's linker.
if(CMAKE_BUILD_TYPE STREQUAL Debug AND CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT CMAKE_CROSSCOMPILING)
  find_program(WEIR_LINKER NAMES ld.mold ld.lld)
  mark_as_advanced(WEIR_LINKER)
  if(WEIR_LINKER MATCHES "mold$")
    add_link_options(-fuse-ld=mold)
  elseif(WEIR_LINKER MATCHES "lld$")
    add_link_options(-fuse-ld=lld)
  endif()
endif()

find_program(WEIR_CCACHE ccache)
mark_as_advanced(WEIR_CCACHE)
if(WEIR_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these settings, ccache does not cache files that use precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${WEIR_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

# By default GCC collects garbage from 128 MB on, and a file of the tests is often a little larger.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=524288>)
endif()

# Tests, and programs that run for a moment, are compiled once and run once, so they are not optimised. The library keeps
# the flags of the preset.
set(WEIR_TEST_OPTIONS)
if(CMAKE_BUILD_TYPE STREQUAL Debug AND NOT CMAKE_CXX_FLAGS_DEBUG MATCHES "-O0")
  set(WEIR_TEST_OPTIONS -O0)
  # No code for std::move and std::forward.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    list(APPEND WEIR_TEST_OPTIONS -ffold-simple-inlines)
  endif()
endif()
