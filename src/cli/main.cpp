#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/commands.hpp"

namespace {

const std::terminate_handler usual = std::get_terminate();

/// nlohmann's JSON wants memory for its end (json_value::destroy), and no destructor can throw.
[[noreturn]] void end_in_words() {
  if (const auto error = std::current_exception()) {
    try {
      std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
      std::fputs("weir: out of memory\n", stderr);
      std::_Exit(weir::cli::failed_exit);
    } catch (...) {
      // Not for us.
    }
  }
  usual();
  std::abort();
}

/// Descriptors 0 to 2 that are closed would be the next files and sockets to be opened, and get what
/// is meant for stdout and stderr. What stands there instead fails as a closed one does.
void hold_standard_descriptors() {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file)
    if (fcntl(file, F_GETFD) < 0)
      static_cast<void>(open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace

int main(int argc, char* argv[]) {
  hold_standard_descriptors();
  std::set_terminate(end_in_words);
  return weir::cli::program({argv + 1, argv + argc});
}
