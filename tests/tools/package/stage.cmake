# cmake -D BUILD=... -D STAGE=... -P stage.cmake: installs what a developer gets, from nothing.
file(REMOVE_RECURSE ${STAGE})
foreach(component weir_runtime weir_development weir_opencv_codec)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${STAGE}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# What the program alone links is no matter of the library's users.
file(GLOB_RECURSE promises ${STAGE}/*.cmake ${STAGE}/*.pc)
foreach(file IN LISTS promises)
  file(READ ${file} text)
  if(text MATCHES "prometheus|CLI11|nlohmann")
    message(FATAL_ERROR "${file} asks for ${CMAKE_MATCH_0}")
  endif()
endforeach()

if(NOT EXISTS ${STAGE}/share/weir/model.schema.json)
  message(FATAL_ERROR "the schema of MODEL.json is not installed")
endif()
