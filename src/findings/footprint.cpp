#include "findings/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/sanitize.hpp"
#include "options/bounds.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "report/table.hpp"

namespace weir::findings {
namespace {

Footprint in_micros(Model model, std::optional<std::uint64_t> batch,
                    std::optional<std::uint64_t> micro) {
  model.batch = batch;
  model.micro_batch = micro;
  return footprint(model);
}

Most most(const Model& model, std::uint64_t images, std::uint64_t batch,
          std::optional<std::uint64_t> micro) {
  if (images == 0) return {};
  return {images, in_micros(model, batch, micro).training.peak};
}

Fit fit_into(const Model& model, std::uint64_t batch, std::uint64_t bytes) {
  Fit fit{.bytes = bytes};
  auto whole = model;
  whole.micro_batch.reset();
  const auto at_once = largest_batch(whole, bytes);
  fit.at_once = most(model, at_once, at_once, {});
  if (model.micro_batch) {
    const auto images = largest_batch(model, bytes);
    fit.in_micros = most(model, images, images, model.micro_batch);
  }
  const auto micro = largest_micro_batch(model, bytes);
  fit.micro_batch = most(model, micro, batch, micro);
  return fit;
}

report::Json sums_json(const Footprint& print, bool training) {
  report::Json out{{"batch", print.batch}, {"micro_batch", print.micro_batch}};
  for (const auto& account : training_accounts) {
    if (training)
      out[account.key] = print.training.*account.training;
    else if (account.prediction)
      out[account.prediction_key] = print.prediction.*account.prediction;
  }
  return out;
}

report::Json layers_json(const Footprint& print) {
  report::Json out = report::Json::array();
  for (const auto& l : print.layers)
    out.push_back({{"type", l.kind},
                   {"name", l.name},
                   {"output", l.output},
                   {"parameters", l.parameters},
                   {"buffers", l.buffers},
                   {"activations", l.activations},
                   {"parameter_bytes", l.parameter_bytes},
                   {"buffer_bytes", l.buffer_bytes},
                   {"gradient_bytes", l.gradient_bytes},
                   {"optimizer_bytes", l.optimizer_bytes},
                   {"kept_bytes", l.kept_bytes}});
  return out;
}

report::Json to_json(const Most& most) {
  return {{"images", most.images},
          {"peak_bytes", most.images > 0 ? report::Json(most.peak_bytes) : report::Json(nullptr)}};
}

report::Json to_json(const Fit& fit) {
  return {
      {"bytes", fit.bytes},
      {"batch", to_json(fit.at_once)},
      {"batch_in_micro_batches", fit.in_micros ? to_json(*fit.in_micros) : report::Json(nullptr)},
      {"micro_batch", to_json(fit.micro_batch)}};
}

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
  if (std::ranges::count(all, all[0]) == std::ssize(all)) return std::string(to_string(all[0]));
  return fmt::format("parameters {}, gradients {}, optimizer {}, activations {}, input {}",
                     to_string(t.parameters), to_string(t.gradients), to_string(t.optimizer),
                     to_string(t.activations), to_string(input_type(model)));
}

std::string head_text(const ModelFigures& figures) {
  const auto& model = figures.model;
  return fmt::format("{}: input {}{}, {}, {}\n",
                     model.name.empty() ? "Model" : sanitize(model.name),
                     fmt::join(model.input, "x"), model.tokens ? " tokens" : "", types_text(model),
                     to_string(model.optimizer));
}

std::string layers_text(const ModelFigures& figures) {
  const auto& print = figures.requested();
  report::Table table("#|<layer|output|parameters|activations|params|grads|state|kept");
  const auto count = [](std::uint64_t values) { return or_dash(values, report::grouped(values)); };
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
  table.add({"", "in all", "", report::grouped(print.parameters),
             report::grouped(print.activations), mib(all.parameters), mib(all.gradients),
             mib(all.optimizer), mib(all.kept)});
  return fmt::format(
      "Layers: values of one image, then MiB of parameters, gradients, optimizer state, and of "
      "activations kept for the backward pass of {}\n{}",
      report::plural(print.micro_batch, "image"), table.text());
}

std::string in_all_text(const ModelFigures& figures) {
  struct Sums {
    std::string heading;
    const Footprint& print;
    bool training;
  };
  const auto &whole = figures.whole, &requested = figures.requested();
  std::vector<Sums> columns{{fmt::format("batch {}", whole.batch), whole, true}};
  if (figures.micro)
    columns.push_back({fmt::format("{} at once", requested.micro_batch), requested, true});
  columns.push_back({fmt::format("prediction {}", requested.micro_batch), requested, false});

  report::Table table("<In all", 0);
  for (const auto& column : columns) {
    table.add_column(column.heading + " MiB");
    table.add_column("MB");
  }
  const auto add = [&](const std::string& label, auto bytes_of) {
    std::vector<std::string> cells{"  " + label};
    for (const auto& column : columns) {
      const std::uint64_t bytes = bytes_of(column);
      cells.push_back(or_dash(bytes, mib(bytes)));
      cells.push_back(bytes == 0 ? "" : mb(bytes));
    }
    table.add(std::move(cells));
  };
  for (const auto& account : training_accounts) {
    if (account.training == &TrainingBytes::buffers && whole.buffers == 0) continue;
    add(account.label, [&](const Sums& of) {
      if (of.training) return of.print.training.*account.training;
      return account.prediction ? of.print.prediction.*account.prediction : 0;
    });
    if (account.training == &TrainingBytes::optimizer)
      add("  these three", [](const Sums& of) {
        const auto& t = of.print.training;
        return of.training ? t.parameters + t.gradients + t.optimizer : 0;
      });
  }
  return table.text() +
         "  MB = 10^6 bytes, MiB = 2^20 bytes. Activations: kept for the backward pass, with "
         "narrow copies of weights; in prediction, what one layer needs. At the peak: with the "
         "gradients in flight.\n";
}

std::string fit_text(const ModelFigures& figures) {
  const auto& fit = *figures.fit;
  report::Table table(
      fmt::format("<Fit in {} MiB ({} MB)|images|MiB at the peak|<", mib(fit.bytes), mb(fit.bytes)),
      0);
  const auto add = [&](std::string what, const Most& most, const char* none) {
    table.add({"  " + std::move(what), report::grouped(most.images),
               or_dash(most.images, mib(most.peak_bytes)), most.images == 0 ? none : ""});
  };
  constexpr auto not_one = "not even one image fits";
  add("largest batch, all at once", fit.at_once, not_one);
  if (fit.in_micros)
    add(fmt::format("largest batch, {} at once", report::grouped(*figures.model.micro_batch)),
        *fit.in_micros, not_one);
  add(fmt::format("largest micro-batch of {}", report::grouped(figures.whole.batch)),
      fit.micro_batch, "one at a time does not fit");
  return table.text();
}

std::string sums_text(const ModelFigures& figures) {
  return in_all_text(figures) + (figures.fit ? '\n' + fit_text(figures) : "");
}

/// The options with which the loader gives what the model takes. Empty if there are none.
std::string ways_out(const Dims& loaded, const Dims& input) {
  std::string options;
  if (input.size() != 3 || input[0] > 4 || input[0] == 2) return options;
  if (std::max(input[1], input[2]) > options::most_side) return options;
  if (input[0] != loaded[0])
    options += input[0] == 1   ? " --pixels grey8"
               : input[0] == 3 ? " --pixels rgb8"
                               : " --pixels rgba8";
  if (input[1] != loaded[1] || input[2] != loaded[2])
    options += fmt::format(" --size {}x{}", input[1], input[2]);
  return "; write" + options;
}

}  // namespace

ModelFigures model_figures(const Model& model, std::optional<std::uint64_t> bytes) {
  ModelFigures figures{.model = model};
  figures.whole = in_micros(model, model.batch, {});
  const auto batch = figures.whole.batch;
  if (model.micro_batch) figures.micro = in_micros(model, batch, model.micro_batch);
  if (bytes) figures.fit = fit_into(model, batch, *bytes);
  return figures;
}

Together together(const Plan& plan, const ModelFigures& figures) {
  Together out;
  out.host_bytes = add_sat(mul_sat(plan.slabs, plan.slab_bytes), plan.index_bytes);
  out.training_bytes = figures.requested().training.peak;
  out.slot_host_bytes = plan.slab_bytes;
  out.image_host_bytes = mul_sat(plan.slabs, plan.slab_bytes_of(plan.batch + 1) - plan.slab_bytes);
  const auto batch = figures.requested().batch;
  // A second micro-batch would cost more than one image does.
  const auto micro = figures.model.micro_batch == batch ? std::nullopt : figures.model.micro_batch;
  const auto more = in_micros(figures.model, batch + 1, micro);
  out.image_training_bytes = more.training.peak - out.training_bytes;

  const auto& input = figures.model.input;
  const Dims loaded{channels_of(plan.pixels), plan.shape.height, plan.shape.width};
  if (figures.model.tokens || input != loaded)
    out.mismatch = fmt::format("the loader gives images of {}, the model takes {}{}{}",
                               fmt::join(loaded, "x"), fmt::join(input, "x"),
                               figures.model.tokens ? " tokens" : "", ways_out(loaded, input));
  return out;
}

report::Json to_json(const ModelFigures& figures) {
  const auto& model = figures.model;
  const auto& types = model.types;
  const auto& requested = figures.requested();
  return {{"name", model.name},
          {"input", model.input},
          {"optimizer", to_string(model.optimizer)},
          {"types",
           {{"parameters", to_string(types.parameters)},
            {"gradients", to_string(types.gradients)},
            {"optimizer", to_string(types.optimizer)},
            {"activations", to_string(types.activations)},
            {"input", to_string(input_type(model))}}},
          {"parameters", requested.parameters},
          {"buffers", requested.buffers},
          {"activations", requested.activations},
          {"layers", layers_json(requested)},
          {"input_copy_bytes", requested.input_copy_bytes},
          {"batch", sums_json(figures.whole, true)},
          {"micro_batch", figures.micro ? sums_json(*figures.micro, true) : report::Json(nullptr)},
          {"prediction", sums_json(requested, false)},
          {"fit", figures.fit ? to_json(*figures.fit) : report::Json(nullptr)}};
}

report::Json to_json(const Together& both) {
  return {
      {"host_bytes", both.host_bytes},
      {"training_bytes", both.training_bytes},
      {"total_bytes", add_sat(both.host_bytes, both.training_bytes)},
      {"one_more",
       {{"queue_slot", {{"host_bytes", both.slot_host_bytes}, {"training_bytes", 0}}},
        {"image",
         {{"host_bytes", both.image_host_bytes}, {"training_bytes", both.image_training_bytes}}}}},
      {"mismatch", report::text_or_null(both.mismatch)}};
}

std::string training_text(const ModelFigures& figures) {
  return head_text(figures) + '\n' + sums_text(figures);
}

std::string footprint_text(const ModelFigures& figures) {
  const auto layers = figures.model.layers.empty() ? "" : layers_text(figures) + '\n';
  return head_text(figures) + '\n' + layers + sums_text(figures);
}

std::string together_text(const Together& both, const Plan& plan) {
  report::Table table("<Host and training together|host|training|in all", 0);
  const auto add = [&](const char* what, std::uint64_t host, std::uint64_t training) {
    // A sum that saturates would be shown as no bound.
    const auto in_all = std::min(add_sat(host, training), unlimited - 1);
    table.add({what, report::human_bytes(host), report::human_bytes(training),
               report::human_bytes(in_all)});
  };
  add("  staging and index; training at its peak", both.host_bytes, both.training_bytes);
  add("  one more queue slot", both.slot_host_bytes, 0);
  add("  one more image in the batch", both.image_host_bytes, both.image_training_bytes);
  auto out = table.text();
  const auto image = add_sat(both.image_training_bytes, both.image_host_bytes);
  if (both.slot_host_bytes > 0)
    out += fmt::format(
        "  A slot is a slab; an image is a row in each of {} and what training keeps of it: as "
        "much as {:.3g} slots.\n",
        report::plural(plan.slabs, "slab"),
        static_cast<double>(image) / static_cast<double>(both.slot_host_bytes));
  if (!both.mismatch.empty()) out += fmt::format("Note: {}\n", both.mismatch);
  return out;
}

}  // namespace weir::findings
