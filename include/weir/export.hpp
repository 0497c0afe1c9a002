#pragma once

#if __cplusplus < 202002L
// A missing file ends the compilation. The errors that would follow, about std::span, say nothing more.
#define WEIR_STOP "weir needs C++20: compile with -std=c++20, or set CMAKE_CXX_STANDARD to 20"
#include WEIR_STOP
#endif

/// \file
/// \def WEIR_API
/// On what a shared libweir shows to its users. All else is compiled hidden (-fvisibility=hidden), and
/// tests/tools/package fails where the two differ. Types of which all is in the header need it only where they
/// are thrown, or name an instance of a template that is in the library.
#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif
