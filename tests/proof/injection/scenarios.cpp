#include "proof/injection/scenario_parts.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include <webp/decode.h>

#include "proof/configurations/images.hpp"
#include "unit/source/fixture.hpp"
#include "weir/weir.hpp"

namespace weir::test {
namespace {

using namespace std::chrono_literals;

std::string_view text_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// libwebp 1.2.4 of Debian 12 reads uninitialised memory if the tables of a lossless frame cannot
/// be allocated (root->next in huffman_utils.c), and sometimes crashes. With that version all
/// images are lossy.
const Bytes& webp_image(int i) {
  constexpr int repaired = 0x010400;
  const auto kind = WebPGetDecoderVersion() >= repaired ? i % 4 : 2 * (i % 2);
  return images_of(Kind::webp)[static_cast<std::size_t>(kind)];
}

/// Folders of small images, one for each format, and a manifest of all.
class Data {
 public:
  Data() {
    constexpr int each = 4;
    std::string list;
    const auto put = [&](const std::string& name, const Bytes& bytes) {
      folder_.write(name, text_of(bytes));
      list += name + "\t1\n";
    };
    for (int i = 0; i < each; ++i) {
      const auto n = std::to_string(i);
      const auto side = static_cast<std::uint32_t>(40 + 9 * i);
      put("jpeg/" + n, make_jpeg(side, 50, i % 2 == 1));
      put("png/" + n, make_png(side, 30, i % 2 == 1));
      put("webp/" + n, webp_image(i));
      folder_.write("broken/" + n, text_of(images_of(Kind::broken)[static_cast<std::size_t>(i)]));
    }
    folder_.write("list", list);
    std::filesystem::create_symlink("../jpeg/0", folder_ / "webp/link");
  }
  std::string path(const char* below = "") const { return (folder_ / below).string(); }

 private:
  TemporaryFolder folder_;
};

const Data& data() {
  static const Data made;
  return made;
}

}  // namespace

std::string image_data(const char* below) { return data().path(below); }

void wrong(const std::string& what) { throw std::logic_error(what); }

Options small(OnFault policy) {
  Options options;
  options.shape = {16, 16};
  options.batch = 2;
  options.workers = 1;
  options.queue.max_queue_size = 2;
  options.fit = Fit::random;
  options.faults.policy = policy;
  return options;
}

std::uint64_t drain(Loader& loader, const StreamOptions& options) {
  auto stream = loader.stream(options);
  std::uint64_t rows = 0;
  for (auto& batch : stream) rows += batch.size();
  return rows;
}

void check(const Loader& loader, std::initializer_list<FaultKind> allowed) {
  const Pause pause;
  const auto samples = loader.snapshot().samples;
  if (!samples.conserved() || samples.in_flight + samples.ready != 0) wrong("not conserved");
  const auto report = loader.report();
  std::uint64_t faults = 0;
  for (std::size_t kind = 0; kind < fault_kind_count; ++kind) {
    faults += report.fault_kinds[kind];
    const bool fine = std::ranges::count(allowed, static_cast<FaultKind>(kind)) > 0;
    if (report.fault_kinds[kind] > 0 && !fine)
      wrong("a fault of kind " + std::string(to_string(static_cast<FaultKind>(kind))) +
            (report.faults.empty() ? "" : ": " + report.faults[0].reason));
  }
  if (faults != samples.failed) wrong("faults and failed samples differ");
}

namespace {

// ---- the six scenarios of the table, and two more ------------------------------------------------

/// If a loader cannot be made, nothing of it remains in the shared ledger.
void construct() {
  static const auto ledger = std::make_shared<MemoryLedger>(64u << 20);
  static const auto source = synthetic(40, {24, 24});
  const auto try_it = [] {
    auto options = small(OnFault::stop);
    options.memory.ledger = ledger;
    options.trace.events = 64;
    Loader first(source, options), second(source, options);
    if (first.plan().slabs == 0 || second.size() != 40) wrong("no plan");
    second = std::move(first);
    static_cast<void>(second.class_names());
    Options impossible;
    impossible.memory.budget_bytes = 1;
    try {
      static_cast<void>(resolve(impossible, 10));
      wrong("an impossible plan");
    } catch (const Error&) {
    }
  };
  const auto empty = [] {
    const Pause pause;
    return ledger->snapshot().live == 0 && ledger->promised() == 0;
  };
  try {
    try_it();
  } catch (...) {
    if (!empty()) wrong("what failed is still in the ledger");
    throw;
  }
  if (!empty()) wrong("the ledger is not empty");
}

void index() {
  for (const auto links : {FollowSymlinks::inside_root, FollowSymlinks::yes}) {
    const auto folder = image_folder(data().path(), {.follow_symlinks = links});
    const Pause pause;
    if (folder.size() != 18) wrong("half a folder: " + std::to_string(folder.size()));
  }
  const auto listed = manifest(data().path("list"));
  const Pause pause;
  if (listed.size() != 12) wrong("half a manifest");
}

template <bool strict>
void decode(const char* folder, std::initializer_list<FaultKind> allowed) {
  auto options = small(OnFault::blank);
  options.faults.strict = strict;
  options.filter = strict ? Filter::bilinear : Filter::antialiased;
  Loader loader(image_folder(data().path(folder)), options);
  const auto rows = drain(loader);
  check(loader, allowed);
  const Pause pause;
  if (rows != loader.size()) wrong("rows are missing");
}

void jpeg() { decode<true>("jpeg", {FaultKind::memory}); }

void png_and_webp() {
  decode<true>("png", {FaultKind::memory});
  // libwebp reports a frame as corrupt if its alpha or Huffman tables could not be allocated.
  decode<true>("webp", {FaultKind::memory, FaultKind::corrupt});
  decode<false>("webp", {FaultKind::memory, FaultKind::corrupt});
}

/// Batches, leases, progress, a cancel, a second stream, replacements, floats.
void stream() {
  static const auto source = image_folder(data().path());
  auto options = small(OnFault::skip);
  options.order = weir::Order::shuffle();
  options.io.read_ahead = 2;
  options.queue.max_leases = 3;
  Loader loader(source, options);
  std::optional<Progress> progress;
  {
    auto first = loader.stream({.epochs = std::nullopt});
    const auto one = first.next(), two = first.next(1h);
    const Converter<float> convert;
    if (one) {
      std::vector<float> floats(one->pixels().pixels.size());
      convert(one->pixels(), floats);
      static_cast<void>(one->slice(0, 1));
    }
    first.settle();
    progress = Progress::parse(first.progress().to_json());
    first.cancel();
    if (first.next()) wrong("a batch after the cancel");
  }
  drain(loader, {.resume = progress, .epochs = 2});
  check(loader,
        {FaultKind::memory, FaultKind::corrupt, FaultKind::truncated, FaultKind::unsupported});
}

/// Three epochs with a cache. A sample without memory in the cache is read again.
void keep_samples() {
  static const auto source = image_folder(data().path("jpeg"));
  for (const auto keep : {Cache::encoded, Cache::decoded}) {
    auto options = small(OnFault::blank);
    options.fit = Fit::center;
    options.cache = {keep, 1 << 20};
    Loader loader(source, options);
    const auto rows = drain(loader, {.epochs = 3});
    check(loader, {FaultKind::memory});
    const Pause pause;
    if (rows != 3 * loader.size()) wrong("rows are missing");
    const auto report = loader.report();
    if (report.cache.bytes != report.memory[Account::cache]) wrong("the cache is not on the books");
  }
}

/// Streams that end in an error, whose message takes memory.
void end_in_errors() {
  static const auto source = image_folder(data().path("broken"));
  for (const auto policy : {OnFault::stop, OnFault::blank, OnFault::skip}) {
    auto options = small(policy);
    if (policy == OnFault::blank) options.faults.tolerate = 1;
    Loader loader(source, options);
    const auto expected = policy == OnFault::stop ? Errc::sample_failed : Errc::too_many_faults;
    bool ended = false;
    try {
      drain(loader);
    } catch (const Error& error) {
      ended = error.code() == expected;
      if (!ended) throw;
    }
    const Pause pause;
    if (!ended) wrong("no end");
    if (!loader.snapshot().samples.conserved()) wrong("not conserved");
  }
}

void reports() {
  static const auto source = image_folder(data().path());
  // Made in this process, because a loader inherited by fork refuses calls.
  std::optional<Loader> drained;
  {
    const Pause pause;
    auto options = small(OnFault::blank);
    options.trace.events = 1000;
    drained.emplace(source, options);
    drain(*drained);
  }
  const Loader& loader = *drained;
  const auto report = loader.report();
  static_cast<void>(loader.snapshot());
  if (judge(interval(report)).why.empty()) wrong("no verdict");
  std::ostringstream trace;
  loader.write_trace(trace);
  if (!trace) throw std::bad_alloc();  // a stream reports it by its state
}

/// The loader is destroyed first, the stream during its work, the leases last.
void shutdown() {
  static const auto source = image_folder(data().path("jpeg"));
  std::vector<Batch> held;
  std::stop_source stop;
  {
    auto options = small(OnFault::blank);
    options.tuning = {.mode = Tuning::automatic, .interval = 10ms};
    options.queue.max_leases = 3;
    options.io.read_ahead = 1;
    Loader loader(source, options);
    auto stream = loader.stream({.epochs = std::nullopt, .stop = stop.get_token()});
    for (int i = 0; i < 3; ++i) {
      auto batch = stream.next();
      if (batch) held.push_back(std::move(*batch));
    }
    stop.request_stop();
  }
  if (held.size() > 1) std::move(held[0]).discard();
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{
      {"construct", construct},       {"index a folder", index},
      {"read and decode JPEG", jpeg}, {"decode PNG and WebP", png_and_webp},
      {"stream and cancel", stream},  {"end in errors", end_in_errors},
      {"reports", reports},           {"shut down", shutdown},
      {"keep samples", keep_samples}, {"own sizes", own_sizes},
      {"transforms", transforms},     {"ask without waiting", ask_without_waiting},
      {"watchdog", watched},          {"epochs and requests", epochs_and_requests}};
  data();
  return all;
}

const Scenario& scenario(const char* name) {
  return *std::ranges::find(scenarios(), std::string_view(name), &Scenario::name);
}

Scenario reading_scenario(bool all_whole) {
  data();
  return {"read a folder", [all_whole] {
            const auto folder = manifest(data().path("list"));
            const auto listed = image_folder(data().path());
            Loader loader(folder, small(OnFault::blank));
            drain(loader);
            check(loader, {FaultKind::memory, FaultKind::io, FaultKind::truncated});
            const Pause pause;
            if (all_whole && (loader.report().fault_count > 0 || listed.size() != 18))
              wrong("harm done");
          }};
}

Scenario threads_scenario() {
  static const auto source = image_folder(data().path("jpeg"));
  return {"threads", [] {
            auto options = small(OnFault::blank);
            options.workers = 3;
            options.io.read_ahead = 2;
            options.tuning = {.mode = Tuning::automatic};
            Loader loader(source, options);
            std::exception_ptr failed;
            try {
              if (drain(loader) != loader.size()) wrong("rows are missing");
            } catch (...) {
              failed = std::current_exception();
            }
            const Pause pause;
            // The next stream of the same loader.
            if (drain(loader) != loader.size()) wrong("rows are missing from the next stream");
            check(loader, {});
            if (failed) std::rethrow_exception(failed);
          }};
}

}  // namespace weir::test
