# cmake -D PROGRAM=… -D "OPTIONS=…" -P learns_cifar.cmake: trains on CIFAR-10 if it is available.
set(data "$ENV{WEIR_TEST_DATA}/cifar10")
if("$ENV{WEIR_TEST_DATA}" STREQUAL "" OR NOT IS_DIRECTORY ${data})
  message("WEIR_TEST_DATA has no cifar10: skipped")
  return()
endif()
separate_arguments(options UNIX_COMMAND "${OPTIONS}")
execute_process(COMMAND ${PROGRAM} ${data}/train ${data}/test ${options} COMMAND_ERROR_IS_FATAL ANY)
