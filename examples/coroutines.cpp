// Coroutines: one thread consumes several data sets at once, reports its progress and keeps a
// deadline. It never blocks. The result is the mean and deviation of each channel, for normalisation.
//   coroutines [FOLDER…] [--seconds N]
#include <weir/interop/asio.hpp>
#include <weir/weir.hpp>

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Sums of the values of each channel and of their squares. The sums are exact, so their order does not matter.
struct Moments {
  std::array<std::uint64_t, 3> sum{}, squares{};
  std::uint64_t pixels = 0, images = 0;

  void add(const weir::PixelBlock& block) {
    for (std::size_t i = 0; i < block.pixels.size(); i += 3)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::uint64_t value = block.pixels[i + c];
        sum[c] += value;
        squares[c] += value * value;
      }
    pixels += block.pixels.size() / 3;
    images += block.count;
  }
  weir::Normalize normalize() const {
    weir::Normalize found;
    for (std::size_t c = 0; c < 3; ++c) {
      const double n = static_cast<double>(pixels), mean = static_cast<double>(sum[c]) / n;
      found.mean[c] = mean / 255;
      found.stddev[c] = std::sqrt(static_cast<double>(squares[c]) / n - mean * mean) / 255;
    }
    return found;
  }
  friend bool operator==(const Moments&, const Moments&) = default;
};

weir::Options options() {
  return {.shape = {64, 64}, .fit = weir::Fit::stretch, .batch = 32, .workers = 1};
}

/// One data set, its stream and the results so far.
struct Work {
  Work(std::string name, weir::AnySource from)
      : title(std::move(name)), source(from), loader(from, options()), stream(loader.stream()) {}
  std::string title;
  weir::AnySource source;
  weir::Loader loader;
  weir::Stream stream;
  Moments moments;
};

/// Consumes the stream to its end. While it waits for a batch, the thread is free for the others.
asio::awaitable<void> measure(Work& work) {
  while (const auto batch = co_await weir::async_next(work.stream, asio::use_awaitable))
    work.moments.add(batch->pixels());
}

/// Prints a line at each tick until `ended`. Cancelling the timer makes the last tick come at once. If the
/// timer has expired already, cancelling has no effect, so the flag decides.
asio::awaitable<void> tell(const std::vector<std::unique_ptr<Work>>& works,
                           asio::steady_timer& timer, const bool& ended) {
  for (bool over = false; !over;) {
    timer.expires_after(100ms);
    try {
      co_await timer.async_wait(asio::use_awaitable);
    } catch (const boost::system::system_error&) {
    }
    over = ended;
    for (const auto& work : works)
      std::fprintf(stderr, "%s: %llu of %llu  ", work->title.c_str(),
                   static_cast<unsigned long long>(work->moments.images),
                   static_cast<unsigned long long>(work->loader.size()));
    std::fprintf(stderr, "\n");
  }
}

/// Runs all of `works` on this thread. False: the time ran out first.
bool measure_all(const std::vector<std::unique_ptr<Work>>& works,
                 std::chrono::steady_clock::duration limit) {
  asio::io_context context;
  asio::steady_timer tick(context), deadline(context, limit);
  std::exception_ptr failure;
  std::size_t left = works.size();
  bool in_time = true, ended = false;
  const auto done = [&](const std::exception_ptr& error) {
    if (error && !failure) failure = error;
    if (--left > 0 && !error) return;
    ended = true;
    for (const auto& work : works) work->stream.cancel();
    deadline.cancel();
    tick.cancel();
  };
  for (const auto& work : works) asio::co_spawn(context, measure(*work), done);
  asio::co_spawn(context, tell(works, tick, ended), [](const std::exception_ptr&) {});
  deadline.async_wait([&](const boost::system::error_code& cancelled) {
    if (cancelled) return;
    in_time = false;
    for (const auto& work : works) work->stream.cancel();  // a waiter gets an empty batch
  });
  context.run();
  if (failure) std::rethrow_exception(failure);
  return in_time;
}

/// The same with a blocking loop, one data set after the other.
Moments one_by_one(const weir::AnySource& source) {
  weir::Loader loader(source, options());
  Moments moments;
  for (weir::Batch& batch : loader.stream()) moments.add(batch.pixels());
  return moments;
}

}  // namespace

int main(int argc, char** argv) try {
  double seconds = 3600;
  std::vector<std::unique_ptr<Work>> works;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (word == "--seconds" && i + 1 < argc) {
      seconds = std::strtod(argv[++i], nullptr);
    } else {
      works.push_back(std::make_unique<Work>(argv[i], weir::image_folder(argv[i])));
    }
  }
  const bool made = works.empty();
  if (made) {
    works.push_back(std::make_unique<Work>("wide", weir::synthetic(300, {96, 160}, 1)));
    works.push_back(std::make_unique<Work>("tall", weir::synthetic(200, {160, 96}, 2)));
    works.push_back(std::make_unique<Work>("small", weir::synthetic(400, {40, 40}, 3)));
  }

  const auto limit = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(seconds));
  const bool in_time = measure_all(works, limit);
  bool right = true;
  for (const auto& work : works) {
    if (work->moments.images == 0) continue;
    const auto found = work->moments.normalize();
    std::printf("%s: weir::Normalize{{%.4f, %.4f, %.4f}, {%.4f, %.4f, %.4f}}  // of %llu images\n",
                work->title.c_str(), found.mean[0], found.mean[1], found.mean[2], found.stddev[0],
                found.stddev[1], found.stddev[2],
                static_cast<unsigned long long>(work->moments.images));
    if (made && in_time) right &= work->moments == one_by_one(work->source);
  }
  if (!in_time) std::printf("the time was up\n");
  if (!right) std::printf("a blocking loop gives other results\n");
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
