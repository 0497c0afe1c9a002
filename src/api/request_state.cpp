#include "api/request_state.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "conductor/batch_sizes.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/pixel_plan.hpp"

namespace weir::api {
namespace {

constexpr const char* most_outstanding = "RequestOptions::max_outstanding";
constexpr std::uint32_t most_requests = 1u << 20;

auto bounds_of(const LoaderState& loader, const RequestOptions& requested) {
  const auto& plan = loader.plan;
  const auto most = requested.max_outstanding;
  if (most < 1 || most > most_requests)
    refuse(Stage::wait, most_outstanding, " = ", most, ": must be 1 to ", most_requests);
  if (plan.ranks.world > 1)
    refuse(Stage::wait, "Loader::requests: with `ranks.world` = ", plan.ranks.world,
           " each rank would get a part of every batch, and requests are of one process; give each "
           "rank a loader without ranks, and let it ask for its own samples");
  const auto samples = loader.source.size();
  const conductor::RequestList::Bounds bounds{most, plan::most_rows(plan.batch, 0, samples),
                                              samples};
  // The promised budget has one slab more than the trainer needs, so the list may take its bytes.
  const auto bytes = conductor::RequestList::memory_bytes(bounds);
  if (plan.budget_bytes && bytes > plan.slab_bytes)
    refuse(Stage::wait, most_outstanding, " = ", most, ": the list takes ", bytes,
           " bytes; under a budget it takes at most those of a batch, ", plan.slab_bytes);
  return bounds;
}

}  // namespace

RequestState::RequestState(std::shared_ptr<LoaderState> its_loader, const RequestOptions& requested)
    : RunningStream(std::move(its_loader), "Loader::requests", "Requests::next") {
  const auto bounds = bounds_of(*loader, requested);
  charge(conductor::RequestList::memory_bytes(bounds), most_outstanding, "requests");
  requests_ = std::make_shared<conductor::RequestList>(loader->book, bounds);
  const auto& options = loader->options;
  const auto& sizes = loader->plan.sizes;
  if (sizes.mode != Sizes::fixed && options.faults.policy == OnFault::skip) {
    if (sizes.mode == Sizes::padded) replacement_ = sizes.largest;
    const auto form = plan::row_form(loader->plan);
    for (std::uint64_t i = 0; i < bounds.samples; ++i) {
      const auto size = scaled_within((*options.sizes.index)[i], sizes.bound);
      if (form.row_bytes(size) > form.row_bytes(replacement_)) replacement_ = size;
    }
  }
  // The loader's order has no effect, not even on replacements.
  const source::Sampler order(bounds.samples, Order::sequential(), loader->options.seed);
  if (loader->labels) loader->partners(order).check_labels();
  begin(requests_, order, 0, requested.stop,
        [requests = requests_](std::uint64_t sequence) { requests->finish(sequence); });
}

RequestState::~RequestState() {
  end();
  requests_->close();
}

void RequestState::check(const char* call, std::span<const std::uint64_t> indices) const {
  const auto& plan = loader->plan;
  const auto samples = loader->source.size();
  const auto most = requests_->bounds().rows;
  if (indices.empty())
    refuse(Stage::wait, call, ": no indices; an ask is a batch of at least one sample");
  if (indices.size() > most)
    refuse(Stage::wait, call, ": ", indices.size(), " indices; a batch has at most ", most,
           " (`batch` = ", plan.batch, ", the source has ", samples,
           " samples); ask several times");
  for (std::size_t row = 0; row < indices.size(); ++row)
    if (indices[row] >= samples)
      refuse(Stage::wait, call, ": index ", indices[row], " (number ", row,
             " of this ask): the source has ", samples, " samples");
  if (plan.sizes.mode == Sizes::fixed) return;
  if (const auto bytes = most_bytes(indices); bytes > plan.slab_bytes)
    refuse(Stage::wait, call, ": a batch of these samples takes ", bytes,
           " bytes; the largest batch of the plan takes ", plan.slab_bytes,
           "; ask for fewer at once, or repeat fewer large ones");
}

std::uint64_t RequestState::most_bytes(std::span<const std::uint64_t> indices) const {
  const auto& plan = loader->plan;
  const auto rows = static_cast<std::uint32_t>(indices.size());
  const auto form = plan::row_form(plan);
  buffer::ImageSums all;
  for (const auto index : indices) {
    auto size = scaled_within((*loader->options.sizes.index)[index], plan.sizes.bound);
    if (size.height == 0) size = replacement_;
    // The step of the request decides its sizes.
    if (!plan.sizes.size.empty()) size = plan.sizes.largest;
    all.add(form, size);
  }
  return buffer::SlabLayout::of(form, plan.sizes.mode, all, plan.sizes.multiple_of, rows,
                                plan.alignment)
      .bytes;
}

bool RequestState::try_ask(const char* call, std::span<const std::uint64_t> indices) {
  loader->refuse_in_child();
  check(call, indices);
  return !running->handoff().finished() && requests_->ask(indices);
}

void RequestState::ask(std::span<const std::uint64_t> indices) {
  if (try_ask("Requests::ask", indices) || away() || running->handoff().finished()) return;
  const auto most = std::to_string(requests_->bounds().most);
  throw Error(
      Errc::too_many_requests, Stage::wait,
      most_outstanding + (" = " + most) + ": " + most +
          " requests are not finished; finish a batch before asking for the next, or raise it");
}

std::vector<std::uint64_t> RequestState::outstanding() const {
  loader->refuse_in_child();
  return requests_->outstanding();
}

}  // namespace weir::api

namespace weir {

Requests::Requests(std::shared_ptr<api::RequestState> state) noexcept
    : BatchStream(std::move(state)) {}

api::RequestState& Requests::requests() const noexcept {
  return static_cast<api::RequestState&>(*state_);
}

void Requests::ask(std::span<const std::uint64_t> indices) { requests().ask(indices); }

bool Requests::try_ask(std::span<const std::uint64_t> indices) {
  return requests().try_ask("Requests::try_ask", indices);
}

std::vector<std::uint64_t> Requests::outstanding() const { return requests().outstanding(); }

}  // namespace weir
