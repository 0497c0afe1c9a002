#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "weir/loader.hpp"

/// \file
/// Batches with Boost.Asio's completion tokens. CMake component `asio`.
namespace weir {

namespace interop {

/// A batch on its way to a handler. If it does not arrive, it is not finished.
class PostedBatch {
 public:
  explicit PostedBatch(std::optional<Batch> batch) noexcept : batch_(std::move(batch)) {}
  PostedBatch(PostedBatch&& other) noexcept : batch_(other.take()) {}
  ~PostedBatch() {
    if (batch_) batch_->receipt().abandon();
  }
  std::optional<Batch> take() noexcept { return std::exchange(batch_, std::nullopt); }

 private:
  std::optional<Batch> batch_;
};

/// A pending completion: the handler, and outstanding work of its executor.
template <class Handler>
class NextOperation {
 public:
  explicit NextOperation(Handler handler)
      : handler_(std::move(handler)), work_(boost::asio::make_work_guard(handler_)) {}

  /// Posts the handler. Must be called at most once.
  void complete(std::exception_ptr error, std::optional<Batch> batch) {
    const auto work = std::move(work_);
    boost::asio::post(work.get_executor(), [handler = std::move(handler_), error = std::move(error),
                                            posted = PostedBatch(std::move(batch))]() mutable {
      std::move(handler)(std::move(error), posted.take());
    });
  }

 private:
  Handler handler_;
  boost::asio::executor_work_guard<boost::asio::associated_executor_t<Handler>> work_;
};

}  // namespace interop

/// Stream::next() with a completion token: a callback, boost::asio::use_future or use_awaitable.
/// The handler's signature is void(std::exception_ptr, std::optional<Batch>). So a future or a
/// coroutine gives std::optional<Batch> (empty: finished or cancelled) and throws as next() does.
/// But it waits for a free lease instead of throwing, and reports misuse through the handler.
///
///     while (auto batch = co_await weir::async_next(stream, boost::asio::use_awaitable)) learn(*batch);
///
/// The handler is posted to its associated executor and counts as outstanding work of that
/// executor. A callback without an executor (boost::asio::bind_executor) runs on a thread of the
/// system executor. Only one call can be pending, and next() must not be called meanwhile.
/// Stream::cancel() and the end of the stream complete the call. The stream may be destroyed first. The
/// context of the executor must not be destroyed while the call is pending: destroy the stream before
/// it, or cancel the stream and run the context until the handler has run.
/// If the handler never runs, its destructor returns the batch, which is not finished: it comes again
/// when training resumes.
template <class Token>
auto async_next(Stream& stream, Token&& token) {
  using Signature = void(std::exception_ptr, std::optional<Batch>);
  const auto initiate = [&stream](auto&& handler) {
    using Operation = interop::NextOperation<std::decay_t<decltype(handler)>>;
    const auto operation = std::make_shared<Operation>(std::forward<decltype(handler)>(handler));
    try {
      stream.async_next([operation](std::exception_ptr error, std::optional<Batch> batch) {
        operation->complete(std::move(error), std::move(batch));
      });
    } catch (...) {
      operation->complete(std::current_exception(), std::nullopt);
    }
  };
  return boost::asio::async_initiate<Token, Signature>(initiate, token);
}

}  // namespace weir
