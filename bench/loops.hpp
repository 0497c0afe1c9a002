#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codec/decoder.hpp"
#include "weir/weir.hpp"

namespace weir::bench {

/// Of whole loaders, and of the loops that they are compared with.
inline constexpr std::uint32_t batch = 64, queue = 4;
inline std::uint32_t threads = 2;  ///< set before the first loop

/// Calls `work` with 0 … count - 1. Calls a second of the CPU time of this thread, so that other work
/// on the machine disturbs less.
double cpu_rate(std::uint64_t count, const std::function<void(std::uint64_t)>& work);

/// Clock readings in weir's runs, and the CPU time of all threads in runs.
struct Noted {
  std::uint64_t readings = 0, samples = 0;
  double cpu_s = 0;
  double cpu_us() const { return cpu_s * 1e6 / static_cast<double>(samples); }
};

/// Samples a second of bare loops that open, read, decode and resize files in their order, without a queue.
double bare_files(const std::vector<std::string>& files, const codec::FitSpec& spec, double seconds,
                  Noted* noted = nullptr);

/// Samples a second of weir, with as many workers.
double weir_files(const std::string& folder, const codec::FitSpec& spec, double seconds,
                  bool floats = false, Noted* noted = nullptr);

/// `part` of the test data, or a folder of made images that the destructor removes.
class Files {
 public:
  /// Synthetic images of about `made`, if there is no test data.
  Files(const std::string& part, ImageSize made);
  /// Always made.
  Files(const std::string& name, std::vector<MemorySample> images);
  ~Files();
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string folder() const { return folder_; }
  const std::vector<std::string>& files() const noexcept { return files_; }
  bool made() const noexcept { return made_; }

 private:
  void make(const std::string& name, const AnySource& images);
  void list();

  std::filesystem::path folder_;
  std::vector<std::string> files_;
  bool made_ = false;
};

}  // namespace weir::bench
