#include "c/source.hpp"

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "base/sanitize.hpp"
#include "base/text.hpp"

/// One call of weir_source::read.
struct weir_sink {
  weir::ByteSink& bytes;
  weir::Encoded encoded{};
  bool taken = false, annotated = false;
  bool refused = false;          ///< by the budget
  std::exception_ptr failure{};  ///< for try_read(): no exception passes the caller's code
};

namespace weir::c {
namespace {

[[noreturn]] void fail(const std::string& reason) { throw SampleError(FaultKind::io, reason); }

class Source {
 public:
  explicit Source(const weir_source& described)
      : self_(described.self,
              [close = described.close](void* self) {
                if (close) close(self);
              }),
        read_(described.read),
        count_(described.count),
        fingerprint_(described.fingerprint ? described.fingerprint : "") {}

  std::uint64_t size() const { return count_; }
  std::uint64_t index_bytes() const { return sizeof *this + fingerprint_.size(); }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::string fingerprint() const {
    return fingerprint_.empty() ? concat("samples: ", count_) : fingerprint_;
  }
  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& bytes) const {
    weir_sink sink{.bytes = bytes};
    const auto result = read_(self_.get(), i, &sink);
    if (sink.refused) return std::nullopt;
    if (sink.failure) std::rethrow_exception(sink.failure);
    if (result != 0) fail(concat("the source's read returned ", result, " without weir_fail()"));
    if (!sink.taken) fail("the source's read did not call weir_take()");
    return sink.encoded;
  }

 private:
  std::shared_ptr<void> self_;
  decltype(weir_source::read) read_;
  std::uint64_t count_;
  std::string fingerprint_;
};

/// Memory of the sink for one part of a sample, also for an empty one. Null if there is none, or if
/// the part was taken.
void* take(weir_sink* sink, std::size_t bytes, bool& taken, std::span<const std::byte>& part) {
  try {
    if (taken) fail("the source's read took memory twice for one part");
    if (const auto room = sink->bytes.try_take(bytes)) {
      taken = true;
      part = *room;
      static std::byte nothing{};
      return room->empty() ? &nothing : room->data();
    }
    sink->refused = true;
  } catch (...) {
    sink->failure = std::current_exception();
  }
  return nullptr;
}

}  // namespace

AnySource make_source(const weir_source& described) { return Source(described); }

}  // namespace weir::c

void* weir_take(weir_sink* sink, size_t bytes) {
  return sink ? weir::c::take(sink, bytes, sink->taken, sink->encoded.bytes) : nullptr;
}

int32_t weir_wants_annotation(const weir_sink* sink) {
  return sink && sink->bytes.wants_annotation() ? 1 : 0;
}

void* weir_take_annotation(weir_sink* sink, size_t bytes) {
  if (!weir_wants_annotation(sink)) return nullptr;
  return weir::c::take(sink, bytes, sink->annotated, sink->encoded.annotation);
}

void weir_set_label(weir_sink* sink, int64_t label) {
  if (sink) sink->encoded.label = label;
}

int32_t weir_fail(weir_sink* sink, const char* reason) {
  try {
    weir::c::fail(weir::sanitize_message(reason ? reason : "the source gave no reason"));
  } catch (...) {
    if (sink) sink->failure = std::current_exception();
  }
  return WEIR_OTHER;
}
