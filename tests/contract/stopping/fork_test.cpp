#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/process.hpp"
#include "proof/configurations/images.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// The exit code of a child that runs `body`; -1 if it does not end within half a minute.
int in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  for (int i = 0; i < 3000; ++i) {
    if (::waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return -1;
}

template <class Call>
bool refused(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() == Errc::bad_options &&
           std::string(error.what()).find("fork()") != std::string::npos;
  }
  return false;
}

/// The targets of descriptors, by number.
using Descriptors = std::map<int, std::string>;

/// Descriptors of this process. They may change during the call.
Descriptors own() {
  Descriptors all;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto to = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone) all[std::stoi(entry.path().filename())] = to.string();
  }
  return all;
}

std::ptrdiff_t count_under(const TemporaryFolder& folder, const Descriptors& descriptors) {
  return std::ranges::count_if(descriptors, [root = folder.string()](const auto& descriptor) {
    return descriptor.second.starts_with(root);
  });
}

/// Descriptors that a new program inherits, except 0, 1, 2 and the folder that it lists.
Descriptors inherited() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execl("/bin/ls", "ls", "-l", "/proc/self/fd", nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string listing;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(ends[0], buffer.data(), buffer.size())) > 0;)
    listing.append(buffer.data(), static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  INFO(listing);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);

  Descriptors all;
  const auto its_own = "/proc/" + std::to_string(child) + "/fd";
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    const auto arrow = line.find(" -> ");
    if (arrow == std::string::npos) continue;
    const int number = std::stoi(line.substr(line.rfind(' ', arrow - 1)));
    const auto to = line.substr(arrow + 4);
    if (number > STDERR_FILENO && to != its_own) all[number] = to;
  }
  CHECK(listing.find("1 -> pipe:") != std::string::npos);
  return all;
}

}  // namespace

TEST_CASE("a forked child cannot use a loader but can destroy it", "[R10]") {
  auto options = small_options();
  options.queue.max_leases = 2;
  // In later epochs, a fork meets workers that pin cached samples and copy or decode from them.
  const auto [keep, shared] = GENERATE(table<Cache, bool>({{Cache::nothing, false},
                                                           {Cache::encoded, false},
                                                           {Cache::decoded, false},
                                                           {Cache::encoded, true}}));
  options.cache.keep = keep;
  auto ledger_of_store = std::make_shared<MemoryLedger>(std::nullopt);
  auto store = shared ? std::make_shared<CacheStore>(ledger_of_store, 1 << 20) : nullptr;
  auto idle = shared ? std::make_shared<CacheStore>(ledger_of_store, 1 << 20) : nullptr;
  if (shared) options.memory.ledger = ledger_of_store;
  options.cache.shared = store;
  if (keep != Cache::nothing && !shared) options.cache.max_bytes = 1 << 20;
  CAPTURE(to_string(options.cache.keep));
  const StreamOptions epochs{.epochs = 10};
  auto loader = std::make_unique<Loader>(synthetic(400, {24, 24}), options);
  Loader reference(synthetic(400, {24, 24}), options);
  auto charge = loader->ledger().try_charge(Account::cache, 1);
  Log log;
  {
    auto stream = std::make_unique<Stream>(loader->stream(epochs));
    // A third of the batches: after the first epoch, when the cache is full.
    for (int i = 0; i < 300; ++i) log.add(*stream->next());
    auto held = stream->next();
    log.add(*held);
    // At any moment of a busy loader. The child must not need anything that the loader's threads hold.
    for (int i = 0; i < (sanitized ? 5 : 20); ++i) {
      const int code = in_child([&] {
        if (!refused([&] { (void)stream->next(); })) return 1;
        if (!refused([&] { (void)stream->next(std::chrono::seconds(1)); })) return 2;
        if (!refused([&] { (void)stream->try_next(); })) return 3;
        if (!refused([&] { stream->settle(); })) return 4;
        if (!refused([&] { (void)stream->progress(); })) return 5;
        if (!refused([&] { (void)loader->stream(); })) return 6;
        if (!refused([&] { (void)loader->snapshot(); })) return 7;
        if (!refused([&] { (void)loader->report(); })) return 8;
        if (!stream->finished()) return 9;
        auto& ledger = loader->ledger();
        if (!refused([&] { (void)ledger.snapshot(); })) return 10;
        if (!refused([&] { (void)ledger.leases(); })) return 11;
        if (!refused([&] { (void)ledger.promised(); })) return 12;
        if (!refused([&] { (void)ledger.try_charge(Account::cache, 1); })) return 13;
        if (ledger.postings() != 0 || ledger.budget()) return 14;
        ledger.reset_peak();
        charge->transfer(Account::index);
        if (charge->try_grow(2)) return 15;
        charge.reset();
        stream->cancel();
        held.reset();
        stream.reset();
        loader.reset();
        if (store && store->stats().bytes != 0) return 16;
        idle.reset();
        return 0;
      });
      REQUIRE(code == 0);
      auto next = stream->next();
      REQUIRE(next);
      log.add(*next);
      held = std::move(next);
    }
    held.reset();
    for (auto& batch : *stream) log.add(batch);
    CHECK((loader->report().cache.hits > 0) == (options.cache.keep != Cache::nothing));
  }
  CHECK(log == drain(reference, epochs));
}

TEST_CASE("a forked child can only destroy epochs and requests", "[R10]") {
  Loader seen(synthetic(40, {24, 24}), small_options());
  Loader asked(synthetic(40, {24, 24}), small_options());
  auto epochs = std::make_unique<Epochs>(seen.epochs(2));
  auto epoch = epochs->next();
  auto requests = std::make_unique<Requests>(asked.requests());
  requests->ask({1});
  requests->ask({2});
  auto held = requests->next();
  const int code = in_child([&] {
    if (!refused([&] { (void)epochs->next(); })) return 1;
    if (!refused([&] { (void)epoch.next(); })) return 2;
    if (!refused([&] { (void)epochs->progress(); })) return 3;
    if (!refused([&] { (void)seen.epochs(1); })) return 4;
    if (!refused([&] { (void)asked.requests(); })) return 5;
    if (!refused([&] { requests->ask({3}); })) return 6;
    if (!refused([&] { (void)requests->next(); })) return 7;
    if (!refused([&] { (void)requests->outstanding(); })) return 8;
    if (!requests->finished()) return 9;
    requests->cancel();
    held.reset();
    epoch = Epoch();
    epochs.reset();
    requests.reset();
    return 0;
  });
  CHECK(code == 0);
  held.reset();
  CHECK(requests->outstanding() == std::vector<std::uint64_t>{2});
  CHECK(requests->next());
  CHECK(epoch.next());
}

TEST_CASE("a program started by fork() gets no descriptor of a loader", "[R10]") {
  const TemporaryFolder folder;
  // Reads take nearly all of a worker's time: zeros after the image, which are not decoded.
  const auto image = make_jpeg(64, 48, false);
  for (int i = 0; i < 8; ++i) {
    const auto name = std::to_string(i);
    folder.write(name, image);
    std::filesystem::resize_file(folder / name, std::size_t{32} << 20);
  }
  // Descriptors that ctest or a sanitizer left open; there is no loader yet.
  const auto before = inherited();
  CHECK(count_under(folder, before) == 0);

  for (const std::uint32_t read_ahead : {0u, 4u}) {
    CAPTURE(read_ahead);
    auto options = small_options();
    options.io.read_ahead = read_ahead;
    options.faults.policy = OnFault::blank;
    options.watchdog.after = std::chrono::hours(1);
    Loader loader(image_folder(folder.string()), options);
    auto stream = loader.stream({.epochs = std::nullopt});
    std::thread consumer([&stream] {
      while (stream.next()) {
      }
    });
    for (int i = 0; i < (sanitized ? 5 : 30); ++i) {
      // Its folder, and a file that is being read.
      until([&] { return count_under(folder, own()) >= 2; }, "a read under way");
      const auto during = inherited();
      CHECK(during == before);
    }
    stream.cancel();
    consumer.join();
  }

  // Control: an open descriptor without O_CLOEXEC is detected.
  const int left_open = ::open((folder / "0").c_str(), O_RDONLY);  // NOLINT: no O_CLOEXEC
  const auto seen = inherited();
  ::close(left_open);
  CHECK(count_under(folder, seen) == 1);
  CHECK(seen.size() == before.size() + 1);
}
