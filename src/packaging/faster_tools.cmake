# Whoever has these waits less; nothing needs them. For weir's own builds, not for projects that embed it.

# Of what users get, the system's own linker decides.
if(CMAKE_BUILD_TYPE STREQUAL Debug AND CMAKE_SYSTEM_NAME STREQUAL Linux)
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
  # Without these it does not keep what is compiled with headers that were compiled before.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${WEIR_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()
