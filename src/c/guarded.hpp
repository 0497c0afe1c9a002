#pragma once

#include <string>

#include "weir/weir.h"

namespace weir::c {

/// A result that no exception of weir stands for: misuse of a handle, a size, a buffer.
struct Result {
  weir_code code;
  std::string text;
};

/// Puts the exception in flight into `error`, which may be null. Returns its code.
std::int32_t caught(weir_error* error) noexcept;
/// Whether `error` is null or has the size that this library knows.
bool is_usable(const weir_error* error) noexcept;

/// Throws Result{WEIR_MISUSE}.
[[noreturn]] void misuse(const std::string& text);

/// Refuses a struct that is null or of another version.
template <class Struct>
Struct& checked(Struct* given, const char* name) {
  if (!given) misuse(std::string(name) + " is null");
  if (given->size != sizeof(Struct))
    misuse(std::string(name) + ".size = " + std::to_string(given->size) + ": must be " +
           std::to_string(sizeof(Struct)) + ", as in the header of this library");
  return *given;
}

/// Refuses null.
template <class Value>
Value& present(Value* given, const char* name) {
  if (!given) misuse(std::string(name) + " is null");
  return *given;
}

/// Calls what a function of the interface does. Its code, if it returns one.
template <class Call>
std::int32_t guarded(weir_error* error, const Call& call) noexcept {
  if (!is_usable(error)) return WEIR_MISUSE;
  try {
    return call();
  } catch (...) {
    return caught(error);
  }
}

}  // namespace weir::c
