#include "weir/requests.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/states.hpp"
#include "base/checked.hpp"
#include "plan/loader_bytes.hpp"

namespace weir {
namespace api {
namespace {

constexpr const char* most_outstanding = "RequestOptions::max_outstanding";
constexpr std::uint32_t most_requests = 1u << 20;

conductor::RequestList::Terms terms_of(const LoaderState& loader, const RequestOptions& requested) {
  const auto refuse = [](const std::string& why) {
    throw Error(Errc::bad_options, Stage::wait, why);
  };
  const auto& plan = loader.core->plan;
  const auto most = requested.max_outstanding;
  if (most < 1 || most > most_requests)
    refuse(most_outstanding + (" = " + std::to_string(most)) + ": must be 1 to " +
           std::to_string(most_requests));
  if (plan.ranks.world > 1)
    refuse("Loader::requests: with ranks.world = " + std::to_string(plan.ranks.world) +
           " each rank would get a part of every batch, and requests are of one process; give each "
           "rank a loader without ranks, and let it ask for its own samples");
  const auto samples = loader.core->source.size();
  const conductor::RequestList::Terms terms{
      most, most_rows(plan.batch, std::min(samples, loader.positions())), samples};
  // The promised budget has one slab more than the trainer needs, so the list may take its bytes.
  const auto bytes = conductor::RequestList::memory_bytes(terms);
  if (plan.budget_bytes != unlimited && bytes > plan.slab_bytes)
    refuse(most_outstanding + (" = " + std::to_string(most)) + ": the list takes " +
           std::to_string(bytes) + " bytes; under a budget it takes at most those of a batch, " +
           std::to_string(plan.slab_bytes));
  return terms;
}

}  // namespace

StreamState::StreamState(std::shared_ptr<LoaderState> its_loader, const RequestOptions& requested)
    : loader(std::move(its_loader)), only(*loader, "Loader::requests") {
  const auto terms = terms_of(*loader, requested);
  charge(conductor::RequestList::memory_bytes(terms), most_outstanding, "requests");
  requests = std::make_shared<conductor::RequestList>(loader->core->book, terms);
  const auto& options = loader->options;
  if (options.sizes.mode == Sizes::ragged && options.faults.policy == OnFault::skip)
    for (std::uint64_t i = 0; i < terms.samples; ++i)
      unreadable_bytes = std::max(
          unreadable_bytes,
          scaled_within((*options.sizes.index)[i], loader->core->plan.sizes.bound).bytes());
  finished = std::make_shared<FinishedRequests>(requests);
  auto plan = loader->plan_stream(requests);
  // The loader's order has no effect, not even on replacements.
  plan.sampler = source::Sampler(terms.samples, Order::sequential(), loader->options.seed);
  plan.tolerance.dataset_size = terms.samples;
  begin(plan, requested.stop);
}

void StreamState::check(const char* call, std::span<const std::uint64_t> indices) const {
  const auto refuse = [&](const std::string& why) {
    throw Error(Errc::bad_options, Stage::wait, call + why);
  };
  const auto& core = *loader->core;
  const auto samples = core.source.size();
  const auto most = requests->terms().rows;
  if (indices.empty()) refuse(": no indices; an ask is a batch of at least one sample");
  if (indices.size() > most)
    refuse(": " + std::to_string(indices.size()) + " indices; a batch has at most " +
           std::to_string(most) + " (batch = " + std::to_string(core.plan.batch) +
           ", an epoch has " + std::to_string(loader->positions()) + " positions, the source " +
           std::to_string(samples) + " samples); ask several times");
  for (std::size_t row = 0; row < indices.size(); ++row)
    if (indices[row] >= samples)
      refuse(": index " + std::to_string(indices[row]) + " (number " + std::to_string(row) +
             " of this ask): the source has " + std::to_string(samples) + " samples");
  if (core.plan.sizes.mode != Sizes::ragged) return;
  // A batch without repeats is at most as large as the largest images together.
  const auto& sizes = *loader->options.sizes.index;
  std::uint64_t bytes = 0;
  for (const auto index : indices) {
    const auto image = scaled_within(sizes[index], core.plan.sizes.bound).bytes();
    bytes = add_sat(bytes, image > 0 ? image : unreadable_bytes);
  }
  if (bytes > core.plan.sizes.most_pixels)
    refuse(": the images of this ask have " + std::to_string(bytes) +
           " bytes; the largest batch has " + std::to_string(core.plan.sizes.most_pixels) +
           "; repeat fewer large images in one ask");
}

bool StreamState::ask(const char* call, std::span<const std::uint64_t> indices) {
  loader->refuse_in_child();
  check(call, indices);
  return !running->finished() && requests->ask(indices);
}

bool StreamState::all_taken() {
  const Lock lock(consumer);
  return taken == requests->known() && !running->ended();
}

}  // namespace api

Requests::Requests(std::shared_ptr<api::StreamState> state) noexcept : state_(std::move(state)) {}
Requests::Requests(Requests&&) noexcept = default;
Requests& Requests::operator=(Requests&& other) noexcept {
  Requests gone(std::move(other));
  state_.swap(gone.state_);
  return *this;
}
Requests::~Requests() {
  if (state_ && state_->away()) leak(std::move(state_));
}

void Requests::ask(std::span<const std::uint64_t> indices) {
  if (state_->ask("Requests::ask", indices) || finished()) return;
  const auto most = std::to_string(state_->requests->terms().most);
  throw Error(
      Errc::too_many_requests, Stage::wait,
      api::most_outstanding + (" = " + most) + ": " + most +
          " requests are not finished; finish a batch before asking for the next, or raise it");
}

bool Requests::try_ask(std::span<const std::uint64_t> indices) {
  return state_->ask("Requests::try_ask", indices);
}

std::optional<Batch> Requests::next() {
  state_->refuse_strangers("Requests::next");
  if (state_->all_taken()) return std::nullopt;
  return state_->next(std::nullopt, engine::Engine::Lease::at_once);
}

std::optional<Batch> Requests::next(std::chrono::steady_clock::duration timeout) {
  return state_->next(api::deadline_after(timeout), engine::Engine::Lease::wait);
}

std::optional<Batch> Requests::try_next() {
  return state_->next(Clock::now(), engine::Engine::Lease::at_once);
}

std::vector<std::uint64_t> Requests::outstanding() const {
  state_->loader->refuse_in_child();
  return state_->requests->outstanding();
}

bool Requests::finished() const noexcept { return state_->away() || state_->running->finished(); }

void Requests::cancel() noexcept {
  if (!state_->away()) state_->running->cancel();
}

}  // namespace weir
