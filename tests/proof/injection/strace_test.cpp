#include "proof/configurations/images.hpp"
#include "proof/injection/tracing.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"
#include "support/text.hpp"
#include "unit/source/fixture.hpp"

using namespace weir::test;

namespace {

constexpr int images = 12;

const std::string& folder() {
  static const TemporaryFolder made;
  static const std::string path = [] {
    for (int i = 0; i < images; ++i) {
      const auto jpeg = make_jpeg(static_cast<std::uint32_t>(30 + i), 40, i % 2 == 1);
      made.write("class" + std::to_string(i % 3) + "/" + std::to_string(i),
                 {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
    }
    return made.string();
  }();
  return path;
}

/// The first run may have only a fault or an error with a message. The second run must be normal.
std::string complaint(const Traced& traced, bool harmless) {
  const std::string whole = "rows 12 io 0 memory 0 faults 0 conserved 1";
  if (traced.status != 0) return "it ended with status " + std::to_string(traced.status);
  if (harmless && traced.first != whole) return "harm: " + traced.first;
  const bool said = traced.first.starts_with("error ") && traced.first.size() > 12;
  const bool counted = traced.first.starts_with("rows ") && contains(traced.first, "conserved 1");
  if (!said && !counted) return "first: " + traced.first;
  if (traced.second != whole) return "the next run: " + traced.second;
  return traced.last == "descriptors 0" ? "" : traced.last;
}

/// Fails the first call of each thread, then the second, and so on, until no thread makes that many.
void inject(const std::string& calls, const std::string& error, bool harmless) {
  const int most = WEIR_TEST_LONG ? 200 : 3;
  bool any = false;
  for (int n = 1; n <= most; ++n) {
    const auto traced =
        run_traced(folder(), calls + ":error=" + error + ":when=" + std::to_string(n));
    if (!traced.possible) {
      skip("strace is not here or may not trace");
      return;
    }
    CAPTURE(calls, error, n, traced.first, traced.second);
    REQUIRE(complaint(traced, harmless) == "");
    any = any || traced.injected;
    if (!traced.injected) break;
  }
  CHECK(any);
}

}  // namespace

TEST_CASE("a failed call under strace has words and the next run works", "[D7]") {
  struct Case {
    const char *calls, *error;
  };
  const auto given = GENERATE(Case{"openat,openat2", "EMFILE"}, Case{"openat,openat2", "ENFILE"},
                              Case{"openat,openat2", "EIO"}, Case{"read,pread64", "EIO"},
                              Case{"read,pread64", "EAGAIN"}, Case{"fstat,newfstatat", "EIO"},
                              Case{"getdents64", "EIO"}, Case{"mmap", "ENOMEM"},
                              Case{"clone3", "EAGAIN"}, Case{"clone3", "ENOMEM"});
  inject(given.calls, given.error, false);
}

TEST_CASE("system calls that strace interrupts are made again", "[D7]") {
  const auto* const calls =
      GENERATE("openat,openat2", "read,pread64", "fstat,newfstatat", "getdents64");
  inject(calls, "EINTR", true);
}

TEST_CASE("no descriptors at all, from any moment on", "[D7]") {
  const auto from = WEIR_TEST_LONG ? GENERATE(1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13) : GENERATE(1, 6);
  const auto traced =
      run_traced(folder(), "openat,openat2:error=EMFILE:when=" + std::to_string(from) + "+");
  if (!traced.possible) {
    skip("strace is not here or may not trace");
    return;
  }
  CAPTURE(from, traced.first);
  CHECK(complaint(traced, false) == "");
}

TEST_CASE("a stream is refused if strace stops any thread from starting", "[R5]") {
  // The strand and the worker; and before them the thread that helps to list.
  for (int n = 1; n <= 3; ++n) {
    const auto traced = run_traced(folder(), "clone3:error=EAGAIN:when=" + std::to_string(n));
    if (!traced.possible) {
      skip("strace is not here or may not trace");
      return;
    }
    CAPTURE(n, traced.first);
    CHECK(complaint(traced, n == 1) == "");
    if (n > 1) CHECK(contains(traced.first, "Resource temporarily unavailable"));
  }
}
