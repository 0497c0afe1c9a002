// docs/guide/write-a-source.md, "A database": one row for each image, and a connection for each
// thread. `Connection` takes the place of a database library. Like many of them, it works only on
// the thread that opened it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

struct Row {
  std::vector<std::byte> image;
  std::int64_t label = 0;
};

/// The tables of all databases, by path.
std::map<std::string, std::map<std::int64_t, Row>> tables;

class Connection {
 public:
  explicit Connection(const std::string& path) : rows_(&tables.at(path)) {}
  /// SELECT image, label FROM images WHERE key = ?
  Row select(std::int64_t key) {
    if (std::this_thread::get_id() != owner_) throw std::logic_error("another thread's connection");
    return rows_->at(key);
  }
  /// SELECT key FROM images ORDER BY key
  std::vector<std::int64_t> keys() const {
    std::vector<std::int64_t> keys;
    for (const auto& [key, row] : *rows_) keys.push_back(key);
    return keys;
  }

 private:
  const std::map<std::int64_t, Row>* rows_;
  std::thread::id owner_ = std::this_thread::get_id();
};

/// Images in a database. Copies are cheap enough: only the keys are in memory.
class Database {
 public:
  explicit Database(std::string path) : path_(std::move(path)), keys_(connection().keys()) {}

  std::uint64_t size() const { return keys_.size(); }
  std::uint64_t index_bytes() const { return keys_.capacity() * sizeof(std::int64_t); }
  std::string name(std::uint64_t i) const { return "image " + std::to_string(keys_[i]); }

  weir::Encoded read(std::uint64_t i, weir::ByteSink& sink) const {
    const Row row = connection().select(keys_[i]);
    const auto memory = sink.take(row.image.size());  // may throw; then read() is called again
    std::ranges::copy(row.image, memory.begin());
    return {memory, row.label};
  }

 private:
  /// The connection of this thread to this database.
  Connection& connection() const {
    thread_local std::map<std::string, Connection> open;
    return open.try_emplace(path_, path_).first->second;
  }

  std::string path_;
  std::vector<std::int64_t> keys_;
};

void fill(const std::string& path, const weir::AnySource& images) {
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    weir::MemorySink sink;
    const auto image = images.read(i, sink);
    tables[path][static_cast<std::int64_t>(1000 + i)] = {{image.bytes.begin(), image.bytes.end()},
                                                         image.label};
  }
}

}  // namespace

int main() try {
  fill("images.db", weir::synthetic(60, {40, 40}));
  weir::Loader loader(Database("images.db"),
                      {.shape = {32, 32}, .order = weir::Order::shuffle(), .workers = 3});
  for (const weir::Batch& batch : loader.stream()) std::printf("%u images\n", batch.size());
  return loader.report().samples.consumed == loader.size() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
