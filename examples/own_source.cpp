// A source of your own: thousands of images in one file, read with pread(2).
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

/// A file of encoded images, one after the other, and the offset of each. Any thread.
class PackedFile {
 public:
  struct Entry {
    std::uint64_t offset, bytes;
    std::int64_t label;
  };
  PackedFile(std::shared_ptr<std::FILE> file, std::vector<Entry> entries)
      : file_(std::move(file)), entries_(std::move(entries)) {}

  std::uint64_t size() const { return entries_.size(); }
  std::uint64_t index_bytes() const { return entries_.capacity() * sizeof(Entry); }
  std::optional<std::uint64_t> encoded_bytes(std::uint64_t i) const { return entries_[i].bytes; }
  std::string name(std::uint64_t i) const { return "packed image " + std::to_string(i); }

  weir::Encoded read(std::uint64_t i, weir::ByteSink& sink) const {
    const auto& entry = entries_[i];
    const auto memory = sink.take(entry.bytes);  // first: it may refuse; read() is called again
    const auto got = ::pread(::fileno(file_.get()), memory.data(), memory.size(),
                             static_cast<off_t>(entry.offset));
    if (got != static_cast<ssize_t>(memory.size())) {
      throw weir::SampleError(weir::FaultKind::io, "the packed file gave too few bytes");
    }
    return {memory, entry.label};
  }

 private:
  std::shared_ptr<std::FILE> file_;
  std::vector<Entry> entries_;
};
static_assert(weir::Source<PackedFile>);

/// Heap memory for a source that is read without a Loader.
class HeapSink final : public weir::ByteSink {
 public:
  std::optional<std::span<std::byte>> try_take(std::size_t bytes) override {
    memory_.resize(bytes);
    return memory_;
  }

 private:
  std::vector<std::byte> memory_;
};

PackedFile pack(const weir::AnySource& images) {
  const std::shared_ptr<std::FILE> file(std::tmpfile(), std::fclose);
  if (!file) throw std::runtime_error("no temporary file");
  std::vector<PackedFile::Entry> entries;
  HeapSink sink;
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    const auto image = images.read(i, sink);
    if (std::fwrite(image.bytes.data(), 1, image.bytes.size(), file.get()) != image.bytes.size()) {
      throw std::runtime_error("the temporary file is full");
    }
    entries.push_back({offset, image.bytes.size(), image.label});
    offset += image.bytes.size();
  }
  std::fflush(file.get());
  return {file, std::move(entries)};
}

}  // namespace

int main() try {
  const auto packed = pack(weir::synthetic(500, {96, 128}));
  weir::Loader loader(packed, {.shape = {64, 64}, .order = weir::Order::shuffle(), .batch = 50});
  std::vector<std::uint64_t> images_of_class(10);
  for (weir::Batch& batch : loader.stream()) {
    for (const auto label : batch.labels()) ++images_of_class.at(static_cast<std::size_t>(label));
  }
  for (std::size_t label = 0; label < 10; ++label) {
    std::printf("class %zu: %llu images\n", label,
                static_cast<unsigned long long>(images_of_class[label]));
  }
  const auto seen =
      std::accumulate(images_of_class.begin(), images_of_class.end(), std::uint64_t{0});
  std::printf("%llu of %llu delivered, index %llu bytes\n", static_cast<unsigned long long>(seen),
              static_cast<unsigned long long>(loader.size()),
              static_cast<unsigned long long>(loader.ledger().snapshot()[weir::Account::index]));
  return seen == loader.size() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
