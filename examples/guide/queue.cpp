// docs/guide/choose-the-queue.md: the cost of each depth, the limit of a run, and better settings.
#include <chrono>
#include <cstdio>
#include <thread>
#include <weir/weir.hpp>

namespace {

double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

int main(int argc, char** argv) {
  weir::Options options{.shape = {64, 64}, .order = weir::Order::shuffle(), .batch = 16};
  const weir::AnySource images =
      argc > 1 ? weir::image_folder(argv[1]) : weir::synthetic(400, {120, 160});
  weir::Loader loader(images, options);

  for (const auto& depth : loader.plan().depth_cost(6))
    std::printf("max_queue_size %u: %5.2f MiB, %5.2f MiB as floats\n", depth.max_queue_size,
                mib(depth.staging_bytes), mib(*depth.float32_bytes));

  for ([[maybe_unused]] weir::Batch& batch : loader.stream())
    std::this_thread::sleep_for(std::chrono::milliseconds(4));  // a training step

  const weir::Interval interval = weir::interval(loader.report());
  const weir::Verdict verdict = weir::judge(interval);
  std::printf("\nbound by %s: %s\n\n", weir::to_string(verdict.regime).data(), verdict.why.c_str());

  const weir::DecodeTimes decodes = weir::measure_decodes(images, options);
  const weir::Advice advice =
      weir::advise(interval, {.target_readiness = 0.95, .decodes = decodes});
  for (const auto& lever : advice.levers)
    std::printf("%s\n%s\n", lever.sentence.c_str(), lever.code.c_str());
}
