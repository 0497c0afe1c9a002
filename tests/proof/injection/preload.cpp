// LD_PRELOAD: a program whose memory runs out within main(). WEIR_FAIL_NTH=N: the Nth allocation
// fails; WEIR_FAIL_STEP=1: and all after it. WEIR_FAIL_COUNT=FILE: the number of allocations.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "proof/injection/failing.hpp"

namespace {

using Main = int (*)(int, char**, char**);
Main own_main = nullptr;

std::uint64_t number(const char* name) noexcept {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

int failing_main(int count, char** arguments, char** environment) {
  using namespace weir::test;
  const auto nth = number("WEIR_FAIL_NTH");
  arm({.call = Call::allocate,
       .nth = nth > 0 ? nth : UINT64_MAX,
       .step = number("WEIR_FAIL_STEP"),
       .error = ENOMEM});
  const int code = own_main(count, arguments, environment);
  const auto calls = disarm();
  if (const char* const path = std::getenv("WEIR_FAIL_COUNT")) {
    std::array<char, 32> text{};
    const int length =
        std::snprintf(text.data(), text.size(), "%llu", static_cast<unsigned long long>(calls));
    const int file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (::write(file, text.data(), static_cast<std::size_t>(length)) != length) return 99;
    ::close(file);
  }
  return code;
}

}  // namespace

extern "C" int __libc_start_main(Main main, int count, char** arguments, void (*init)(),
                                 void (*finish)(), void (*loader_finish)(), void* stack_end) {
  using Start = int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  own_main = main;
  auto* const real = reinterpret_cast<Start*>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(failing_main, count, arguments, init, finish, loader_finish, stack_end);
}
