#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/process.hpp"
#include "proof/configurations/images.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Timers send SIGALRM and SIGPROF. Each alarm also sends one of the others in turn.
constexpr std::array stormy{SIGALRM, SIGPROF, SIGINT, SIGTERM, SIGPIPE};
std::array<std::atomic<int>, stormy.size()> heard{};

int heard_of(int signal) {
  return heard[static_cast<std::size_t>(std::ranges::find(stormy, signal) - stormy.begin())];
}

void on_signal(int signal) {
  const int kept = errno;
  for (std::size_t i = 0; i < stormy.size(); ++i)
    if (stormy[i] == signal) ++heard[i];
  if (signal == SIGALRM) ::kill(::getpid(), stormy[2 + static_cast<unsigned>(heard[0]) % 3]);
  errno = kept;
}

/// Sends signals to the process every millisecond of its clock and of its CPU time, without
/// SA_RESTART: every call that can return EINTR does.
class Storm {
 public:
  Storm() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    for (std::size_t i = 0; i < stormy.size(); ++i) {
      heard[i] = 0;
      ::sigaction(stormy[i], &action, &before_[i]);
    }
    const itimerval often{{0, 1000}, {0, 1000}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
    ::setitimer(ITIMER_PROF, &often, nullptr);
  }
  ~Storm() {
    const itimerval never{};
    ::setitimer(ITIMER_PROF, &never, nullptr);
    ::setitimer(ITIMER_REAL, &never, nullptr);
    for (std::size_t i = 0; i < stormy.size(); ++i) ::sigaction(stormy[i], &before_[i], nullptr);
  }
  Storm(const Storm&) = delete;
  Storm& operator=(const Storm&) = delete;

 private:
  std::array<struct sigaction, stormy.size()> before_{};
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

/// The signals that a thread blocks, in the format of proc(5).
std::string blocked(const std::filesystem::path& task) {
  std::ifstream status(task / "status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigBlk:")) return line.substr(line.find_first_not_of(" \t", 7));
  return {};
}

}  // namespace

TEST_CASE("frequent signals fail no read and weir installs no handler", "[R11]") {
  const TemporaryFolder folder;
  fill_with_images(folder.path(), 200);
  for (const std::uint32_t read_ahead : {0u, 4u}) {
    auto options = small_options();
    options.io.read_ahead = read_ahead;
    Loader calm(image_folder(folder.string()), options);
    const auto reference = drain(calm);
    const Storm storm;
    const auto before = handlers();
    // The signals hit this thread, which walks the folder and waits in next().
    while (heard_of(SIGALRM) < 50 ||
           std::ranges::any_of(stormy, [](int signal) { return heard_of(signal) < 10; })) {
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
  Loader loader(synthetic(4000, {24, 24}), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  REQUIRE(stream.next());
  int seen = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    if (others.find(task.path().filename().string() + ' ') != std::string::npos) continue;
    ++seen;
    // All except SIGKILL (9), SIGSTOP (19), and 32 and 33, which glibc reserves.
    const auto mask = std::stoull(blocked(task.path()), nullptr, 16);
    constexpr auto spared = (1ull << 8) | (1ull << 18) | (1ull << 31) | (1ull << 32);
    CHECK((mask | spared) == ~0ull);
  }
  CHECK(seen >= 3 + 2 + 2);  // workers, readers, the strand, the tuner
}
