#include "shards/members.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <clocale>
#include <memory>
#include <new>
#include <vector>

#include "base/checked.hpp"
#include "base/file_descriptor.hpp"
#include "base/sanitize.hpp"
#include "shards/headers.hpp"
#include "source/checked_path.hpp"
#include "weir/error.hpp"

namespace weir::shards {
namespace {

/// Bytes of a read. More would read bytes of images that are passed over.
constexpr std::size_t read_bytes = 4096;
/// Bytes of the headers of one member: names, times, a map of holes. libarchive keeps them.
constexpr std::uint64_t most_header_bytes = 4 << 20;
/// Zeros after the end of the archive: tar fills its last record.
constexpr std::uint64_t most_padding = 1 << 20;

/// libarchive converts names to the charset of the locale. In this locale it cannot, and keeps the
/// bytes.
class PlainLocale {
 public:
  PlainLocale() : plain_(::newlocale(LC_ALL_MASK, "C", nullptr)) {
    if (plain_ == nullptr) throw std::bad_alloc();
    before_ = ::uselocale(plain_);
  }
  ~PlainLocale() {
    ::uselocale(before_);
    ::freelocale(plain_);
  }
  PlainLocale(const PlainLocale&) = delete;
  PlainLocale& operator=(const PlainLocale&) = delete;

 private:
  locale_t plain_, before_;
};

/// What libarchive reads from: a file, up to a limit that moves with the members.
class Input {
 public:
  explicit Input(const ShardFile& shard) : shard_(shard) {}

  void limit_to(std::uint64_t offset) noexcept { limit_ = offset; }
  bool over_limit() const noexcept { return over_limit_; }
  /// The errno of a read that failed; 0: none did.
  int error() const noexcept { return error_; }

  static la_ssize_t read(archive*, void* self, const void** data) noexcept {
    return static_cast<Input*>(self)->read(data);
  }
  static la_int64_t skip(archive*, void* self, la_int64_t bytes) noexcept {
    return static_cast<Input*>(self)->skip(bytes);
  }

 private:
  la_ssize_t read(const void** data) noexcept {
    over_limit_ = at_ >= limit_;
    if (over_limit_) return ARCHIVE_FATAL;
    const auto got = read_full(shard_.file, buffer_, at_);
    if (got == 0 && errno != 0) {
      error_ = errno;
      return ARCHIVE_FATAL;
    }
    at_ += got;
    *data = buffer_.data();
    return static_cast<la_ssize_t>(got);
  }
  la_int64_t skip(la_int64_t bytes) noexcept {
    const auto skipped = std::min(static_cast<std::uint64_t>(bytes), sub_floor(shard_.bytes, at_));
    at_ += skipped;
    return static_cast<la_int64_t>(skipped);
  }

  const ShardFile& shard_;
  std::uint64_t at_ = 0, limit_ = most_header_bytes;
  bool over_limit_ = false;
  int error_ = 0;
  std::array<std::byte, read_bytes> buffer_;
};

struct Free {
  void operator()(archive* reader) const noexcept { archive_read_free(reader); }
  void operator()(archive_entry* entry) const noexcept { archive_entry_free(entry); }
};

/// The name of the compression that a file begins with. Empty if it is none.
std::string_view compression_of(const ShardFile& shard) {
  constexpr struct {
    std::string_view magic, name;
  } kinds[] = {{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\xfd\x37zXZ", "xz"},
               {"BZh", "bzip2"},     {"\x04\x22\x4d\x18", "lz4"},  {"\x1f\x9d", "compress"},
               {"LZIP", "lzip"},     {"PK\x03\x04", "zip"}};
  std::array<char, 8> start{};
  const auto got = read_full(shard.file, std::as_writable_bytes(std::span(start)), 0);
  const std::string_view text(start.data(), got);
  const auto* const found =
      std::ranges::find_if(kinds, [&](const auto& kind) { return text.starts_with(kind.magic); });
  return found == std::end(kinds) ? std::string_view() : found->name;
}

class MemberReader {
 public:
  explicit MemberReader(const ShardFile& shard) : shard_(shard), input_(shard) {
    // libarchive makes its own entry without a look at whether there is memory.
    reader_.reset(archive_read_new());
    if (reader_) entry_.reset(archive_entry_new2(reader_.get()));
    if (!entry_) throw std::bad_alloc();
    auto* const reader = reader_.get();
    if (archive_read_support_format_tar(reader) != ARCHIVE_OK) fail();
    if (archive_read_set_callback_data(reader, &input_) != ARCHIVE_OK) fail();  // it allocates
    archive_read_set_read_callback(reader, Input::read);
    archive_read_set_skip_callback(reader, Input::skip);
    if (shard.bytes == 0) refuse_shard(shard, 0, "the file is empty; copy or make it again");
    if (archive_read_open1(reader) != ARCHIVE_OK) fail();
  }

  /// False at the end of the archive. The member is a regular file or, if `passed_over`, a folder.
  bool next(Member& member, bool& passed_over) {
    auto* const entry = entry_.get();
    input_.limit_to(add_sat(end_, most_header_bytes));
    const auto result = archive_read_next_header2(reader_.get(), entry);
    if (result == ARCHIVE_EOF) return false;
    // The one harmless warning: the name has no form in this locale, so its bytes are as stored.
    // Another one may be about the size of the member, or about its name.
    const char* const said = archive_error_string(reader_.get());
    const bool only_name = result == ARCHIVE_WARN && said != nullptr &&
                           std::string_view(said).find("can't be converted") != std::string::npos;
    if (result != ARCHIVE_OK && !only_name) fail();
    member.header = static_cast<std::uint64_t>(archive_read_header_position(reader_.get()));
    member.offset = static_cast<std::uint64_t>(archive_filter_bytes(reader_.get(), 0));
    member.bytes = static_cast<std::uint64_t>(archive_entry_size(entry));
    const char* const name = archive_entry_pathname(entry);
    member.name = name == nullptr ? "" : name;
    check(member, *entry);
    check_sizes(shard_, member);
    passed_over = archive_entry_filetype(entry) == AE_IFDIR;
    return true;
  }

  /// Call it after next() was false.
  void check_end() const {
    std::array<std::byte, read_bytes> bytes{};
    std::uint64_t at = end_;
    const auto zeros = [&](std::size_t count) {
      const auto got = read_full(shard_.file, std::span(bytes).first(count), at);
      if (got < count && errno != 0) refuse_shard(shard_, at, "cannot read: " + errno_text(errno));
      const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(got);
      return std::all_of(bytes.begin(), end, [](std::byte b) { return b == std::byte{0}; }) ? got
                                                                                            : 0;
    };
    // Two blocks end an archive. The first shows that no member is missing.
    if (zeros(block) != block)
      refuse_shard(shard_, at,
                   "the archive is cut short here: a block of zeros must end it; copy or make it "
                   "again");
    for (at += block; at < shard_.bytes;) {
      const auto got = zeros(bytes.size());
      if (at - end_ > most_padding)
        refuse_shard(shard_, at,
                     "more than 1 MiB of zeros follows the end of the archive; make it again, "
                     "without `tar -b`");
      if (got == 0)
        refuse_shard(shard_, at,
                     "bytes follow the end of the archive; join archives with `tar -A`, or make "
                     "it again");
      at += got;
    }
  }

 private:
  /// After an error of libarchive.
  [[noreturn]] void fail() const {
    if (input_.error() != 0)
      refuse_shard(shard_, end_, "cannot read: " + errno_text(input_.error()));
    if (const auto kind = compression_of(shard_); !kind.empty())
      refuse_shard(shard_, 0,
                   "it is compressed (" + std::string(kind) +
                       "), so no sample can be read alone; decompress it, images gain nothing");
    if (input_.over_limit())
      refuse_shard(shard_, end_, "a member has more than 4 MiB of headers; make the shard again");
    if (archive_errno(reader_.get()) == ENOMEM) throw std::bad_alloc();
    const char* const text = archive_error_string(reader_.get());
    refuse_shard(shard_, end_,
                 std::string("no valid tar header (") + sanitize(text ? text : "unknown") +
                     "); the archive is damaged or cut short: copy or make it again");
  }

  [[noreturn]] void refuse(const Member& member, const std::string& what) const {
    refuse_shard(shard_, member.header, "member '" + sanitize(member.name) + "' " + what);
  }

  void check(const Member& member, archive_entry& entry) {
    if (member.header != end_)
      refuse(member,
             "does not begin where the one before ends; it or "
             "that one is sparse or split: make the shard again");
    if (member.name.empty()) refuse(member, "has no name");
    if (archive_entry_hardlink(&entry) != nullptr)
      refuse(member, "is a hard link; make the shard with `tar --hard-dereference`");
    switch (archive_entry_filetype(&entry)) {
      case AE_IFREG: break;
      case AE_IFDIR: break;
      case AE_IFLNK: refuse(member, "is a symbolic link; make the shard with `tar --dereference`");
      case AE_IFCHR:
      case AE_IFBLK:
      case AE_IFIFO:
      case AE_IFSOCK: refuse(member, "is a device, a pipe or a socket; leave it out");
      default: refuse(member, "is of an unknown kind; make the shard again");
    }
    if (!source::is_below(member.name))
      refuse(member, "has a path that is absolute or has '..'; make the shard with relative paths");
    if (archive_entry_sparse_count(&entry) > 0)
      refuse(member,
             "is sparse, so its bytes are not in one piece; make the shard without "
             "`tar --sparse`");
    if (member.bytes > UINT32_MAX)
      refuse(member, "has " + std::to_string(member.bytes) +
                         " bytes; a member of 4 GiB or more is no sample: leave it out");
    const auto end = add_sat(member.offset, member.bytes);
    if (end > shard_.bytes)
      refuse(member, "has " + std::to_string(member.bytes) + " bytes from byte " +
                         std::to_string(member.offset) + " on, and the file ends at byte " +
                         std::to_string(shard_.bytes) +
                         ": the archive is cut short; copy or make it again");
    end_ = round_up(end, block);
  }

  const ShardFile& shard_;
  Input input_;
  std::unique_ptr<archive, Free> reader_;
  std::unique_ptr<archive_entry, Free> entry_;
  std::uint64_t end_ = 0;  ///< of the last member, where the next header is
};

}  // namespace

void read_members(const ShardFile& shard, const std::function<void(const Member&)>& each,
                  const std::stop_token& stop) {
  const PlainLocale plain;
  MemberReader reader(shard);
  Member member;
  for (bool passed_over = false; reader.next(member, passed_over);) {
    if (stop.stop_requested()) throw Error(Errc::source_failed, Stage::read, "stopped");
    if (!passed_over) each(member);
  }
  reader.check_end();
}

}  // namespace weir::shards
