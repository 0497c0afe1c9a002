include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
set(weir_install_headers)
set(weir_install_generated)
if(WEIR_FILE_SETS)
  set(weir_install_headers FILE_SET HEADERS COMPONENT weir_development)
  set(weir_install_generated FILE_SET generated COMPONENT weir_development)
endif()

install(TARGETS weir EXPORT weirTargets
  ARCHIVE COMPONENT weir_development
  LIBRARY COMPONENT weir_runtime NAMELINK_COMPONENT weir_development
  RUNTIME COMPONENT weir_runtime
  ${weir_install_headers} ${weir_install_generated})
install(EXPORT weirTargets NAMESPACE weir:: DESTINATION ${package_dir} COMPONENT weir_development)

# weir_install_component(TARGET EXPORT PC): a component in the same package, linked only on request, if this build has it.
set(pcs weir)
function(weir_install_component TARGET EXPORT PC)
  if(TARGET ${TARGET})
    install(TARGETS ${TARGET} EXPORT ${EXPORT}
      ARCHIVE COMPONENT weir_development
      LIBRARY COMPONENT weir_c NAMELINK_COMPONENT weir_development
      ${weir_install_headers})
    install(EXPORT ${EXPORT} NAMESPACE weir:: DESTINATION ${package_dir} COMPONENT weir_development)
    set(pcs ${pcs} ${PC} PARENT_SCOPE)
  endif()
endfunction()
weir_install_component(weir_footprint_component weirFootprintTargets weir_footprint)
weir_install_component(weir_shards_component weirShardsTargets weir_shards)
weir_install_component(weir_c_library weirCTargets weir-c)  # a shared library that needs neither weir's nor a header of C++

# A separate component, so that it can be in a package that depends on OpenCV.
if(TARGET weir_opencv_codec)
  install(TARGETS weir_opencv_codec EXPORT weirOpencvCodecTargets
    ARCHIVE COMPONENT weir_opencv_codec)
  install(EXPORT weirOpencvCodecTargets NAMESPACE weir:: DESTINATION ${package_dir}
    COMPONENT weir_opencv_codec)
endif()

if(TARGET weir_program)
  install(TARGETS weir_program RUNTIME COMPONENT weir_program)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/completions/weir.bash RENAME weir
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT weir_program)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/completions/_weir
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT weir_program)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/completions/weir.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT weir_program)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/weir.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT weir_program)
  # In the folders of the repository, so that links between the pages work. Pages of --html link to the guide.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weir COMPONENT weir_program)
  # README, and files to which the guide links.
  foreach(file README.md bench/README.md bench/peers/README.md include/weir/footprint.hpp include/weir/interop/README.md
      include/weir/interop/opencv_codec.hpp include/weir/memory.hpp src/footprint/model.schema.json
      src/packaging/debian-packages.txt)
    cmake_path(GET file PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/weir/${folder} COMPONENT weir_program)
  endforeach()
endif()
if(TARGET weir_footprint_component)
  install(FILES ${PROJECT_SOURCE_DIR}/src/footprint/model.schema.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/weir COMPONENT weir_development)
endif()

get_target_property(library_type weir TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(WEIR_STATIC TRUE)
else()
  set(WEIR_STATIC FALSE)
endif()
# Libraries that the user of a static library must link.
set(WEIR_PC_PRIVATE)
if(WEIR_STATIC)
  set(WEIR_PC_PRIVATE "Requires.private: libjpeg libpng libwebp fmt\nLibs.private: -pthread -ldl\n")
endif()

# CMake only strips programs and shared libraries.
if(WEIR_STATIC)
  install(CODE "if(CMAKE_INSTALL_DO_STRIP)
    file(GLOB archives \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libweir*.a\")
    execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug \${archives} COMMAND_ERROR_IS_FATAL ANY)
  endif()" COMPONENT weir_development)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weirConfig.cmake.in
  ${PROJECT_BINARY_DIR}/weirConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/weirConfig.cmake ${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindOpenCVParts.cmake ${CMAKE_CURRENT_LIST_DIR}/FindWebP.cmake
  DESTINATION ${package_dir} COMPONENT weir_development)

# The path from the .pc files to the prefix is relative, so an installation can be moved or installed with --prefix.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX
  BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig OUTPUT_VARIABLE WEIR_PC_PREFIX)
foreach(pc IN LISTS pcs)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${pc}.pc.in ${PROJECT_BINARY_DIR}/${pc}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT weir_development)
endforeach()
