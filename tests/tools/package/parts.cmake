# cmake -D SOURCE=... -D FOLDER=... -D GENERATOR=... -D CXX=... -D HIGHWAY=... -D PREFIX=... -P parts.cmake: builds of some layers, and of the
# loader alone, are configured. One folder for all, because finding a compiler takes longest.
file(REMOVE_RECURSE ${FOLDER})
function(configure ONLY ALONE TESTS)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER} -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${CXX} -DWEIR_HIGHWAY=${HIGHWAY}
                          "-DCMAKE_PREFIX_PATH=${PREFIX}" -DWEIR_BUILD_CLI=OFF
                          "-DWEIR_ONLY=${ONLY}" -DWEIR_LOADER_ALONE=${ALONE} -DWEIR_BUILD_TESTS=${TESTS}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
configure("base" OFF ON)
configure("base;books;buffer" OFF ON)
configure("base;footprint" OFF ON)
configure("" ON OFF)
