#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/at_rest.hpp"
#include "contract/stopping/process.hpp"
#include "proof/configurations/images.hpp"
#include "support/catch.hpp"
#include "unit/source/fixture.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Limits the process to its open descriptors and `more`, while it exists.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    // The kernel returns the lowest free number, and refuses numbers from the limit on. So the
    // limit is the free number after the last allowed one.
    rlim_t limit = 0;
    for (rlim_t open = 0, number = 0; open < more + 1; ++number) {
      limit = number;
      if (!std::filesystem::exists(
              std::filesystem::symlink_status("/proc/self/fd/" + std::to_string(number))))
        ++open;
    }
    const rlimit few{limit, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

Options many_readers(std::uint32_t read_ahead) {
  auto options = small_options();
  options.workers = 6;
  options.io.read_ahead = read_ahead;
  options.queue.max_queue_size = 4;
  options.watchdog.after = std::chrono::hours(1);
  return options;
}

}  // namespace

TEST_CASE("too few descriptors for all readers cause only io faults", "[D7]") {
  const TemporaryFolder folder;
  constexpr int files = 60;
  fill_with_images(folder.path(), files);
  const std::uint32_t read_ahead = GENERATE(0u, 6u);
  const rlim_t more = GENERATE(rlim_t{0}, rlim_t{1}, rlim_t{3});
  CAPTURE(read_ahead, more);

  auto options = many_readers(read_ahead);
  options.faults.policy = OnFault::blank;
  Loader loader(image_folder(folder.string()), options);
  const auto reference = drain(loader);
  REQUIRE(std::ranges::count(reference.statuses, RowStatus::ok) == files);
  const auto descriptors = open_descriptors();

  Log starved;
  {
    const FewDescriptors few(more);
    starved = drain(loader);
  }
  CHECK(starved.indices == reference.indices);
  const auto failed = std::ranges::count(starved.statuses, RowStatus::blank);
  CHECK(std::ranges::count(starved.statuses, RowStatus::ok) + failed == files);
  if (more == 0) CHECK(failed == files);
  const auto report = loader.report();
  CHECK(report.fault_count == static_cast<std::uint64_t>(failed));
  for (const auto& fault : report.faults) {
    CHECK(fault.kind == FaultKind::io);
    CHECK(fault.reason.find("Too many open files; raise the limit with `ulimit -n`") !=
          std::string::npos);
  }
  check_at_rest(loader);
  CHECK(open_descriptors() == descriptors);

  CHECK(drain(loader) == reference);
  CHECK(open_descriptors() == descriptors);
}

TEST_CASE("a stream without descriptors stops and the next one works", "[D7]") {
  const TemporaryFolder folder;
  fill_with_images(folder.path(), 40);
  const auto policy = GENERATE(OnFault::stop, OnFault::skip);
  const std::uint32_t read_ahead = GENERATE(0u, 6u);
  CAPTURE(policy == OnFault::stop, read_ahead);
  auto options = many_readers(read_ahead);
  options.faults.policy = policy;
  Loader loader(image_folder(folder.string()), options);
  const auto reference = drain(loader);
  const auto descriptors = open_descriptors();
  std::string said;
  {
    const FewDescriptors few(0);
    try {
      drain(loader);
    } catch (const Error& error) {
      said = error.what();
    }
  }
  CHECK(said.find("Too many open files") != std::string::npos);
  check_at_rest(loader);
  CHECK(open_descriptors() == descriptors);
  CHECK(drain(loader) == reference);
}

TEST_CASE("a folder is refused without descriptors and listed later", "[D7]") {
  const TemporaryFolder folder;
  for (const auto* name : {"a/0", "a/1", "b/c/2"}) folder.write(name, make_jpeg(20, 16, false));
  const auto descriptors = open_descriptors();
  int refusals = 0;
  for (rlim_t more = 0; more < 4; ++more) {
    CAPTURE(more);
    const FewDescriptors few(more);
    std::uint64_t listed = 3;
    std::string said = "Too many open files";
    try {
      listed = image_folder(folder.string()).size();
    } catch (const Error& error) {
      ++refusals;
      said = error.what();
    }
    CHECK(listed == 3);  // all or an error, never a part
    CHECK(said.find("Too many open files") != std::string::npos);
  }
  CHECK(refusals > 0);
  CHECK(open_descriptors() == descriptors);
  CHECK(image_folder(folder.string()).size() == 3);
}
