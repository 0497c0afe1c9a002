# The layers in include order. A layer may include itself and the layers before it. Layers joined by | may not include
# each other. tests/tools/architecture reads this file and every #include.
set(WEIR_LAYERS base books buffer "source|codec|convert" conductor options plan advice report engine "api|footprint|shards" data c "observe|pack" findings cli)

# The public headers of each layer.
set(WEIR_PUBLIC_base error.hpp export.hpp image.hpp random.hpp rows.hpp version.hpp)
set(WEIR_PUBLIC_books ledger.hpp memory.hpp)
set(WEIR_PUBLIC_buffer "")
set(WEIR_PUBLIC_source order.hpp source.hpp)
set(WEIR_PUBLIC_codec codec.hpp transform.hpp interop/opencv_codec.hpp)
set(WEIR_PUBLIC_convert convert.hpp)
set(WEIR_PUBLIC_conductor "")
set(WEIR_PUBLIC_options options.hpp)
set(WEIR_PUBLIC_plan plan.hpp)
set(WEIR_PUBLIC_advice report.hpp advice.hpp)
set(WEIR_PUBLIC_report profile.hpp)
set(WEIR_PUBLIC_engine "")
set(WEIR_PUBLIC_footprint footprint.hpp)
set(WEIR_PUBLIC_shards shards.hpp)
set(WEIR_PUBLIC_data "")
set(WEIR_PUBLIC_observe "")
set(WEIR_PUBLIC_findings "")
set(WEIR_PUBLIC_c weir.h c.hpp)
set(WEIR_PUBLIC_pack "")
set(WEIR_PUBLIC_api batch.hpp loader.hpp probe.hpp stream.hpp weir.hpp interop/lease.hpp
    interop/asio.hpp interop/cuda.hpp interop/dlpack.hpp interop/mpi.hpp interop/mpi_figures.hpp interop/opencv.hpp
    interop/torch.hpp interop/torch_device.hpp interop/torch_stream.hpp)
# Public headers that need a library which weir itself does not need: see packaging/adapters.cmake.
set(WEIR_ADAPTERS interop/asio.hpp interop/cuda.hpp interop/dlpack.hpp interop/mpi.hpp interop/mpi_figures.hpp interop/opencv.hpp
    interop/torch.hpp interop/torch_device.hpp interop/torch_stream.hpp)

# What is compiled of base/machine.
set(WEIR_MACHINE_SOURCES cgroups.cpp cpu_room.cpp cpu_watch.cpp memory_room.cpp pages.cpp process_id.cpp thread_cpus.cpp vector_sets.cpp)
set(weir_cpus cgroups.cpp cpu_room.cpp)
if(WEIR_MACHINE STREQUAL "unknown")
  set(WEIR_MACHINE_SOURCES unknown.cpp)
  set(weir_cpus unknown.cpp)
endif()

# A shared weir hides these sources, so components that use them compile copies. Never base/error.cpp: codes of two
# categories are not equal.
set(WEIR_COPIED_footprint base/file_descriptor.cpp base/sanitize.cpp base/terms.cpp base/text_file.cpp)
list(TRANSFORM weir_cpus PREPEND base/machine/)
set(WEIR_COPIED_shards ${weir_cpus} base/checksum.cpp base/directory.cpp base/file_descriptor.cpp base/new_file.cpp base/sanitize.cpp
    base/text_file.cpp source/extension.cpp source/name_table.cpp source/plane_names.cpp)

# Third parties are limited to some layers: include prefix = layers that may use it.
set(WEIR_FENCE "boost/asio=observe" "boost/beast=observe" "opencv2/=codec" "Random123/=base" "jpeglib.h=codec,source"
    "jerror.h=codec,source" "png.h=codec" "webp/=codec" "nlohmann/=report,footprint,shards,findings,cli" "fmt/=report,observe,findings,cli"
    "prometheus/=observe"
    "CLI/=cli" "toml++/=cli" "openssl/=observe" "ext/=cli" "hwy/=base,codec,convert" "dlfcn.h=buffer" "xxhash.h=base"
    "archive.h=shards" "archive_entry.h=shards" "mpi.h=cli")

# weir_headers(TARGET SCOPE SET BASE files...): public headers of TARGET, below the folder BASE. CMake 3.22 has no header sets,
# so it installs the files.
function(weir_headers TARGET SCOPE SET BASE)
  if(WEIR_FILE_SETS)
    target_sources(${TARGET} ${SCOPE} FILE_SET ${SET} TYPE HEADERS BASE_DIRS ${BASE} FILES ${ARGN})
    return()
  endif()
  target_include_directories(${TARGET} ${SCOPE} $<BUILD_INTERFACE:${BASE}> $<INSTALL_INTERFACE:include>)
  if(PROJECT_IS_TOP_LEVEL)
    foreach(header IN LISTS ARGN)
      cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${BASE} OUTPUT_VARIABLE folder)
      cmake_path(GET folder PARENT_PATH folder)
      install(FILES ${header} DESTINATION include/${folder} COMPONENT weir_development)
    endforeach()
  endif()
endfunction()

# A shared library must only export symbols that WEIR_API marks.
function(weir_hide_symbols TARGET)
  set_target_properties(${TARGET} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# weir_copy_hidden(TARGET COMPONENT): TARGET compiles the copies that COMPONENT needs beside a shared weir.
function(weir_copy_hidden TARGET COMPONENT)
  list(TRANSFORM WEIR_COPIED_${COMPONENT} PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE sources)
  weir_hide_symbols(${TARGET})
  target_sources(${TARGET} PRIVATE ${sources})
  target_include_directories(${TARGET} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${TARGET} SYSTEM PRIVATE ${WEIR_XXHASH})
endfunction()

# For code that runs once a command, not once a sample: at -O1 it compiles in two thirds of the time, and without
# optimisation, as in tests, in two thirds of that. A sanitizer makes it too slow for that. Not for a layer of the
# library: a linker may take a function of a header, which several objects have, from this one.
function(weir_compile_quickly TARGET)
  target_compile_options(${TARGET} PRIVATE $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
  if(NOT CMAKE_CXX_FLAGS_DEBUG MATCHES "-fsanitize")
    target_compile_options(${TARGET} PRIVATE ${WEIR_TEST_OPTIONS})
  endif()
endfunction()

# weir_layer(NAME sources... [APART sources...] [LAYERS lower...] [LIBRARIES third-party...])
# Makes one library per layer, so the tests of a lower layer do not compile a higher one. APART: sources that
# WEIR_JOIN_SOURCES must not join, because they reuse a name of another file with a different meaning.
function(weir_layer NAME)
  cmake_parse_arguments(ARG "" "" "APART;LAYERS;LIBRARIES" ${ARGN})
  add_library(weir_${NAME} STATIC ${ARG_UNPARSED_ARGUMENTS} ${ARG_APART})
  target_include_directories(weir_${NAME} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src
                             ${PROJECT_BINARY_DIR}/generated)
  target_compile_features(weir_${NAME} PUBLIC cxx_std_20)
  weir_hide_symbols(weir_${NAME})
  target_link_libraries(weir_${NAME} PRIVATE weir_warnings)
  if(WEIR_JOIN_SOURCES)
    # 0: all together, because most of the time of each goes into headers.
    set_target_properties(weir_${NAME} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    set_property(SOURCE ${ARG_APART} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  foreach(layer IN LISTS ARG_LAYERS)
    target_link_libraries(weir_${NAME} PUBLIC weir_${layer})
  endforeach()
  target_link_libraries(weir_${NAME} PUBLIC ${ARG_LIBRARIES})
endfunction()

# weir_join_layers(FIRST layers...): compiles the sources of these layers with those of FIRST, because each layer would parse the
# same headers. Each layer stays a library that others link. For a build as a whole: a change compiles all of them again.
function(weir_join_layers FIRST)
  set(empty ${PROJECT_BINARY_DIR}/joined_layer.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "// The sources of this layer are compiled with those of another.\n")
  foreach(layer IN LISTS ARGN)
    if(NOT (TARGET weir_${FIRST} AND TARGET weir_${layer}))
      continue()
    endif()
    set(apart ${empty})
    get_target_property(folder weir_${layer} SOURCE_DIR)
    get_target_property(sources weir_${layer} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
      get_source_file_property(is_apart ${source} TARGET_DIRECTORY weir_${layer} SKIP_UNITY_BUILD_INCLUSION)
      if(is_apart)
        list(APPEND apart ${source})
      else()
        target_sources(weir_${FIRST} PRIVATE ${source})
      endif()
    endforeach()
    set_property(TARGET weir_${layer} PROPERTY SOURCES ${apart})
    get_target_property(definitions weir_${layer} COMPILE_DEFINITIONS)
    if(definitions)
      target_compile_definitions(weir_${FIRST} PRIVATE ${definitions})
    endif()
    target_link_libraries(weir_${FIRST} PUBLIC weir_${layer})
    target_link_libraries(weir_${layer} PUBLIC weir_${FIRST})
  endforeach()
endfunction()
