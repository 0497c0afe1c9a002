# Builds and runs SOURCE with the flags of MODULE.pc and no others.
file(GLOB_RECURSE pc ${STAGE}/*/${MODULE}.pc)
cmake_path(GET pc PARENT_PATH folder)
set(ENV{PKG_CONFIG_PATH} ${folder}:$ENV{PKG_CONFIG_PATH})
execute_process(COMMAND ${PKG_CONFIG} --static --cflags --libs ${MODULE}
                OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
separate_arguments(own_flags UNIX_COMMAND "${CXX_FLAGS}")
execute_process(COMMAND ${CXX} -std=c++20 ${own_flags} ${SOURCE} -o ${PROGRAM} ${flags}
                COMMAND_ERROR_IS_FATAL ANY)
cmake_path(GET folder PARENT_PATH libraries)
set(ENV{LD_LIBRARY_PATH} ${libraries})
execute_process(COMMAND ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
