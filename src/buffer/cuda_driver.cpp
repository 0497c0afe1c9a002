#include "buffer/cuda_driver.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "base/text.hpp"

namespace weir::cuda {
Driver::Driver(const char* library) : library_(dlopen(library, RTLD_NOW | RTLD_LOCAL)) {}

Driver::Symbol Driver::find(const char* name) const {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): glibc has an error for each thread
  if (!library_) throw std::runtime_error(concat("no CUDA driver: ", dlerror()));
  if (void* const address = dlsym(library_, name)) return {address};
  throw std::runtime_error(concat("CUDA's driver has no ", name, ": it is too old"));
}

std::string Driver::failure(const char* call, Result error) const {
  const char *name = nullptr, *text = nullptr;
  if (GetErrorName(error, &name) != success) name = "an unknown error";
  if (GetErrorString(error, &text) != success) text = "no description";
  return concat(call, ": ", name, " (", error, "): ", text);
}

const Driver& driver() {
  static const Driver machine("libcuda.so.1");
  return machine;
}

}  // namespace weir::cuda
