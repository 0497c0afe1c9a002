#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/sanitize.hpp"
#include "report/bytes.hpp"
#include "report/clock_text.hpp"
#include "report/footprint.hpp"
#include "report/table.hpp"

namespace weir::report {
namespace {

using Align = Table::Align;

std::string in_units(std::uint64_t bytes, double unit) {
  auto text = fmt::format("{:.2f}", static_cast<double>(bytes) / unit);
  for (auto at = text.size() - 3; at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}
std::string or_dash(std::uint64_t figure, std::string text) {
  return figure == 0 ? "-" : std::move(text);
}
std::string mib(std::uint64_t bytes) { return in_units(bytes, 1 << 20); }
std::string mb(std::uint64_t bytes) { return in_units(bytes, 1e6); }

std::string types_text(const Model& model) {
  const auto& t = model.types;
  const std::array all{t.parameters, t.gradients, t.optimizer, t.activations, t.input};
  if (std::all_of(all.begin(), all.end(), [&](ElementType e) { return e == all[0]; }))
    return std::string(to_string(all[0]));
  return fmt::format("parameters {}, gradients {}, optimizer {}, activations {}, input {}",
                     to_string(t.parameters), to_string(t.gradients), to_string(t.optimizer),
                     to_string(t.activations),
                     to_string(model.tokens ? ElementType::i64 : t.input));
}

std::string head_text(const ModelFigures& figures) {
  const auto& model = figures.model;
  return fmt::format("{}: input {}{}, {}, {}\n",
                     model.name.empty() ? "Model" : sanitize(model.name),
                     fmt::join(model.input, "x"), model.tokens ? " tokens" : "", types_text(model),
                     to_string(model.optimizer));
}

std::string layers_text(const ModelFigures& figures) {
  const auto& print = figures.asked();
  Table table({{"#"},
               {"layer", Align::left},
               {"output"},
               {"parameters"},
               {"activations"},
               {"params"},
               {"grads"},
               {"state"},
               {"kept"}});
  const auto count = [](std::uint64_t values) { return or_dash(values, grouped(values)); };
  const auto bytes = [](std::uint64_t part) { return or_dash(part, mib(part)); };
  for (std::size_t i = 0; i < print.layers.size(); ++i) {
    const auto& layer = print.layers[i];
    constexpr std::size_t most_shown = 24;
    const auto label = layer.name.empty() ? layer.kind : layer.kind + ' ' + layer.name;
    table.add({fmt::format("{}", i), sanitize(label, most_shown),
               fmt::format("{}", fmt::join(layer.output, "x")), count(layer.parameters),
               count(layer.activations), bytes(layer.parameter_bytes), bytes(layer.gradient_bytes),
               bytes(layer.optimizer_bytes), bytes(layer.kept_bytes)});
  }
  if (print.input_copy_bytes > 0)
    table.add({"", "input, converted", "", "", "", "", "", "", mib(print.input_copy_bytes)});
  const auto& all = print.training;
  table.add({"", "in all", "", grouped(print.parameters), grouped(print.activations),
             mib(all.parameters), mib(all.gradients), mib(all.optimizer), mib(all.kept)});
  return fmt::format(
      "Layers: values of one image, then MiB of parameters, gradients, optimizer state, and of\n"
      "activations kept for the backward pass of {}\n{}",
      plural(print.micro_batch, "image"), table.text());
}

/// A column of the table in all.
struct Column {
  std::string heading;
  const Footprint* print;
  bool training;
};

std::string in_all_text(const ModelFigures& figures) {
  const auto& whole = figures.whole;
  std::vector<Column> columns{{fmt::format("batch {}", whole.batch), &whole, true}};
  if (figures.micro)
    columns.push_back(
        {fmt::format("{} at once", figures.micro->micro_batch), &*figures.micro, true});
  columns.push_back(
      {fmt::format("prediction {}", figures.asked().micro_batch), &figures.asked(), false});

  std::vector<Table::Column> heads{{"In all", Align::left}};
  for (const auto& column : columns) {
    heads.push_back({column.heading + " MiB"});
    heads.push_back({"MB"});
  }
  Table table(std::move(heads), 0);
  const auto add = [&](const std::string& label, auto training, auto prediction) {
    std::vector<std::string> cells{"  " + label};
    for (const auto& column : columns) {
      const std::uint64_t bytes =
          column.training ? training(column.print->training) : prediction(column.print->prediction);
      cells.push_back(or_dash(bytes, mib(bytes)));
      cells.push_back(bytes == 0 ? "" : mb(bytes));
    }
    table.add(std::move(cells));
  };
  using T = TrainingBytes;
  using P = PredictionBytes;
  const auto none = [](const P&) { return std::uint64_t{0}; };
  add(
      "parameters", [](const T& t) { return t.parameters; },
      [](const P& p) { return p.parameters; });
  if (whole.buffers > 0)
    add(
        "buffers", [](const T& t) { return t.buffers; }, [](const P& p) { return p.buffers; });
  add(
      "gradients", [](const T& t) { return t.gradients; }, none);
  add(
      "optimizer state", [](const T& t) { return t.optimizer; }, none);
  add(
      "  these three", [](const T& t) { return t.parameters + t.gradients + t.optimizer; }, none);
  add(
      "activations", [](const T& t) { return t.kept; }, [](const P& p) { return p.activations; });
  add(
      "input batch", [](const T& t) { return t.input; }, [](const P& p) { return p.input; });
  add(
      "total", [](const T& t) { return t.total; }, [](const P& p) { return p.total; });
  add(
      "at the peak", [](const T& t) { return t.peak; }, none);
  return table.text() +
         "  MB = 10^6 bytes, MiB = 2^20 bytes. Activations: kept for the backward pass; in "
         "prediction,\n"
         "  one layer's input and output. At the peak: with the gradients of activations on their "
         "way\n"
         "  back.\n";
}

std::string fit_text(const ModelFigures& figures) {
  const auto& fit = *figures.fit;
  Table table({{fmt::format("Fit in {} MiB ({} MB)", mib(fit.bytes), mb(fit.bytes)), Align::left},
               {"images"},
               {"MiB at the peak"},
               {"", Align::left}},
              0);
  const auto add = [&](std::string what, const Most& most, const char* none) {
    table.add({"  " + std::move(what), grouped(most.images),
               or_dash(most.images, mib(most.peak_bytes)), most.images == 0 ? none : ""});
  };
  constexpr auto not_one = "not even one image fits";
  add("largest batch, all at once", fit.at_once, not_one);
  if (fit.in_micros)
    add(fmt::format("largest batch, {} at once", grouped(figures.model.micro_batch)),
        *fit.in_micros, not_one);
  add(fmt::format("largest micro-batch of {}", grouped(figures.whole.batch)), fit.micro_batch,
      "one at a time does not fit");
  return table.text();
}

}  // namespace

std::string training_text(const ModelFigures& figures) {
  auto out = head_text(figures) + '\n' + in_all_text(figures);
  if (figures.fit) out += '\n' + fit_text(figures);
  return out;
}

std::string footprint_text(const ModelFigures& figures) {
  auto out = head_text(figures) + '\n';
  if (!figures.model.layers.empty()) out += layers_text(figures) + '\n';
  out += in_all_text(figures);
  if (figures.fit) out += '\n' + fit_text(figures);
  return out;
}

std::string together_text(const Together& both, const Plan& plan) {
  Table table({{"Host and training together", Align::left}, {"host"}, {"training"}, {"in all"}}, 0);
  const auto add = [&](const char* what, std::uint64_t host, std::uint64_t training) {
    table.add({what, human_bytes(host), human_bytes(training), human_bytes(host + training)});
  };
  add("  staging and index; training at its peak", both.host_bytes, both.training_bytes);
  add("  one more place in the queue", both.place_host_bytes, 0);
  add("  one more image in the batch", both.image_host_bytes, both.image_training_bytes);
  auto out = table.text();
  const auto image = both.image_training_bytes + both.image_host_bytes;
  if (both.place_host_bytes > 0)
    out += fmt::format(
        "  A place is a slab; an image is a row in each of {} and what training keeps of it: as "
        "much as\n"
        "  {:.3g} places.\n",
        plural(plan.slabs, "slab"),
        static_cast<double>(image) / static_cast<double>(both.place_host_bytes));
  if (!both.mismatch.empty()) out += fmt::format("Note: {}\n", both.mismatch);
  return out;
}

}  // namespace weir::report
