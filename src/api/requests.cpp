#include "weir/stream.hpp"

#include <utility>

#include "api/request_state.hpp"

namespace weir {

Requests::Requests(std::shared_ptr<api::RequestState> state) noexcept : state_(std::move(state)) {}

void Requests::ask(std::span<const std::uint64_t> indices) { state_->ask(indices); }

bool Requests::try_ask(std::span<const std::uint64_t> indices) {
  return state_->try_ask("Requests::try_ask", indices);
}

std::optional<Batch> Requests::next() {
  return state_->next(std::nullopt, engine::Handoff::Lease::at_once);
}

std::optional<Batch> Requests::next(std::chrono::steady_clock::duration timeout) {
  return state_->next(api::deadline_after(timeout), engine::Handoff::Lease::wait);
}

std::optional<Batch> Requests::try_next() {
  return state_->next(Clock::now(), engine::Handoff::Lease::at_once);
}

std::vector<std::uint64_t> Requests::outstanding() const { return state_->outstanding(); }

bool Requests::finished() const noexcept {
  return state_->away() || state_->running->handoff().finished();
}

void Requests::cancel() noexcept {
  if (!state_->away()) state_->running->handoff().cancel();
}

}  // namespace weir
