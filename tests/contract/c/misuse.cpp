#include "contract/c/misuse.hpp"

#include <cstring>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "weir/weir.h"

namespace weir::test {
namespace {

/// What calls must return, and what they return.
class Caller {
 public:
  explicit Caller(std::uint64_t seed) : random_(seed) { open(); }
  ~Caller() {
    for (const auto batch : held_) weir_release(loader_, batch, 1, nullptr);
    weir_close(&loader_, nullptr);
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  void call() {
    switch (random_() % 12) {
      case 0: return null();
      case 1: return wrong_size();
      case 2: return released_batch();
      case 3: return wrong_argument();
      case 4: return small_buffer();
      case 5: return wrong_error();
      case 6: return take();
      case 7: return give_back();
      case 8: return close_too_early();
      case 9: return use();
      case 10: return open_what_is_not();
      default: return reopen();
    }
  }

 private:
  template <class Struct>
  static Struct sized() {
    Struct value{};
    value.size = sizeof value;
    return value;
  }
  void expect(int returned, int wanted) {
    if (returned == wanted) return;
    CAPTURE(returned, wanted, error_.text);
    FAIL("another result");
  }
  void open() {
    expect(weir_open("synthetic:6,16x16", "batch=2,shape=8x8,workers=1,max_leases=3", &loader_,
                     &error_),
           WEIR_OK);
    started_ = false;
    last_released_ = 0;  // numbers are those of a loader
  }
  void close() {
    for (const auto batch : held_) expect(weir_release(loader_, batch, 0, &error_), WEIR_OK);
    held_.clear();
    expect(weir_close(&loader_, &error_), WEIR_OK);
    expect(weir_close(&loader_, &error_), WEIR_MISUSE);  // closed twice
  }
  void reopen() {
    if (random_() % 64 != 0) return null();
    close();
    open();
  }

  void null() {
    auto info = sized<weir_loader_info>();
    auto counts = sized<weir_counts>();
    auto array = sized<weir_array>();
    weir_batch batch = 1;
    switch (random_() % 14) {
      case 0: return expect(weir_describe(nullptr, &info, &error_), WEIR_MISUSE);
      case 1: return expect(weir_describe(loader_, nullptr, &error_), WEIR_MISUSE);
      case 2: return expect(weir_count(nullptr, &counts, &error_), WEIR_MISUSE);
      case 3: return expect(weir_start(nullptr, nullptr, &error_), WEIR_MISUSE);
      case 4: return expect(weir_next(loader_, 0, nullptr, &error_), WEIR_MISUSE);
      case 5: return expect(weir_next(nullptr, 0, &batch, nullptr), WEIR_MISUSE);
      case 6: return expect(weir_close(nullptr, &error_), WEIR_MISUSE);
      case 7: return expect(weir_cancel(nullptr, &error_), WEIR_MISUSE);
      case 8: return expect(weir_open("synthetic:1,8x8", nullptr, nullptr, &error_), WEIR_MISUSE);
      case 9: return expect(weir_open_source(nullptr, "", &loader_, &error_), WEIR_MISUSE);
      case 10: return expect(weir_release(nullptr, 1, 1, &error_), WEIR_MISUSE);
      case 11:
        return expect(weir_column(nullptr, 1, nullptr, "pixels", &array, &error_), WEIR_MISUSE);
      case 12:
        return expect(weir_sample_name(loader_, 0, nullptr, 99, nullptr, &error_), WEIR_MISUSE);
      default:
        weir_set_label(nullptr, 1);
        CHECK(weir_fail(nullptr, nullptr) != WEIR_OK);
        CHECK(weir_take(nullptr, 1) == nullptr);
        CHECK(weir_take_annotation(nullptr, 1) == nullptr);
        CHECK(weir_wants_annotation(nullptr) == 0);
    }
  }
  void wrong_size() {
    auto info = sized<weir_loader_info>();
    info.size += 1 + random_() % 100;
    expect(weir_describe(loader_, &info, &error_), WEIR_MISUSE);
    auto extent = sized<weir_stream_options>();
    extent.size = random_() % extent.size;
    expect(weir_start(loader_, &extent, &error_), WEIR_MISUSE);
    weir_source source{};
    expect(weir_open_source(&source, "", &loader_, &error_), WEIR_MISUSE);
    if (held_.empty()) return;
    weir_array array{};
    expect(weir_column(loader_, any(), nullptr, "pixels", &array, &error_), WEIR_MISUSE);
    weir_window window{};
    expect(weir_window_of(loader_, any(), 0, &window, &error_), WEIR_MISUSE);
  }
  void released_batch() {
    const weir_batch batch = random_() % 2 ? last_released_ : random_() | (1ull << 60);
    auto info = sized<weir_batch_info>();
    auto array = sized<weir_array>();
    expect(weir_release(loader_, batch, 1, &error_), WEIR_MISUSE);
    expect(weir_finish(loader_, batch, &error_), WEIR_MISUSE);
    expect(weir_describe_batch(loader_, batch, &info, &error_), WEIR_MISUSE);
    expect(weir_row(loader_, batch, nullptr, "annotations", 0, &array, &error_), WEIR_MISUSE);
  }
  void wrong_argument() {
    if (held_.empty()) return;
    auto array = sized<weir_array>();
    const auto row = 2 + static_cast<std::uint32_t>(random_() % 1000);
    expect(weir_column(loader_, any(), nullptr, "pixel", &array, &error_), WEIR_MISUSE);
    expect(weir_column(loader_, any(), nullptr, nullptr, &array, &error_), WEIR_MISUSE);
    expect(weir_column(loader_, any(), "mask", "pixels", &array, &error_), WEIR_BAD_OPTIONS);
    expect(weir_column(loader_, any(), "mask", "labels", &array, &error_), WEIR_MISUSE);
    expect(weir_row(loader_, any(), "", "pixels", row, &array, &error_), WEIR_BAD_OPTIONS);
    expect(weir_row(loader_, any(), "", "annotations", row, &array, &error_), WEIR_BAD_OPTIONS);
    expect(weir_row(loader_, any(), nullptr, "bytes", 0, &array, &error_), WEIR_MISUSE);
    expect(weir_row(loader_, any(), nullptr, "labels", 0, &array, &error_), WEIR_MISUSE);
    expect(weir_row(loader_, any(), "mask", "pixels", 0, &array, &error_), WEIR_BAD_OPTIONS);
    expect(weir_row(loader_, any(), "mask", "annotations", 0, &array, &error_), WEIR_MISUSE);
    expect(weir_class_name(loader_, 10 + row, nullptr, 0, nullptr, &error_), WEIR_MISUSE);
    expect(weir_sample_name(loader_, 6 + row, nullptr, 0, nullptr, &error_), WEIR_BAD_OPTIONS);
  }
  void small_buffer() {
    char room[4];
    std::size_t length = 0;
    expect(weir_class_name(loader_, 0, room, random_() % 2, &length, &error_), WEIR_NO_ROOM);
    CHECK(length > 0);
  }
  void wrong_error() {
    weir_error error;
    std::memset(&error, 0x55, sizeof error);
    error.size = random_() % sizeof error;
    expect(weir_cancel(nullptr, &error), WEIR_MISUSE);
    CHECK(error.code == 0x55555555);  // not touched
  }
  void take() {
    weir_batch batch = 7;
    if (!started_) {
      expect(weir_next(loader_, -1, &batch, &error_), WEIR_MISUSE);
      expect(weir_cancel(loader_, &error_), WEIR_MISUSE);
      auto extent = sized<weir_stream_options>();
      extent.resume = "{";
      expect(weir_start(loader_, &extent, &error_), WEIR_BAD_OPTIONS);
      extent.resume = nullptr;
      expect(weir_start(loader_, &extent, &error_), WEIR_OK);  // without end
      started_ = true;
    }
    expect(weir_start(loader_, nullptr, &error_), WEIR_BAD_OPTIONS);  // it has a stream
    if (held_.size() == 3) {
      expect(weir_next(loader_, 0, &batch, &error_), WEIR_TOO_MANY_LEASES);
      return expect(weir_next(loader_, -1, &batch, &error_), WEIR_TOO_MANY_LEASES);
    }
    expect(weir_next(loader_, -1, &batch, &error_), WEIR_OK);
    held_.push_back(batch);
  }
  void give_back() {
    if (held_.empty()) return;
    last_released_ = held_.back();
    held_.pop_back();
    expect(weir_release(loader_, last_released_, static_cast<int>(random_() % 2), &error_),
           WEIR_OK);
    expect(weir_release(loader_, last_released_, 1, &error_), WEIR_MISUSE);  // released twice
  }
  void close_too_early() {
    if (!held_.empty()) expect(weir_close(&loader_, &error_), WEIR_MISUSE);
    weir_loader* none = nullptr;
    expect(weir_close(&none, &error_), WEIR_MISUSE);
  }
  void use() {
    if (held_.empty()) return;
    auto array = sized<weir_array>();
    expect(weir_column(loader_, any(), nullptr, "pixels", &array, &error_), WEIR_OK);
    CHECK(array.shape[0] == 2);
    expect(weir_finish(loader_, any(), &error_), WEIR_OK);
  }
  void open_what_is_not() {
    if (random_() % 16 != 0) return;
    weir_loader* other = nullptr;
    expect(weir_open("/no/such/folder", "", &other, &error_), WEIR_SOURCE_FAILED);
    expect(weir_open("synthetic:1", "", &other, &error_), WEIR_BAD_OPTIONS);
    expect(weir_open("synthetic:1,8x8", "batch=0", &other, &error_), WEIR_BAD_OPTIONS);
    expect(weir_open("synthetic:1,8x8", "batches=1", &other, &error_), WEIR_BAD_OPTIONS);
    expect(weir_open(nullptr, "", &other, &error_), WEIR_MISUSE);
    CHECK(other == nullptr);
  }
  weir_batch any() { return held_[random_() % held_.size()]; }

  std::mt19937_64 random_;
  weir_error error_ = sized<weir_error>();
  weir_loader* loader_ = nullptr;
  bool started_ = false;
  std::vector<weir_batch> held_;
  weir_batch last_released_ = 0;
};

}  // namespace

void misuse(std::uint64_t calls, std::uint64_t seed) {
  Caller caller(seed);
  for (std::uint64_t i = 0; i < calls; ++i) caller.call();
}

}  // namespace weir::test
