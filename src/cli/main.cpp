#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/program.hpp"

namespace {

const std::terminate_handler usual = std::get_terminate();

/// nlohmann's JSON allocates in its destructor (json_value::destroy). A failure there calls
/// std::terminate, because a destructor cannot throw.
[[noreturn]] void end_in_words() {
  if (const auto error = std::current_exception()) {
    try {
      std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
      std::fputs("weir: out of memory\n", stderr);
      std::_Exit(weir::cli::failed_exit);
    } catch (...) {
      // Only std::bad_alloc has a message here.
    }
  }
  usual();
  std::abort();
}

/// If descriptors 0 to 2 are closed, the next opened file or socket gets their numbers and receives
/// the output of stdout and stderr. This function opens /dev/null there, in a mode that fails like a
/// closed descriptor.
void hold_standard_descriptors() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file)
    if (fcntl(file, F_GETFD) < 0)
      static_cast<void>(open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace

int main(int argc, char* argv[]) {
  hold_standard_descriptors();
  std::set_terminate(end_in_words);
  // A write beyond `ulimit -f` then fails with EFBIG, and the file is named.
  std::signal(SIGXFSZ, SIG_IGN);
  return weir::cli::program({argv + 1, argv + argc});
}
