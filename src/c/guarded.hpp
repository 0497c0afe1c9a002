#pragma once

#include <string>
#include <type_traits>

#include "base/text.hpp"
#include "weir/weir.h"

namespace weir::c {

/// A result that no exception of weir stands for: misuse of a handle, a size, a buffer.
struct Result {
  weir_code code;
  std::string text;
};

/// Puts the exception in flight into `error`, which may be null. Returns its code.
std::int32_t caught(weir_error* error) noexcept;

/// Throws Result{WEIR_MISUSE} with these parts as its text.
template <class... Parts>
[[noreturn]] void misuse(const Parts&... parts) {
  throw Result{WEIR_MISUSE, concat(parts...)};
}

/// Refuses null.
template <class Value>
Value& present(Value* given, const char* name) {
  if (!given) misuse(name, " is null");
  return *given;
}

/// Refuses a struct that is null or of another version.
template <class Struct>
Struct& checked(Struct* given, const char* name) {
  if (present(given, name).size != sizeof(Struct))
    misuse(name, ".size = ", given->size, ": must be ", sizeof(Struct),
           ", as in the header of this library");
  return *given;
}

/// Calls what a function of the interface does. The code that it returns, or WEIR_OK.
template <class Call>
std::int32_t guarded(weir_error* error, const Call& call) noexcept {
  if (error && error->size != sizeof *error) return WEIR_MISUSE;
  try {
    if constexpr (!std::is_void_v<decltype(call())>) return call();
    call();
    return WEIR_OK;
  } catch (...) {
    return caught(error);
  }
}

}  // namespace weir::c
