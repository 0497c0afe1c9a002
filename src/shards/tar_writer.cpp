#include "shards/tar_writer.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <new>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

constexpr std::size_t waiting_bytes = 256 << 10, tar_block = 512;

}  // namespace

void TarWriter::Free::operator()(archive* tar) const noexcept { archive_write_free(tar); }
void TarWriter::Free::operator()(archive_entry* entry) const noexcept { archive_entry_free(entry); }

TarWriter::TarWriter(const std::string& path)
    : path_(path), file_(path), tar_(archive_write_new()), entry_(archive_entry_new()) {
  if (!tar_ || !entry_) throw std::bad_alloc();
  waiting_.reserve(waiting_bytes);
  check(archive_write_set_format_ustar(tar_.get()));
  // Without blocks libarchive passes on each piece at once, so size_ is exact after each header.
  check(archive_write_set_bytes_per_block(tar_.get(), 0));
  check(archive_write_open(tar_.get(), this, nullptr, take, nullptr));
}

TarWriter::~TarWriter() {
  // archive_write_free() writes the end of the archive, which is not wanted. After
  // archive_write_fail() it would not, but it would leak.
  abandoned_ = true;
  tar_.reset();
}

std::uint64_t TarWriter::member_bytes(std::uint64_t bytes) noexcept {
  return add_sat(tar_block, round_up(bytes, tar_block));
}

std::uint64_t TarWriter::add(const std::string& name, std::span<const std::byte> bytes) {
  constexpr int readable = 0644;
  auto* const entry = archive_entry_clear(entry_.get());
  archive_entry_set_pathname(entry, name.c_str());
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, readable);
  archive_entry_set_size(entry, static_cast<std::int64_t>(bytes.size()));
  archive_entry_set_mtime(entry, 0, 0);
  check(archive_write_header(tar_.get(), entry));
  const auto offset = size_;
  check(archive_write_data(tar_.get(), bytes.data(), bytes.size()));
  check(archive_write_finish_entry(tar_.get()));
  return offset;
}

Checksum TarWriter::finish() {
  check(archive_write_close(tar_.get()));
  tar_.reset();
  flush();
  file_.commit();
  return sum_.value();
}

std::ptrdiff_t TarWriter::take(archive*, void* self, const void* data, std::size_t count) noexcept {
  auto& writer = *static_cast<TarWriter*>(self);
  if (writer.abandoned_) return static_cast<std::ptrdiff_t>(count);
  try {
    writer.put({static_cast<const std::byte*>(data), count});
    return static_cast<std::ptrdiff_t>(count);
  } catch (...) {
    writer.failure_ = std::current_exception();
    return -1;
  }
}

void TarWriter::put(std::span<const std::byte> bytes) {
  sum_.add(bytes);
  size_ += bytes.size();
  if (waiting_.size() + bytes.size() > waiting_bytes) flush();
  if (bytes.size() > waiting_bytes) return file_.write(bytes);
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void TarWriter::flush() {
  file_.write(waiting_);
  waiting_.clear();
}

void TarWriter::check(std::ptrdiff_t result) {
  if (failure_) std::rethrow_exception(failure_);
  if (result >= ARCHIVE_OK) return;
  const char* const why = archive_error_string(tar_.get());
  throw Error(Errc::source_failed, Stage::read,
              "cannot write " + sanitize(path_) + ": " + (why ? why : "libarchive failed"));
}

}  // namespace weir::shards
