// Trains all ranks of a job in one process, holds batches, finishes them out of order, saves its
// progress and dies by SIGKILL. model_checks.py compares what it has said with the model.
//
// trainer SAMPLES ORDER SEED BATCH WORLD EPOCHS RANDOM STEPS STATES RESUMED PARTNERS
//
// A row is its index, and those of its partners: 5+3+8.
// STEPS: finished batches before it is killed; 0: it runs to the end. STATES: names of the files that
// it saves, without the rank. RESUMED: files of earlier runs with commas between them, or "".
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "source/order.hpp"

namespace {

constexpr std::size_t most_held = 4;

/// "weighted:DRAWS" and "own:DRAWS" have the weights and the function of model.py.
weir::Order order_of(const std::string& text, std::uint64_t samples) {
  const auto draws = [&] { return std::stoull(text.substr(text.find(':') + 1)); };
  if (text.starts_with("weighted")) {
    std::vector<double> weights;
    for (std::uint64_t i = 0; i < samples; ++i)
      weights.push_back(static_cast<double>(i * i % 5 + (i == 0 ? 1 : 0)));
    return weir::Order::weighted(std::move(weights), draws());
  }
  if (!text.starts_with("own")) return weir::source::parse_order(text).value();
  return weir::Order::own("model.py", draws(), [samples](auto epoch, auto position, auto& random) {
    return position % 2 == 1 ? random.below(samples) : (epoch + position) % samples;
  });
}

struct Rank {
  Rank(const weir::Options& options, std::uint64_t samples,
       const weir::StreamOptions& stream_options)
      : loader(weir::synthetic(samples, {8, 8}), options), stream(loader.stream(stream_options)) {}

  weir::Loader loader;
  weir::Stream stream;
  std::vector<weir::Batch> held{};
  std::vector<std::string> unsaved{};  ///< finished batches that are not in the file
  bool over = false;
};

std::string line(const char* what, std::size_t rank, const weir::Batch& batch) {
  std::string text = std::string(what) + ' ' + std::to_string(rank) + ' ' +
                     std::to_string(batch.sequence()) + ' ' + std::to_string(batch.epoch());
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    const bool padding = batch.statuses()[i] == weir::RowStatus::padding;
    text += padding ? " -" : ' ' + std::to_string(batch.indices()[i]);
    for (const auto partner : batch.annotations<std::uint64_t>(i))
      text += '+' + std::to_string(partner);
  }
  return text + '\n';
}

/// Writes which samples the partners are.
void list_partners(weir::DecodedSample& sample) {
  std::vector<std::uint64_t> indices;
  for (const auto& partner : sample.partners) indices.push_back(partner.index);
  sample.annotation.assign<std::uint64_t>(indices);
}

std::optional<weir::Progress> resumed(const std::string& files) {
  std::vector<weir::Progress> states;
  std::istringstream names(files);
  for (std::string name; std::getline(names, name, ',');)
    states.push_back(weir::Progress::load(name));
  if (states.empty()) return std::nullopt;
  return weir::Progress::merge(states);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 12) return 2;
  const auto number = [&](int i) { return std::stoull(argv[i]); };
  const auto world = static_cast<std::uint32_t>(number(5));
  std::minstd_rand random(static_cast<unsigned>(number(7)));
  const auto steps = number(8);
  const std::string states = argv[9];
  std::vector<std::unique_ptr<Rank>> ranks;
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    weir::Options options{.shape = {8, 8},
                          .order = order_of(argv[2], number(1)),
                          .batch = static_cast<std::uint32_t>(number(4)),
                          .workers = 1,
                          .seed = number(3),
                          .ranks = weir::Ranks::given(rank, world)};
    options.queue = {.max_queue_size = 2, .max_leases = most_held};
    options.partners = {.count = static_cast<std::uint32_t>(number(11)),
                        .repeat = number(1) < 20 && number(11) > 0};
    options.annotation_bytes = number(11) * sizeof(std::uint64_t);
    if (number(11) > 0)
      options.transform = {.apply = list_partners, .input = weir::TransformInput::fitted};
    ranks.push_back(std::make_unique<Rank>(
        options, number(1), weir::StreamOptions{.resume = resumed(argv[10]), .epochs = number(6)}));
  }
  const auto save = [&](std::size_t rank) {
    ranks[rank]->stream.progress().save(states + std::to_string(rank));
    for (const auto& text : ranks[rank]->unsaved) std::fputs(text.c_str(), stdout);
    ranks[rank]->unsaved.clear();
  };
  for (std::size_t rank = 0; rank < world; ++rank) save(rank);
  std::uint64_t finished = 0;
  for (std::size_t open = world; open > 0;) {
    const auto at = random() % world;
    auto& rank = *ranks[at];
    if (rank.over) continue;
    const auto held_before = rank.held.size();
    if (held_before < most_held && (held_before == 0 || random() % 2 == 0)) {
      if (auto batch = rank.stream.next()) {
        std::fputs(line("took", at, *batch).c_str(), stdout);
        rank.held.push_back(std::move(*batch));
      } else if (held_before == 0) {
        save(at);
        rank.over = true;
        --open;
      }
      if (rank.held.size() > held_before || held_before == 0) continue;
    }
    const auto which = rank.held.begin() + static_cast<std::ptrdiff_t>(random() % held_before);
    rank.unsaved.push_back(line("finished", at, *which));
    rank.held.erase(which);
    if (random() % 2 == 0) save(at);
    if (++finished == steps) {
      std::fflush(stdout);
      std::raise(SIGKILL);
    }
  }
  return 0;
}
