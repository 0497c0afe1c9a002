#include "footprint/liveness.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace weir::footprint_detail {
namespace {

constexpr std::size_t no_layer = std::numeric_limits<std::size_t>::max();

/// A piece of memory for values. Storage 0 is the input batch, which is not counted here.
struct Storage {
  Bytes bytes;
  std::size_t maker = no_layer;         ///< layer; no_layer: the input batch or its copy
  std::size_t first_keeper = no_layer;  ///< layer; no_layer: not kept
  bool kept() const noexcept { return first_keeper != no_layer; }
};

void check_input(const Model& model) {
  const auto& input = model.input;
  const bool shaped = model.tokens ? input.size() == 1 : input.size() == 1 || input.size() == 3;
  if (!shaped || std::find(input.begin(), input.end(), 0) != input.end())
    throw model_error("", "input = " + dims_text(input) +
                              ": must be channels x height x width, features, or tokens, each 1 "
                              "or more");
}

class LivenessPass {
 public:
  explicit LivenessPass(const Model& model) : model_(model) {}

  Liveness run() {
    check_input(model_);
    read_rules();
    lay_out();
    out_.kept.resize(out_.rules.size());
    if (learns_from_ != no_layer) keep();
    forward();
    if (learns_from_ != no_layer) backward();
    predict();
    return std::move(out_);
  }

 private:
  void read_rules() {
    out_.rules.reserve(model_.layers.size());
    const Dims* comes = &model_.input;
    for (std::size_t i = 0; i < model_.layers.size(); ++i) {
      out_.rules.push_back(rule_of({i, model_.layers[i]}, *comes, model_.tokens && i == 0));
      const auto& rule = out_.rules.back();
      const auto too_many = [&](const char* what, std::uint64_t values) {
        constexpr std::uint64_t widest = 8;
        if (mul_sat(values, widest) == unlimited)
          throw model_error(name(i), std::string(what) + ": 2^64 bytes and more");
      };
      too_many("parameters", rule.parameters);
      too_many("output", values_in(rule.output));
      too_many("activations", rule.made_values);
      too_many("indices and masks", rule.made_bytes);
      if (learns_from_ == no_layer && rule.parameters > 0) learns_from_ = i;
      comes = &rule.output;
    }
  }

  /// Assigns a storage to every boundary between layers. Layer i reads boundary i.
  void lay_out() {
    storages_.push_back({});
    boundary_.push_back(0);
    if (!model_.tokens && !model_.layers.empty() &&
        model_.types.input != model_.types.activations) {
      storages_.push_back({.bytes = values(values_in(model_.input))});
      boundary_.back() = 1;
    }
    for (std::size_t i = 0; i < out_.rules.size(); ++i) {
      const auto& rule = out_.rules[i];
      if (rule.view || rule.in_place) {
        boundary_.push_back(boundary_.back());
        continue;
      }
      storages_.push_back(
          {.bytes = rule.counted ? Bytes{} : values(values_in(rule.output)), .maker = i});
      boundary_.push_back(storages_.size() - 1);
    }
  }

  void keep() {
    std::vector<std::size_t> last_keeper(storages_.size(), no_layer);
    const auto keep = [&](std::size_t storage, std::size_t layer) {
      auto& first = storages_[storage].first_keeper;
      first = std::min(first, layer);
      last_keeper[storage] = layer;
    };
    for (auto i = learns_from_; i < out_.rules.size(); ++i) {
      const auto& rule = out_.rules[i];
      if (rule.keeps_input) keep(boundary_[i], i);
      if (const auto keeper = last_keeper[boundary_[i]]; rule.in_place && keeper != no_layer)
        throw model_error(name(i), "in_place = true: would overwrite what " + name(keeper) +
                                       " keeps for the backward pass");
      if (rule.keeps_output) keep(boundary_[i + 1], i);
    }
    storages_[boundary_.back()].first_keeper = 0;

    for (auto i = learns_from_; i < out_.rules.size(); ++i)
      out_.kept[i] = made(out_.rules[i], true);
    for (const auto& storage : storages_) {
      if (!storage.kept()) continue;
      auto& of = storage.maker == no_layer ? out_.input_copy_kept : out_.kept[storage.maker];
      of = of + storage.bytes;
    }
    out_.all_kept = out_.input_copy_kept;
    for (std::size_t i = 0; i < out_.kept.size(); ++i) {
      out_.all_kept = out_.all_kept + out_.kept[i];
      if (out_.all_kept.of(1) == unlimited)  // so that no sum below saturates
        throw model_error(name(i), "activations kept: with the layers before, 2^64 bytes and more");
    }
  }

  void forward() {
    Bytes alive;  // live bytes of kept values
    for (const auto& storage : storages_)
      if (storage.maker == no_layer && storage.kept()) alive = alive + storage.bytes;
    for (std::size_t i = 0; i < out_.rules.size(); ++i) {
      const auto& reads = storages_[boundary_[i]];
      const auto& writes = storages_[boundary_[i + 1]];
      const bool learns = learns_from_ != no_layer && i >= learns_from_;
      auto now = alive + made(out_.rules[i], learns);
      if (learns) now = now + never_kept(out_.rules[i]);
      if (!reads.kept()) now = now + reads.bytes;
      if (boundary_[i] != boundary_[i + 1]) now = now + writes.bytes;
      out_.moments.push_back(now);
      if (learns) alive = alive + made(out_.rules[i], true);
      if (writes.maker == i && writes.kept()) alive = alive + writes.bytes;
    }
  }

  void backward() {
    auto alive = out_.all_kept;
    std::vector<Bytes> freed(out_.rules.size());
    for (const auto& storage : storages_)
      if (storage.kept()) freed[storage.first_keeper] = freed[storage.first_keeper] + storage.bytes;
    for (auto i = out_.rules.size(); i-- > learns_from_;) {
      const auto& rule = out_.rules[i];
      auto gradients = gradient_at(i + 1);
      if (i > learns_from_ && !rule.view) gradients = gradients + gradient_at(i);
      const auto now = alive + gradients + never_kept(rule);
      out_.moments.push_back(now);
      const auto gradient = element_bytes(model_.types.gradients);
      out_.later_moments.push_back(now + Bytes{0, mul_sat(rule.parameters, gradient)});
      alive = alive - freed[i] - made(rule, true);
    }
  }

  void predict() {
    for (std::size_t i = 0; i < out_.rules.size(); ++i) {
      const auto& rule = out_.rules[i];
      auto now = storages_[boundary_[i]].bytes;
      if (!rule.made_to_keep) now = now + made(rule, false);
      if (boundary_[i] != boundary_[i + 1] && !rule.drops_out)
        now = now + storages_[boundary_[i + 1]].bytes;
      out_.prediction_moments.push_back(now);
    }
  }

  std::string name(std::size_t i) const { return layer_name({i, model_.layers[i]}); }
  Bytes values(std::uint64_t count) const noexcept {
    return {mul_sat(count, element_bytes(model_.types.activations)), 0};
  }
  /// Bytes that a layer produces besides its output. The activations of Counts are held as often as
  /// they state if they are `kept`.
  Bytes made(const LayerRule& rule, bool kept) const noexcept {
    const auto statistic = element_bytes(model_.types.parameters);
    auto bytes = values(rule.made_values);
    if (rule.counted) bytes.an_image = mul_sat(bytes.an_image, kept ? rule.times_kept : 1);
    bytes.an_image = add_sat(bytes.an_image, rule.made_bytes);
    const auto narrow = element_bytes(model_.types.activations);
    if (narrow < statistic) bytes.in_common = mul_sat(rule.cast_values, narrow);
    if (!kept) return bytes;
    return bytes + Bytes{mul_sat(rule.image_statistics, statistic),
                         mul_sat(rule.common_statistics, statistic)};
  }
  /// Activations of Counts that exist only while the layer runs.
  Bytes never_kept(const LayerRule& rule) const noexcept {
    return rule.times_kept == 0 ? values(rule.made_values) : Bytes{};
  }
  Bytes gradient_at(std::size_t boundary) const noexcept {
    return boundary_[boundary] == 0 ? Bytes{} : storages_[boundary_[boundary]].bytes;
  }

  const Model& model_;
  Liveness out_;
  std::size_t learns_from_ = no_layer;  ///< the first layer with parameters
  std::vector<Storage> storages_;
  std::vector<std::size_t> boundary_;
};

}  // namespace

Liveness liveness_of(const Model& model) { return LivenessPass(model).run(); }

std::uint64_t most_of(const std::vector<Bytes>& moments, std::uint64_t images) noexcept {
  std::uint64_t most = 0;
  for (const auto& moment : moments) most = std::max(most, moment.of(images));
  return most;
}

}  // namespace weir::footprint_detail
