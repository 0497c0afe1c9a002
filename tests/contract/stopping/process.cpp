#include "contract/stopping/process.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#ifdef WEIR_COUNTS_HEAP
#include "support/allocations.hpp"
#endif

namespace weir::test {

namespace {

int entries(const char* folder) {
  const std::filesystem::directory_iterator all(folder);
  return static_cast<int>(std::distance(begin(all), end(all)));
}

}  // namespace

Holdings holdings() {
  // A sanitizer starts a thread of its own with the first thread of the program.
  static const bool first_started = [] {
    std::thread([] {}).join();
    return true;
  }();
  static_cast<void>(first_started);
  Holdings now;
  now.threads = entries("/proc/self/task");
  now.descriptors = entries("/proc/self/fd");
#ifdef WEIR_COUNTS_HEAP
  now.heap = held_bytes();
#endif
  return now;
}

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

bool asleep(pid_t thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto state = text.rfind(") ");  // proc(5): the name before it may contain anything
  return state != text.npos && state + 2 < text.size() && text[state + 2] == 'S';
}

bool others_asleep() {
  const auto own = std::to_string(this_thread());
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto thread = entry.path().filename().string();
    if (thread != own && !asleep(static_cast<pid_t>(std::stol(thread)))) return false;
  }
  return true;
}

void until(const std::function<bool()>& holds, const std::string& what) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > give_up) {
      std::fprintf(stderr, "waited a minute in vain: %s\n", what.c_str());
      std::abort();
    }
    std::this_thread::yield();
  }
}

}  // namespace weir::test
