#include "c/guarded.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "weir/error.hpp"

namespace weir::c {
namespace {

/// Cuts what does not fit, between two characters of UTF-8.
template <std::size_t room>
void put(std::string_view text, char (&to)[room]) noexcept {
  auto bytes = std::min(text.size(), room - 1);
  if (bytes < text.size())
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  std::memcpy(to, text.data(), bytes);
  to[bytes] = 0;
}

std::int32_t put(weir_error* error, weir_code code, std::string_view text,
                 const OptionProblem& problem = {}) noexcept {
  if (!error) return code;
  error->code = code;
  put(text, error->text);
  put(problem.option, error->option);
  put(problem.value, error->value);
  put(problem.bound, error->bound);
  put(problem.way_out, error->way_out);
  return code;
}

}  // namespace

std::int32_t caught(weir_error* error) noexcept {
  try {
    throw;
  } catch (const Result& e) {
    return put(error, e.code, e.text);
  } catch (const Error& e) {
    const auto code = static_cast<weir_code>(e.code().value());
    return e.problem() ? put(error, code, e.what(), *e.problem()) : put(error, code, e.what());
  } catch (const std::invalid_argument& e) {
    return put(error, WEIR_BAD_OPTIONS, e.what());
  } catch (const std::bad_alloc&) {
    return put(error, WEIR_NO_MEMORY, "the system has no memory");
  } catch (const std::system_error& e) {
    return put(error, WEIR_SYSTEM, e.what());
  } catch (const std::exception& e) {
    return put(error, WEIR_OTHER, e.what());
  } catch (...) {
    return put(error, WEIR_OTHER, "an exception of an unknown type");
  }
}

}  // namespace weir::c
