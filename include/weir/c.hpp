#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/weir.h"

/// The C interface for C++11 and later, with destructors and exceptions. It needs libweir-c.so alone, so a trainer and
/// the library may have other compilers and standards.
namespace weir_c {

/// A call failed.
class Error : public std::runtime_error {
 public:
  /// From what the library said.
  explicit Error(const weir_error& error) : std::runtime_error(error.text), error_(error) {}
  int code() const noexcept { return error_.code; }              ///< a weir_code
  const weir_error& details() const noexcept { return error_; }  ///< option, value, bound, way out

 private:
  weir_error error_;
};

/// \cond
namespace detail {
template <class Struct>
Struct sized() {
  Struct value = Struct();
  value.size = sizeof(Struct);
  return value;
}

/// Calls a function with an error behind these arguments. Its code; throws Error if it is an error and not `fine`.
template <class Function, class... Arguments>
int call_or(int fine, const Function& function, Arguments... arguments) {
  weir_error error = sized<weir_error>();
  const int code = function(arguments..., &error);
  if (code != WEIR_OK && code != WEIR_END && code != WEIR_TIMEOUT && code != fine)
    throw Error(error);
  return code;
}

template <class Function, class... Arguments>
void call(const Function& function, Arguments... arguments) {
  call_or(WEIR_OK, function, arguments...);
}

/// The struct that a function fills.
template <class Struct, class Function, class... Arguments>
Struct get(const Function& function, Arguments... arguments) {
  Struct value = sized<Struct>();
  call(function, arguments..., &value);
  return value;
}

/// The text that a function gives.
template <class Function, class... Arguments>
std::string text(const Function& function, Arguments... arguments) {
  std::vector<char> room(4096);
  std::size_t length = 0;
  while (call_or(WEIR_NO_ROOM, function, arguments..., room.data(), room.size(), &length) !=
         WEIR_OK)
    room.resize(length + length / 2 + 1);  // a report may grow until the next call
  return std::string(room.data(), length);
}

/// Number of exceptions in flight; before C++17 no more than 1.
inline int exceptions() noexcept {
#if __cplusplus >= 201703L
  return std::uncaught_exceptions();
#else
  return std::uncaught_exception() ? 1 : 0;
#endif
}

/// The weir_element of T.
template <class T>
constexpr int element() {
  static_assert(std::is_integral<T>::value && (std::is_unsigned<T>::value || sizeof(T) == 8),
                "T must be an unsigned integer or std::int64_t");
  return std::is_signed<T>::value ? WEIR_I64
         : sizeof(T) == 1         ? WEIR_U8
         : sizeof(T) == 2         ? WEIR_U16
         : sizeof(T) == 4         ? WEIR_U32
                                  : WEIR_U64;
}
}  // namespace detail
/// \endcond

/// One batch. It releases its memory and is then finished, unless it is destroyed by an exception. Move-only. It keeps its
/// loader alive.
class Batch {
 public:
  Batch() noexcept = default;         ///< no batch
  Batch(Batch&&) noexcept = default;  ///< leaves none
  /// Releases the batch that it had, as the destructor.
  Batch& operator=(Batch other) noexcept {
    loader_.swap(other.loader_);
    std::swap(id_, other.id_);
    std::swap(exceptions_, other.exceptions_);
    return *this;
  }
  ~Batch() { release(detail::exceptions() <= exceptions_); }

  /// Whether there is a batch.
  explicit operator bool() const noexcept { return loader_ != nullptr; }
  /// What it is.
  weir_batch_info info() const {
    return detail::get<weir_batch_info>(weir_describe_batch, loader_.get(), id_);
  }
  /// A column, as weir_column().
  weir_array column(const char* name, const char* plane = nullptr) const {
    return detail::get<weir_array>(weir_column, loader_.get(), id_, plane, name);
  }
  /// The elements of a column without gaps, as a pointer. Throws std::invalid_argument for another type.
  template <class T>
  const T* values(const char* name, const char* plane = nullptr) const {
    const weir_array array = column(name, plane);
    if (array.element != detail::element<T>())
      throw std::invalid_argument(std::string(name) + " has elements of another type");
    return static_cast<const T*>(array.data);
  }
  /// One row of a column, as weir_row().
  weir_array row(const char* name, std::uint32_t i, const char* plane = nullptr) const {
    return detail::get<weir_array>(weir_row, loader_.get(), id_, plane, name, i);
  }
  /// One row of the image or of a plane: height, width, channels.
  weir_array image(std::uint32_t i, const char* plane = nullptr) const {
    return row("pixels", i, plane);
  }
  /// The annotation of one row.
  std::string annotation(std::uint32_t i) const {
    const weir_array array = row("annotations", i);
    return std::string(static_cast<const char*>(array.data), array.shape[0]);
  }
  /// What one row shows of its image.
  weir_window window(std::uint32_t i) const {
    return detail::get<weir_window>(weir_window_of, loader_.get(), id_, i);
  }
  /// It is trained, although it is still in hand.
  void finish() { detail::call(weir_finish, loader_.get(), id_); }
  /// Returns the memory now. Without `finished`, its samples come again when training resumes.
  void release(bool finished) noexcept {
    if (loader_) weir_release(loader_.get(), id_, finished ? 1 : 0, nullptr);
    loader_.reset();
  }

 private:
  friend class Loader;
  Batch(std::shared_ptr<weir_loader> loader, weir_batch id) noexcept
      : loader_(std::move(loader)), id_(id) {}
  std::shared_ptr<weir_loader> loader_;
  weir_batch id_ = 0;
  int exceptions_ = detail::exceptions();  // those that it did not meet
};

/// Reads sample `index` of one's own data: takes memory of the sink, and puts the encoded image there. Many threads at once.
/// It returns at once if weir_take() gives null, and if weir_take_annotation() does although weir_wants_annotation() is 1.
/// What it throws is the fault of the sample.
using Read = std::function<void(std::uint64_t index, weir_sink& sink)>;

/// A loader and its stream. Copies share it.
class Loader {
 public:
  /// Data and options as texts; see weir_open().
  explicit Loader(const std::string& data, const std::string& options = "") {
    weir_loader* opened = nullptr;
    detail::call(weir_open, data.c_str(), options.c_str(), &opened);
    loader_.reset(opened, close);
  }
  /// Data of one's own.
  Loader(std::uint64_t count, Read read, const std::string& options = "") {
    weir_source source = detail::sized<weir_source>();
    source.self = new Read(std::move(read));
    source.count = count;
    source.read = call;
    source.close = [](void* self) { delete static_cast<Read*>(self); };
    weir_loader* opened = nullptr;
    detail::call(weir_open_source, &source, options.c_str(), &opened);
    loader_.reset(opened, close);
  }

  /// What it is.
  weir_loader_info info() const {
    return detail::get<weir_loader_info>(weir_describe, loader_.get());
  }
  /// Bytes and samples now.
  weir_counts counts() const { return detail::get<weir_counts>(weir_count, loader_.get()); }
  /// The report as JSON.
  std::string report() const { return detail::text(weir_report, loader_.get()); }
  /// The name of a sample.
  std::string name(std::uint64_t index) const {
    return detail::text(weir_sample_name, loader_.get(), index);
  }
  /// The name of a class.
  std::string class_name(std::uint64_t label) const {
    return detail::text(weir_class_name, loader_.get(), label);
  }

  /// Starts the threads, for `epochs` epochs from the beginning of the training; 0: no end. `resume` is a text of progress();
  /// empty: from the beginning. `first_epoch`: epochs to leave out; 0 with `resume`.
  void start(std::uint64_t epochs = 1, const std::string& resume = "",
             std::uint64_t first_epoch = 0) {
    weir_stream_options options = detail::sized<weir_stream_options>();
    options.epochs = epochs;
    options.first_epoch = first_epoch;
    options.resume = resume.empty() ? nullptr : resume.c_str();
    detail::call(weir_start, loader_.get(), &options);
  }
  /// Waits for the next batch, which replaces `batch`. False: the stream has ended, or there was none in `timeout_ms`; 0: returns at once;
  /// below 0: no limit.
  bool next(Batch& batch, std::int64_t timeout_ms = -1) {
    batch.release(true);
    weir_batch id = 0;
    detail::call(weir_next, loader_.get(), timeout_ms, &id);
    if (id != 0) batch = Batch(loader_, id);
    return id != 0;
  }
  /// Ends the stream soon. Any thread.
  void cancel() { detail::call(weir_cancel, loader_.get()); }
  /// The samples that are finished, as JSON.
  std::string progress(bool all_ranks = false) const {
    return detail::text(weir_progress, loader_.get(), all_ranks ? 1 : 0);
  }

 private:
  static void close(weir_loader* loader) noexcept {
    if (loader) weir_close(&loader, nullptr);
  }
  static std::int32_t call(void* self, std::uint64_t index, weir_sink* sink) noexcept {
    try {
      (*static_cast<const Read*>(self))(index, *sink);
      return WEIR_OK;
    } catch (const std::exception& e) {
      return weir_fail(sink, e.what());
    } catch (...) {
      return weir_fail(sink, "an exception of an unknown type");
    }
  }
  std::shared_ptr<weir_loader> loader_;
};

}  // namespace weir_c
