#include "proof/injection/failing.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>

namespace weir::test {
namespace {

constinit std::atomic<Call> armed{Call::none};
constinit std::atomic<bool> paused{false};
constinit std::atomic<std::uint64_t> calls{0}, nth{0}, step{0};
constinit std::atomic<int> error{0};

/// The C library's function that this program's own function replaces.
template <class Function>
Function* next(const char* name) noexcept {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

void arm(const Failure& failure) noexcept {
  nth = failure.nth;
  step = failure.step;
  error = failure.error;
  calls = 0;
  paused = false;
  armed = failure.call;
}

std::uint64_t disarm() noexcept {
  armed = Call::none;
  return calls;
}

Pause::Pause() noexcept { paused = true; }
Pause::~Pause() { paused = false; }

bool detail::fails(Call call) noexcept {
  if (armed.load() != call || paused.load()) return false;
  const auto now = ++calls;
  if (now < nth || (now > nth && (step == 0 || (now - nth) % step != 0))) return false;
  errno = error;
  return true;
}

}  // namespace weir::test

using weir::test::Call;
using weir::test::next;
using weir::test::detail::fails;

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) noexcept {
  static auto* const real = next<decltype(pthread_create)>("pthread_create");
  if (fails(Call::thread)) return errno;
  return real(thread, attributes, body, argument);
}

int openat(int directory, const char* path, int flags, ...) {
  static auto* const real = next<int(int, const char*, int, ...)>("openat");
  std::va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(Call::open) ? -1 : real(directory, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  static auto* const real = next<int(const char*, int, ...)>("open");
  std::va_list rest;
  va_start(rest, flags);
  const auto mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return fails(Call::open) ? -1 : real(path, flags, mode);
}

// openat2 has no function in the C library. Reads six arguments of calls that have fewer, which AddressSanitizer reports.
[[gnu::no_sanitize_address]] long syscall(long number, ...) noexcept {
  static auto* const real = next<long(long, ...)>("syscall");
  std::array<long, 6> a{};
  std::va_list rest;
  va_start(rest, number);
  for (auto& argument : a) argument = va_arg(rest, long);
  va_end(rest);
  if (number == SYS_openat2 && fails(Call::open)) return -1;
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int fstat(int file, struct stat* status) noexcept {
  static auto* const real = next<int(int, struct stat*)>("fstat");
  return fails(Call::stat) ? -1 : real(file, status);
}

int fstatat(int directory, const char* path, struct stat* status, int flags) noexcept {
  static auto* const real = next<int(int, const char*, struct stat*, int)>("fstatat");
  return fails(Call::stat) ? -1 : real(directory, path, status, flags);
}

struct dirent* readdir(DIR* stream) {
  static auto* const real = next<dirent*(DIR*)>("readdir");
  return fails(Call::list) ? nullptr : real(stream);
}

ssize_t read(int file, void* buffer, std::size_t count) {
  static auto* const real = next<ssize_t(int, void*, std::size_t)>("read");
  if (!fails(Call::read)) return real(file, buffer, count);
  return errno == 0 ? real(file, buffer, count > 0 ? 1 : 0) : -1;
}

ssize_t pread(int file, void* buffer, std::size_t count, off_t offset) {
  static auto* const real = next<ssize_t(int, void*, std::size_t, off_t)>("pread");
  if (!fails(Call::read)) return real(file, buffer, count, offset);
  return errno == 0 ? real(file, buffer, count > 0 ? 1 : 0, offset) : -1;
}

ssize_t write(int file, const void* buffer, std::size_t count) {
  static auto* const real = next<ssize_t(int, const void*, std::size_t)>("write");
  if (!fails(Call::write)) return real(file, buffer, count);
  return errno == 0 ? real(file, buffer, count > 0 ? 1 : 0) : -1;
}

// The disk of the tests need not keep the files.
int fsync(int) { return fails(Call::sync) ? -1 : 0; }

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return fails(Call::rename) ? -1 : real(from, to);
}
}
