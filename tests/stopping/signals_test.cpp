#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "laws/fixture.hpp"
#include "proof/images.hpp"
#include "stopping/process.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

std::atomic<int> alarms{0};
void on_alarm(int) { ++alarms; }

/// A signal a millisecond for the process, without SA_RESTART: every call that can say EINTR does.
class Storm {
 public:
  Storm() {
    struct sigaction action {};
    action.sa_handler = on_alarm;
    ::sigaction(SIGALRM, &action, &before_);
    const itimerval often{{0, 1000}, {0, 1000}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~Storm() {
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before_, nullptr);
  }
  Storm(const Storm&) = delete;
  Storm& operator=(const Storm&) = delete;

 private:
  struct sigaction before_ {};
};

std::map<int, void*> handlers() {
  std::map<int, void*> all;
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0) continue;
    void* handler = nullptr;
    std::memcpy(&handler, &action.sa_handler, sizeof handler);
    all[signal] = handler;
  }
  return all;
}

/// The signals that a thread blocks, as proc(5) says them.
std::string blocked(const std::filesystem::path& task) {
  std::ifstream status(task / "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:")) return line.substr(line.find_first_not_of(" \t", 7));
  return {};
}

}  // namespace

TEST_CASE("a signal a millisecond changes nothing: no read fails, no handler is weir's", "[R11]") {
  const TemporaryFolder folder;
  fill_with_images(folder.path(), 200);
  for (const std::uint32_t read_ahead : {0u, 4u}) {
    auto options = small_options();
    options.io.read_ahead = read_ahead;
    Loader calm(image_folder(folder.string()), options);
    const auto reference = drain(calm);
    alarms = 0;
    const Storm storm;
    const auto before = handlers();
    // The walk of the folder and all of next()'s waiting are on the thread that the signals hit.
    while (alarms < 50) {
      Loader loader(image_folder(folder.string()), options);
      CHECK(drain(loader) == reference);
      CHECK(loader.snapshot().samples.failed == 0);
    }
    CHECK(handlers() == before);
  }
}

TEST_CASE("weir's threads block every signal that can be blocked", "[R11]") {
  std::string others;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    others += task.path().filename().string() + ' ';
  auto options = small_options();
  options.io.read_ahead = 2;
  options.tuning.mode = Tuning::automatic;
  options.watchdog.after = std::chrono::hours(1);
  Loader loader(synthetic(4000, {24, 24, 3}), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  REQUIRE(stream.next());
  int seen = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (others.find(task.path().filename().string() + ' ') != std::string::npos) continue;
    ++seen;
    // All but SIGKILL (9), SIGSTOP (19) and 32, 33, which glibc keeps for itself.
    const auto mask = std::stoull(blocked(task.path()), nullptr, 16);
    constexpr auto spared = (1ull << 8) | (1ull << 18) | (1ull << 31) | (1ull << 32);
    CHECK((mask | spared) == ~0ull);
  }
  CHECK(seen >= 3 + 2 + 2);  // workers, readers, the strand, the tuner
}
