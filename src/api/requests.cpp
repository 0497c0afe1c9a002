#include "weir/requests.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "api/states.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "buffer/slab.hpp"
#include "plan/decoder_options.hpp"
#include "plan/loader_bytes.hpp"

namespace weir {
namespace api {
namespace {

constexpr const char* most_outstanding = "RequestOptions::max_outstanding";
constexpr std::uint32_t most_requests = 1u << 20;

conductor::RequestList::Terms terms_of(const LoaderState& loader, const RequestOptions& requested) {
  const auto& plan = loader.core->plan;
  const auto most = requested.max_outstanding;
  if (most < 1 || most > most_requests)
    refuse(Stage::wait, most_outstanding, " = ", most, ": must be 1 to ", most_requests);
  if (plan.ranks.world > 1)
    refuse(Stage::wait, "Loader::requests: with ranks.world = ", plan.ranks.world,
           " each rank would get a part of every batch, and requests are of one process; give each "
           "rank a loader without ranks, and let it ask for its own samples");
  const auto samples = loader.core->source.size();
  const conductor::RequestList::Terms terms{most, most_rows(plan.batch, 0, samples), samples};
  // The promised budget has one slab more than the trainer needs, so the list may take its bytes.
  const auto bytes = conductor::RequestList::memory_bytes(terms);
  if (plan.budget_bytes != unlimited && bytes > plan.slab_bytes)
    refuse(Stage::wait, most_outstanding, " = ", most, ": the list takes ", bytes,
           " bytes; under a budget it takes at most those of a batch, ", plan.slab_bytes);
  return terms;
}

}  // namespace

StreamState::StreamState(std::shared_ptr<LoaderState> its_loader, const RequestOptions& requested)
    : loader(std::move(its_loader)), only(*loader, "Loader::requests") {
  const auto terms = terms_of(*loader, requested);
  charge(conductor::RequestList::memory_bytes(terms), most_outstanding, "requests");
  requests = std::make_shared<conductor::RequestList>(loader->core->book, terms);
  const auto& options = loader->options;
  const auto& sizes = loader->core->plan.sizes;
  if (sizes.mode != Sizes::fixed && options.faults.policy == OnFault::skip) {
    if (sizes.mode == Sizes::padded) replacement = sizes.largest;
    const auto form = plan::row_form(loader->core->plan);
    for (std::uint64_t i = 0; i < terms.samples; ++i) {
      const auto size = scaled_within((*options.sizes.index)[i], sizes.bound);
      if (form.image_bytes(size) > form.image_bytes(replacement)) replacement = size;
    }
  }
  finished = std::make_shared<FinishedRequests>(requests);
  auto plan = loader->plan_stream(requests);
  // The loader's order has no effect, not even on replacements.
  plan.sampler = source::Sampler(terms.samples, Order::sequential(), loader->options.seed);
  plan.tolerance.dataset_size = terms.samples;
  begin(plan, requested.stop);
}

void StreamState::check(const char* call, std::span<const std::uint64_t> indices) const {
  const auto& core = *loader->core;
  const auto samples = core.source.size();
  const auto most = requests->terms().rows;
  if (indices.empty())
    refuse(Stage::wait, call, ": no indices; an ask is a batch of at least one sample");
  if (indices.size() > most)
    refuse(Stage::wait, call, ": ", indices.size(), " indices; a batch has at most ", most,
           " (batch = ", core.plan.batch, ", the source has ", samples,
           " samples); ask several times");
  for (std::size_t row = 0; row < indices.size(); ++row)
    if (indices[row] >= samples)
      refuse(Stage::wait, call, ": index ", indices[row], " (number ", row,
             " of this ask): the source has ", samples, " samples");
  if (core.plan.sizes.mode == Sizes::fixed) return;
  if (const auto bytes = most_bytes(indices); bytes > core.plan.slab_bytes)
    refuse(Stage::wait, call, ": a batch of these samples takes ", bytes,
           " bytes; the largest batch of the plan takes ", core.plan.slab_bytes,
           "; ask for fewer at once, or repeat fewer large ones");
}

std::uint64_t StreamState::most_bytes(std::span<const std::uint64_t> indices) const {
  const auto& plan = loader->core->plan;
  const auto rows = static_cast<std::uint32_t>(indices.size());
  const auto form = plan::row_form(plan);
  std::uint64_t pixels = 0;
  ImageSize block;
  for (const auto index : indices) {
    auto size = scaled_within((*loader->options.sizes.index)[index], plan.sizes.bound);
    if (size.height == 0) size = replacement;
    pixels = add_sat(pixels, form.image_bytes(size));
    block = {std::max(block.height, size.height), std::max(block.width, size.width)};
  }
  const auto layout = plan.sizes.mode == Sizes::padded
                          ? buffer::SlabLayout::padded(form, block, rows, plan.alignment)
                          : buffer::SlabLayout::ragged(form, pixels, rows, plan.alignment);
  return layout.bytes;
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
