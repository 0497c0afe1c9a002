#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "engine/plan_planes.hpp"
#include "pack/pack.hpp"
#include "support/temporary_folder.hpp"
#include "unit/codec/encoders.hpp"
#include "weir/source.hpp"

namespace weir::test {

/// The contents of a folder by name.
inline std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().filename().string()] = {std::istreambuf_iterator<char>(file), {}};
  }
  return files;
}

/// JPEGs of different sizes, a grey one, a PNG, a small one and two that do not decode.
inline std::vector<MemorySample> mixed_samples(int count = 24) {
  using namespace codec::test;
  std::vector<MemorySample> samples;
  for (int i = 0; i < count; ++i) {
    const auto side = static_cast<std::uint32_t>(i);
    MemorySample sample{"dir/" + std::to_string(i) + ".jpg",
                        encode_jpeg(pattern(60 + 7 * side, 90 - 2 * side)), i % 5 - 1};
    if (i % 8 == 2) sample.bytes = encode_jpeg(pattern(70, 80, 1));
    if (i % 8 == 4) sample.bytes = encode_png(50, 70, pattern(50, 70).values, {});
    if (i % 8 == 5) sample.bytes = encode_jpeg(pattern(20, 30));
    if (i % 8 == 7) sample.bytes.resize(sample.bytes.size() / 2);
    samples.push_back(std::move(sample));
  }
  return samples;
}

inline AnySource mixed_source(int count = 24) { return in_memory(mixed_samples(count)); }

/// A job with small shards that leaves bad samples out.
inline pack::Job job_for(const std::filesystem::path& out) {
  return {.out = out.string(),
          .recipe = {.short_side = 40, .decoder = {.filter = Filter::antialiased}},
          .shard_bytes = 12'000,
          .skip_faults = true,
          .workers = 2};
}

/// The same for planes of `source`.
inline pack::Job job_for(const std::filesystem::path& out, const AnySource& source,
                         std::vector<PlaneOptions> planes) {
  auto job = job_for(out);
  Options options;
  options.planes = std::move(planes);
  job.recipe.planes = engine::plane_rules(options, source.planes()).planes;
  return job;
}

inline pack::Packed run_pack(const AnySource& source, const pack::Job& job) {
  pack::Counts counts;
  return pack::pack(source, job, counts);
}

}  // namespace weir::test
