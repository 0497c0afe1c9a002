#include "engine/strand.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <new>
#include <utility>

#include "base/threads.hpp"

namespace weir::engine {

/// Gives Asio the memory of the node. Only one handler is queued at a time, and Asio frees its
/// memory before it calls the handler. So one node is enough.
template <class T>
struct Strand::NodeAllocator {
  using value_type = T;
  explicit NodeAllocator(Strand& owner) noexcept : strand(&owner) {}
  template <class U>
  explicit NodeAllocator(const NodeAllocator<U>& other) noexcept : strand(other.strand) {}
  T* allocate(std::size_t n) {
    if (n * sizeof(T) > strand->node_.size()) throw std::bad_alloc();
    return reinterpret_cast<T*>(strand->node_.data());
  }
  void deallocate(T*, std::size_t) noexcept {}
  template <class U>
  bool operator==(const NodeAllocator<U>& other) const noexcept {
    return strand == other.strand;
  }
  Strand* strand;
};

struct Strand::Handler {
  using allocator_type = NodeAllocator<std::byte>;
  allocator_type get_allocator() const noexcept { return allocator_type(*strand); }
  void operator()() const {
    strand->queued_.store(false);
    strand->step_();
  }
  Strand* strand;
};

struct Strand::Context {
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work =
      boost::asio::make_work_guard(io);
};

Strand::Strand() : context_(std::make_unique<Context>()) {}

Strand::~Strand() { stop(); }

void Strand::start(std::function<void()> step, Timer timer) {
  step_ = std::move(step);
  thread_ = start_thread([this, timer = std::move(timer)] { run(timer); });
}

// asio::steady_timer would need a reactor, which opens three descriptors per stream.
void Strand::run(const Timer& timer) {
  while (!context_->io.stopped()) {
    const auto next = timer ? timer() : std::nullopt;
    if (next)
      context_->io.run_one_until(*next);
    else
      context_->io.run_one();
  }
}

void Strand::wake() noexcept {
  if (!queued_.exchange(true)) boost::asio::post(context_->io, Handler{this});
}

void Strand::stop() noexcept {
  context_->io.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace weir::engine
