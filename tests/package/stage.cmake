# cmake -D BUILD=... -D STAGE=... -P stage.cmake: installs what a developer gets, from nothing.
file(REMOVE_RECURSE ${STAGE})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component weir_development
                        --prefix ${STAGE}
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component weir_runtime --prefix ${STAGE}
                COMMAND_ERROR_IS_FATAL ANY)
