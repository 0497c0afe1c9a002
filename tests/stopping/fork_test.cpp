#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <thread>

#include "laws/fixture.hpp"
#include "proof/images.hpp"
#include "stopping/process.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// The exit code of a child that does `body`; -1 where it does not end in half a minute.
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

}  // namespace

TEST_CASE(
    "in a child of fork() a loader is refused, lets itself be destroyed, and the parent's "
    "goes on",
    "[R10]") {
  auto options = small_options();
  options.queue.max_leases = 2;
  // In later epochs a fork meets workers that pin what is kept and copy or decode from it.
  options.cache.keep = GENERATE(Cache::nothing, Cache::encoded, Cache::decoded);
  options.cache.max_bytes = options.cache.keep == Cache::nothing ? 0 : 1 << 20;
  CAPTURE(to_string(options.cache.keep));
  const StreamOptions epochs{.epochs = 10};
  auto loader = std::make_unique<Loader>(synthetic(400, {24, 24, 3}), options);
  Loader reference(synthetic(400, {24, 24, 3}), options);
  Log log;
  {
    auto stream = std::make_unique<Stream>(loader->stream(epochs));
    // A third of the batches: past the first epoch, and all is kept that will be.
    for (int i = 0; i < 300; ++i) log.add(*stream->next());
    auto held = stream->next();
    log.add(*held);
    // At any moment of a busy loader: whatever its threads hold then, the child must not want.
    for (int i = 0; i < (sanitized ? 5 : 20); ++i) {
      const int code = in_child([&] {
        if (!refused([&] { (void)stream->next(); })) return 1;
        if (!refused([&] { (void)stream->next(std::chrono::seconds(1)); })) return 2;
        if (!refused([&] { (void)stream->try_next(); })) return 3;
        if (!refused([&] { stream->settle(); })) return 4;
        if (!refused([&] { (void)stream->position(); })) return 5;
        if (!refused([&] { (void)loader->stream(); })) return 6;
        if (!refused([&] { (void)loader->snapshot(); })) return 7;
        if (!refused([&] { (void)loader->report(); })) return 8;
        if (!stream->finished()) return 9;
        stream->cancel();
        held.reset();
        stream.reset();
        loader.reset();
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

TEST_CASE("a program that a fork starts gets no descriptor of a loader at work", "[R10]") {
  const TemporaryFolder folder;
  const auto jpeg = make_jpeg(64, 48, false);
  for (int i = 0; i < 50; ++i) folder.write(std::to_string(i), jpeg);
  {
    auto options = small_options();
    options.io.read_ahead = 4;
    options.watchdog.after = std::chrono::hours(1);
    Loader loader(image_folder(folder.string()), options);
    auto stream = loader.stream({.epochs = std::nullopt});
    for (int i = 0; i < (sanitized ? 10 : 100); ++i) {
      REQUIRE(stream.next());
      // What of this process's descriptors would outlive an exec: 0, 1, 2 and what ctest left open.
      for (int fd = 3; fd < 256; ++fd) {
        const int flags = ::fcntl(fd, F_GETFD);
        if (flags == -1 || (flags & FD_CLOEXEC) != 0) continue;
        std::error_code ignored;
        const auto to =
            std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), ignored);
        INFO(to);
        CHECK(to.string().find(folder.string()) == std::string::npos);
        CHECK(to.string().find("anon_inode") == std::string::npos);
      }
    }
  }
}
