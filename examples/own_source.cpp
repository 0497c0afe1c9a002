// A source of your own: thousands of images in one file, read with pread(2).
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
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

PackedFile pack(const weir::AnySource& images) {
  const std::shared_ptr<std::FILE> file(std::tmpfile(), std::fclose);
  if (!file) throw std::runtime_error("no temporary file");
  std::vector<PackedFile::Entry> entries;
  std::uint64_t offset = 0;
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    weir::MemorySink sink;
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

/// Reads each sample without a Loader: twice, and where no byte is granted.
void check(const weir::AnySource& source) {
  for (std::uint64_t i = 0; i < source.size(); ++i) {
    weir::MemorySink sink, again, full(0);
    const auto bytes = source.read(i, sink).bytes;
    if (!std::ranges::equal(bytes, source.read(i, again).bytes)) {
      throw std::logic_error(source.name(i) + " has changed");
    }
    if (source.try_read(i, full)) throw std::logic_error(source.name(i) + " took no memory");
  }
}

}  // namespace

int main() try {
  const auto packed = pack(weir::synthetic(500, {96, 128}));
  check(packed);
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
