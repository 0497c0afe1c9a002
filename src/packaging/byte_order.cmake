# The index of shards and the digests are the memory of their numbers, and no test has run on another machine.
if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  message(FATAL_ERROR "weir needs a little-endian machine, as x86-64 and arm64 are")
endif()
