#include "contract/verdicts/judge.hpp"

#include <algorithm>
#include <stdexcept>

#include "support/cpu_time.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"
#include "unit/codec/encoders.hpp"
#ifdef WEIR_HAS_OPENCV_CODEC
#include "weir/interop/opencv_codec.hpp"
#endif

namespace weir::test {
namespace {

/// In CPU times of a sound image, for as many pixels.
constexpr double most_for_a_file = 20;
constexpr std::uint32_t sound_side = 2048;

void demand(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

std::string manifest_of(const std::vector<std::filesystem::path>& files) {
  std::string lines;
  for (const auto& name : files) lines += name.string() + "\t0\n";
  return lines;
}

}  // namespace

std::string Verdict::kind() const {
  if (delivered()) return "ok";
  return fault->kind == FaultKind::truncated ? "corrupt" : std::string(to_string(fault->kind));
}

std::string Verdict::text() const {
  return kind() + (fault                          ? " (" + fault->reason + ")"
                   : status == RowStatus::damaged ? ", damaged"
                                                  : "");
}

bool Verdict::refused_by_own_rule() const {
  if (!fault) return false;
  const auto& reason = fault->reason;
  const auto has = [&](const char* part) { return reason.find(part) != reason.npos; };
  return fault->kind == FaultKind::limit || has("FF 00 where") ||
         has(" bytes of scans, fewer than ") || has("marker segment of length");
}

Options whole(ImageSize shape, bool strict) {
  Options options;
  options.shape = shape;
  options.fit = Fit::stretch;
  options.exif = Exif::ignore;
  options.batch = 4;
  options.workers = 2;
  options.faults.policy = OnFault::blank;
  options.faults.strict = strict;
  return options;
}

std::vector<std::byte> sound_image() {
  return codec::test::encode_jpeg(codec::test::pattern(sound_side, sound_side, 1),
                                  {.quality = 10, .progressive = true});
}

double sound_image_ms() {
  static const double ms = [] {
    Loader loader(in_memory({{"sound", sound_image(), 0}}), whole({8, 8}));
    return least_cpu_ms([&] { demand(loader.stream().next().has_value(), "no sound image"); });
  }();
  return ms;
}

/// How many sound images have the pixels that the batch's files state; at least 1.
double sound_images(const AnySource& source, const Batch& batch) {
  const codec::Decoder decoder(codec::DecoderOptions{});
  double pixels = 0;
  for (const auto index : batch.indices()) {
    MemorySink sink;
    if (const auto info = decoder.probe(source.read(index, sink).bytes))
      pixels += double{1} * info->width * info->height;
  }
  return std::max(1.0, pixels / sound_side / sound_side);
}

std::vector<std::shared_ptr<const ForeignCodec>> all_codecs() {
#ifdef WEIR_HAS_OPENCV_CODEC
  return {opencv_codec()};
#else
  return {};
#endif
}

std::vector<Verdict> judge(const AnySource& source, const Options& options) {
  Loader loader(source, options);
  std::vector<Verdict> verdicts(static_cast<std::size_t>(source.size()));
  std::size_t rows = 0;
  auto stream = loader.stream();
  auto before = cpu_ms();
  for (auto& batch : stream) {
    // A file that takes longer delays its whole batch. ctest's time limit ends one that never finishes.
    const auto took = cpu_ms() - before;
    constexpr double suspect = 200;
    demand(sanitized || took <= suspect ||
               took <= most_for_a_file * sound_image_ms() * sound_images(source, batch),
           "a file took longer than 20 sound images of its size");
    before = cpu_ms();
    for (std::uint32_t row = 0; row < batch.size(); ++row, ++rows) {
      auto& verdict = verdicts.at(batch.indices()[row]);
      verdict.status = batch.statuses()[row];
      const auto image = batch.slice(row, 1).pixels;
      verdict.pixels.assign(image.begin(), image.end());
    }
  }
  demand(rows == verdicts.size(), "a sample was not delivered");
  const auto report = loader.report();
  demand(report.faults.size() == report.fault_count, "more faults than a report keeps");
  for (const auto& fault : report.faults) {
    auto& verdict = verdicts.at(fault.index);
    demand(!verdict.fault && verdict.status == RowStatus::blank, "a fault without its blank row");
    demand(
        std::ranges::count(verdict.pixels, 0) == static_cast<std::ptrdiff_t>(verdict.pixels.size()),
        "a blank row is not zero");
    verdict.fault = fault;
  }
  for (const auto& verdict : verdicts)
    demand(verdict.fault || verdict.status != RowStatus::blank, "a blank row without its fault");
  demand(loader.snapshot().samples.conserved(), "the law of conservation");
  return verdicts;
}

std::vector<Verdict> judge(const std::vector<std::filesystem::path>& files,
                           const Options& options) {
  const TemporaryFolder folder;
  const auto list = folder.write("files.tsv", manifest_of(files));
  return judge(manifest(list), options);
}

std::vector<Verdict> judge_files(const std::vector<Listed>& files, const Options& options) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : files) paths.push_back(file.path);
  return judge(paths, options);
}

std::vector<Verdict> judge(std::vector<std::vector<std::byte>> samples, const Options& options) {
  std::vector<MemorySample> named;
  for (auto& bytes : samples) named.push_back({std::to_string(named.size()), std::move(bytes), 0});
  return judge(in_memory(std::move(named)), options);
}

Verdict judge_one(std::vector<std::byte> encoded, const Options& options) {
  return judge(std::vector<std::vector<std::byte>>{std::move(encoded)}, options).front();
}

}  // namespace weir::test
