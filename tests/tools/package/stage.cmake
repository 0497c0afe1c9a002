# cmake -D BUILD=... -D STAGE=... -P stage.cmake: installs the developer files into an empty folder.
file(REMOVE_RECURSE ${STAGE})
foreach(component weir_runtime weir_development weir_opencv_codec weir_c)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${STAGE}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Libraries that only the program links must not concern users of the library.
file(GLOB_RECURSE promises ${STAGE}/*.cmake ${STAGE}/*.pc)
foreach(file IN LISTS promises)
  file(READ ${file} text)
  if(text MATCHES "prometheus|CLI11|toml|nlohmann")
    message(FATAL_ERROR "${file} asks for ${CMAKE_MATCH_0}")
  endif()
endforeach()

if(NOT EXISTS ${STAGE}/share/weir/model.schema.json)
  message(FATAL_ERROR "the schema of MODEL.json is not installed")
endif()
