// docs/guide/broken-files.md: a data set with bad files under each of the three policies.
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

/// Fifty JPEGs. Every tenth is truncated in the middle, as by an interrupted copy.
weir::AnySource images_some_of_them_cut() {
  const auto whole = weir::synthetic(50, {96, 128});
  std::vector<weir::MemorySample> samples;
  for (std::uint64_t i = 0; i < whole.size(); ++i) {
    weir::MemorySink sink;
    const auto image = whole.read(i, sink);
    const auto bytes = image.bytes.first(i % 10 == 9 ? image.bytes.size() / 2 : image.bytes.size());
    samples.push_back({whole.name(i), {bytes.begin(), bytes.end()}, image.label});
  }
  return weir::in_memory(std::move(samples));
}

}  // namespace

int main() {
  const auto images = images_some_of_them_cut();
  weir::Options options{.shape = {64, 64}, .batch = 10};

  try {
    weir::Loader loader(images, options);
    for (weir::Batch& batch : loader.stream()) std::printf("batch of %u\n", batch.size());
  } catch (const weir::Error& error) {
    std::printf("stop: %s\n\n", error.what());
  }

  options.faults = {.policy = weir::OnFault::skip, .tolerate_share = 0.2};
  weir::Loader loader(images, options);
  std::uint64_t replaced = 0;
  for (weir::Batch& batch : loader.stream())
    replaced +=
        static_cast<std::uint64_t>(std::ranges::count(batch.statuses(), weir::RowStatus::replaced));
  const weir::Report report = loader.report();
  std::printf("skip: %llu rows replaced, %llu faults\n", static_cast<unsigned long long>(replaced),
              static_cast<unsigned long long>(report.fault_count));
  for (const weir::Fault& fault : report.faults)
    std::printf("  %s: %s, %s\n", fault.name.c_str(), weir::to_string(fault.kind).data(),
                fault.reason.c_str());

  options.faults.tolerate_share = 0.01;
  try {
    weir::Loader strict(images, options);
    for ([[maybe_unused]] weir::Batch& batch : strict.stream()) {
    }
  } catch (const weir::Error& error) {
    std::printf("\ntolerance: %s\n", error.what());
    return error.code() == weir::Errc::too_many_faults && replaced == 5 ? 0 : 1;
  }
  return 1;
}
