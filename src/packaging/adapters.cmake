# Headers of include/weir/interop that need another library. Each is an interface library weir::NAME and a CMake
# component of that name. weir builds without the other library. Only a project that uses the adapter must find it.

# weir_adapter(NAME [HEADERS names...] TARGETS targets...): declares the adapter of interop/NAME.hpp and of HEADERS.
function(weir_adapter NAME)
  cmake_parse_arguments(ARG "" "" "HEADERS;TARGETS" ${ARGN})
  set(headers ${NAME} ${ARG_HEADERS})
  list(TRANSFORM headers REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/include/weir/interop/\\1.hpp")
  add_library(weir_${NAME} INTERFACE)
  add_library(weir::${NAME} ALIAS weir_${NAME})
  set_target_properties(weir_${NAME} PROPERTIES EXPORT_NAME ${NAME})
  weir_headers(weir_${NAME} INTERFACE HEADERS ${PROJECT_SOURCE_DIR}/include ${headers})
  target_link_libraries(weir_${NAME} INTERFACE weir ${ARG_TARGETS})
  if(PROJECT_IS_TOP_LEVEL)
    install(TARGETS weir_${NAME} EXPORT weir_${NAME}_targets ${weir_install_headers})
    install(EXPORT weir_${NAME}_targets FILE weir_${NAME}.cmake NAMESPACE weir::
      DESTINATION ${package_dir} COMPONENT weir_development)
  endif()
  # The tests compile the adapters whose libraries are found here.
  set(ready TRUE)
  foreach(target IN LISTS ARG_TARGETS)
    if(NOT TARGET ${target})
      set(ready FALSE)
      message(STATUS "weir::${NAME} is not tested: ${target} is missing")
    endif()
  endforeach()
  if(ready)
    set_property(GLOBAL APPEND PROPERTY WEIR_ADAPTERS ${NAME})
    set_target_properties(weir_${NAME} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ${PROJECT_IS_TOP_LEVEL})
  endif()
endfunction()

weir_adapter(asio TARGETS Boost::headers Threads::Threads)
weir_adapter(cuda)  # it needs no library, because the driver is loaded at run time
weir_adapter(dlpack TARGETS dlpack::dlpack)
weir_adapter(mpi HEADERS mpi_figures TARGETS MPI::MPI_CXX)
weir_adapter(opencv TARGETS OpenCVParts::core)
weir_adapter(torch HEADERS torch_device torch_stream TARGETS torch)  # the name that libtorch itself uses
