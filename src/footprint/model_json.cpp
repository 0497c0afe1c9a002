#include "weir/model_json.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <system_error>

#include "base/sanitize.hpp"
#include "footprint/json_fields.hpp"
#include "footprint/layer_rules.hpp"
#include "report/read_json.hpp"

namespace weir {
namespace {

using layer::Function;
using nlohmann::json;
constexpr auto required = JsonFields::required;

const std::vector<ElementType> float_types{ElementType::f32, ElementType::f16, ElementType::bf16,
                                           ElementType::f64};
const std::vector<ElementType> input_types{ElementType::u8, ElementType::f32, ElementType::f16,
                                           ElementType::bf16, ElementType::f64};

/// A default value of each kind of layer. read() sets its fields.
std::vector<Layer::Kind> kinds() {
  std::vector<Layer::Kind> all{layer::Conv2d{},    layer::Linear{},       layer::BatchNorm{},
                               layer::GroupNorm{}, layer::Embedding{},    layer::MaxPool2d{},
                               layer::AvgPool2d{}, layer::GlobalAvgPool{}};
  for (auto i = 0; i <= static_cast<int>(Function::log_softmax); ++i)
    all.emplace_back(layer::Activation{static_cast<Function>(i)});
  all.insert(all.end(), {layer::Dropout{}, layer::Flatten{}, layer::Counts{}});
  return all;
}

void read(JsonFields& f, layer::Conv2d& conv) {
  f.whole("out_channels", conv.out_channels, 1, required);
  f.extent("kernel", conv.kernel, 1, required);
  f.extent("stride", conv.stride, 1);
  f.extent("padding", conv.padding, 0);
  f.extent("dilation", conv.dilation, 1);
  f.whole("groups", conv.groups, 1);
  f.flag("bias", conv.bias);
  f.whole("in_channels", conv.in_channels, 1);
}
void read(JsonFields& f, layer::Linear& linear) {
  f.whole("out_features", linear.out_features, 1, required);
  f.flag("bias", linear.bias);
  f.whole("in_features", linear.in_features, 1);
}
void read(JsonFields& f, layer::BatchNorm& norm) {
  f.flag("affine", norm.affine);
  f.flag("running", norm.running);
}
void read(JsonFields& f, layer::GroupNorm& norm) {
  f.whole("groups", norm.groups, 1, required);
  f.flag("affine", norm.affine);
}
void read(JsonFields& f, layer::Embedding& embedding) {
  f.whole("count", embedding.count, 1, required);
  f.whole("features", embedding.features, 1, required);
}
template <class Pool>
void read_pool(JsonFields& f, Pool& pool) {
  f.extent("kernel", pool.kernel, 1, required);
  f.extent("stride", pool.stride, 1);
  f.extent("padding", pool.padding, 0);
  f.flag("ceil_mode", pool.ceil_mode);
}
void read(JsonFields& f, layer::MaxPool2d& pool) {
  read_pool(f, pool);
  f.extent("dilation", pool.dilation, 1);
}
void read(JsonFields& f, layer::AvgPool2d& pool) { read_pool(f, pool); }
void read(JsonFields&, layer::GlobalAvgPool&) {}
void read(JsonFields& f, layer::Activation& activation) {
  if (may_be_in_place(activation.function)) f.flag("in_place", activation.in_place);
}
void read(JsonFields& f, layer::Dropout& dropout) { f.flag("in_place", dropout.in_place); }
void read(JsonFields&, layer::Flatten&) {}
void read(JsonFields& f, layer::Counts& counts) {
  f.whole("parameters", counts.parameters, 0, required);
  f.whole("activations", counts.activations, 0, required);
  f.whole("kept", counts.kept, 0);
  f.dims("output", counts.output);
}

std::string string_of(const json& object, const char* field) {
  const auto found = object.is_object() ? object.find(field) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Layer read_layer(const json& object, std::size_t index) {
  static const auto all_kinds = kinds();
  const auto kind = string_of(object, "type");
  JsonFields fields(object, layer_name(index, kind, string_of(object, "name")));
  const auto& type = *fields.value("type", required);
  std::string names;
  for (const auto& known : all_kinds) {
    Layer layer{known};
    if (type.is_string() && kind == kind_name(layer)) {
      fields.text("name", layer.name);
      std::visit([&](auto& of_kind) { read(fields, of_kind); }, layer.kind);
      fields.done();
      return layer;
    }
    names += (names.empty() ? "" : ", ") + std::string(kind_name(layer));
  }
  fields.refuse("type", type, "must be one of " + names);
}

void read_input(const json& object, Model& model) {
  JsonFields fields(object, "input");
  for (const auto* field : {"features", "tokens"}) {
    if (!fields.has(field)) continue;
    model.tokens = field == std::string_view("tokens");
    fields.whole(field, model.input.emplace_back(), 1, required);
    return fields.done();
  }
  model.input.resize(3);
  fields.whole("channels", model.input[0], 1, required);
  fields.whole("height", model.input[1], 1, required);
  fields.whole("width", model.input[2], 1, required);
  fields.done();
}

void read_types(JsonFields& outer, const json& value, Model& model) {
  auto& types = model.types;
  if (!value.is_object()) {
    outer.word("types", types.parameters, float_types);
    types.gradients = types.optimizer = types.activations = types.input = types.parameters;
    return;
  }
  JsonFields fields(value, "types");
  fields.word("parameters", types.parameters, float_types);
  types.gradients = types.optimizer = types.parameters;
  fields.word("gradients", types.gradients, float_types);
  fields.word("optimizer", types.optimizer, float_types);
  fields.word("activations", types.activations, float_types);
  types.input = types.activations;
  if (model.tokens && fields.has("input"))
    fields.refuse("input", value["input"], "tokens are int64");
  fields.word("input", types.input, input_types);
  fields.done();
}

void read_layers(JsonFields& fields, Model& model) {
  const auto* layers = fields.value("layers");
  const auto* counts = fields.value("counts");
  if ((layers == nullptr) == (counts == nullptr))
    fields.refuse("must have either layers or counts");
  if (counts != nullptr) {
    JsonFields of_counts(*counts, "counts");
    layer::Counts read_counts;
    read(of_counts, read_counts);
    of_counts.done();
    model.layers.push_back({read_counts});
    return;
  }
  if (!layers->is_array()) fields.refuse("layers", *layers, "must be an array");
  model.layers.reserve(layers->size());
  for (const auto& object : *layers)
    model.layers.push_back(read_layer(object, model.layers.size()));
}

Model read_all(const json& object) {
  JsonFields fields(object, "");
  Model model;
  std::string ignored;
  fields.text("$schema", ignored);
  fields.text("name", model.name);
  read_input(*fields.value("input", required, "[3, 224, 224]"), model);
  if (const auto* types = fields.value("types")) read_types(fields, *types, model);
  fields.word("optimizer", model.optimizer,
              {Optimizer::sgd, Optimizer::momentum, Optimizer::rmsprop, Optimizer::adam});
  fields.whole("batch", model.batch, 1);
  fields.whole("micro_batch", model.micro_batch, 1);
  read_layers(fields, model);
  fields.done();
  return model;
}

constexpr std::size_t most_bytes = 16u << 20;

/// "line 1, column 5: 'x'". `byte`: the number of the last byte that was read, from 1.
std::string position_text(std::string_view text, std::size_t byte) {
  const auto at = byte == 0 ? 0 : byte - 1;
  const auto before = text.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto column = at - (before.rfind('\n') + 1);  // npos + 1 is 0
  return "line " + std::to_string(line) + ", column " + std::to_string(column + 1) +
         (at < text.size() ? ": '" + sanitize(text.substr(at, 1)) + "'" : ": the end of the text");
}

}  // namespace

Model parse_model(std::string_view text) {
  if (text.size() > most_bytes)
    throw model_error("", "the model has more than " + std::to_string(most_bytes) + " bytes");
  json object;
  try {
    object = report::read_json<json>(text, report::Keys::once);
  } catch (const std::invalid_argument& e) {
    throw model_error("", e.what());
  } catch (const json::parse_error& e) {
    throw model_error("", "is not JSON (" + position_text(text, e.byte) + ")");
  } catch (const json::exception& e) {
    throw model_error("", std::string("is not JSON: ") + sanitize(e.what()));
  }
  return read_all(object);
}

Model read_model(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (char part[16384]; file && text.size() <= most_bytes;) {
    file.read(part, sizeof part);
    text.append(part, static_cast<std::size_t>(file.gcount()));
  }
  if (!file.eof() && !file)
    throw Error(Errc::source_failed, Stage::read,
                "cannot read " + sanitize(path) + ": " + std::generic_category().message(errno));
  try {
    return parse_model(text);
  } catch (const Error& error) {
    throw said_of(path, error);
  }
}

}  // namespace weir
