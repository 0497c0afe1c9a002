# Highway 1.0.3 has RearrangeToOddPlusEven. Ubuntu 22.04 has version 0.16. From 1.2 on the version is in base.h.
file(STRINGS ${WEIR_HIGHWAY}/hwy/highway.h highway REGEX "define HWY_(MAJOR|MINOR|PATCH) ")
if(NOT highway)
  file(STRINGS ${WEIR_HIGHWAY}/hwy/base.h highway REGEX "define HWY_(MAJOR|MINOR|PATCH) ")
endif()
string(REGEX MATCHALL "[0-9]+" highway "${highway}")
list(JOIN highway "." highway)
if(highway VERSION_LESS 1.0.3)
  message(FATAL_ERROR "weir needs Highway 1.0.3 or newer, and ${WEIR_HIGHWAY} has ${highway}. Only its headers are used: get "
    "github.com/google/highway and set WEIR_HIGHWAY to its folder")
endif()
