// rss_child BUDGET FOLDER...: loads every file of the folders twice under the budget. Prints, in
// bytes, RSS at the start, the largest RSS since, and the books' peak, then faults and rows.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "weir/weir.hpp"

namespace {

std::uint64_t status_bytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10) * 1024;
  }
  return 0;
}

/// Several sources, one after the other.
class Chain {
 public:
  explicit Chain(std::vector<weir::AnySource> parts) : parts_(std::move(parts)) {}
  std::uint64_t size() const {
    return sum([](const auto& part) { return part.size(); });
  }
  weir::Encoded read(std::uint64_t i, weir::ByteSink& sink) const { return at(i).read(i, sink); }
  std::string name(std::uint64_t i) const { return at(i).name(i); }
  std::uint64_t index_bytes() const {
    return sum([](const auto& part) { return part.index_bytes(); });
  }

 private:
  template <class F>
  std::uint64_t sum(F of) const {
    std::uint64_t total = 0;
    for (const auto& part : parts_) total += of(part);
    return total;
  }
  const weir::AnySource& at(std::uint64_t& i) const {
    std::size_t part = 0;
    while (i >= parts_[part].size()) i -= parts_[part++].size();
    return parts_[part];
  }
  std::vector<weir::AnySource> parts_;
};

}  // namespace

int main(int count, char* arguments[]) {
  const auto start = status_bytes("VmRSS:");
  weir::Options options;
  options.memory.budget_bytes = std::strtoull(arguments[1], nullptr, 10);
  options.batch = 64;
  options.workers = 8;
  options.queue.max_queue_size = 64;
  options.io.read_ahead = 32;
  options.order = weir::Order::shuffle();
  options.faults.policy = weir::OnFault::skip;
  std::vector<weir::AnySource> parts;
  for (int i = 2; i < count; ++i) parts.push_back(weir::image_folder(arguments[i]));

  std::uint64_t rows = 0;
  weir::Loader loader(Chain(std::move(parts)), options);
  {
    auto stream = loader.stream({.epochs = 2});
    for (std::uint64_t n = 0; auto batch = stream.next(); ++n) {
      rows += batch->size();
      // A slow consumer: sometimes it waits until prefetching has used the budget.
      if (n % 8 == 0) stream.settle();
    }
  }
  const auto report = loader.report();
  std::printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", start,
              status_bytes("VmHWM:"), report.memory.peak, report.fault_count, rows);
}
