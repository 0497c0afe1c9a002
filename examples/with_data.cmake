# cmake -D PROGRAM=… -D "FOLDERS=…" -D "OPTIONS=…" -P with_data.cmake: runs a program with folders of WEIR_TEST_DATA if it
# has them.
separate_arguments(folders UNIX_COMMAND "${FOLDERS}")
separate_arguments(options UNIX_COMMAND "${OPTIONS}")
set(paths)
foreach(folder IN LISTS folders)
  set(path "$ENV{WEIR_TEST_DATA}/${folder}")
  if("$ENV{WEIR_TEST_DATA}" STREQUAL "" OR NOT IS_DIRECTORY ${path})
    message("WEIR_TEST_DATA has no ${folder}: skipped")
    return()
  endif()
  list(APPEND paths ${path})
endforeach()
execute_process(COMMAND ${PROGRAM} ${paths} ${options} COMMAND_ERROR_IS_FATAL ANY)
