#pragma once

/// \cond
#if __cplusplus < 202002L
// A missing include file stops the compilation here. The later errors about std::span would not
// help.
#define WEIR_STOP "weir needs C++20: compile with -std=c++20, or set CMAKE_CXX_STANDARD to 20"
#include WEIR_STOP
#endif
/// \endcond

/// \file
/// \def WEIR_API
/// Marks the symbols that a shared libweir exports. All other symbols are hidden
/// (-fvisibility=hidden), and tests/tools/package compares the two sets. A type that is defined in
/// the header alone needs the mark only if it is thrown or if the library instantiates a template
/// with it.
#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif
