#include "weir/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "footprint/layer_rules.hpp"
#include "report/read_json.hpp"

namespace weir {
namespace {

using footprint_detail::layer_name, footprint_detail::model_error;
using layer::Function;
using nlohmann::json;

/// The largest integer that every JSON reader represents exactly (RFC 8259, section 6).
constexpr std::uint64_t most_number = (1ull << 53) - 1;
constexpr std::size_t most_shown = 64;
enum Need : std::uint8_t { optional, required };

std::string shown(const json& value) {
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  return sanitize(value.dump(-1, ' ', false, json::error_handler_t::replace), most_shown);
}

/// Reads the fields of one JSON object. A field that is missing, unknown, out of bounds or of the
/// wrong type throws Error{bad_options} "PLACE: FIELD = VALUE: BOUND".
class JsonFields {
 public:
  /// `position` is empty for the outermost object.
  JsonFields(const json& object, std::string position)
      : object_(object), position_(std::move(position)) {
    if (!object.is_object())
      refuse((position_.empty() ? "the model is " : "is ") + shown(object) + ": must be an object");
  }

  bool has(const char* field) const { return object_.contains(field); }
  /// Null if the field is missing and optional.
  const json* value(const char* field, Need need = optional, const char* example = nullptr) {
    known_.push_back(field);
    const auto found = object_.find(field);
    if (found != object_.end()) return &*found;
    if (need == required)
      refuse(std::string(field) + " is missing" +
             (example ? std::string(R"(; write ")") + field + R"(": )" + example : ""));
    return nullptr;
  }
  /// `least` is the bound of whole numbers.
  template <class T>
  void read(const char* field, T& target, std::uint64_t least = 0, Need need = optional) {
    if (const auto* found = value(field, need)) take(field, *found, least, target);
  }
  /// Reads one of the given words.
  template <class T>
  void word(const char* field, T& target, const std::vector<T>& choices) {
    const auto* found = value(field);
    if (found == nullptr) return;
    const auto name = [](T choice) { return std::string(to_string(choice)); };
    const auto chosen =
        std::ranges::find_if(choices, [&](T choice) { return *found == name(choice); });
    if (chosen == choices.end())
      refuse(field, *found, "must be one of " + joined(choices, ", ", name));
    target = *chosen;
  }

  /// Throws if the object has a field that was not read.
  void done() const {
    for (const auto& [field, value] : object_.items()) {
      if (std::count(known_.begin(), known_.end(), field) > 0) continue;
      refuse(sanitize(field, most_shown) + " is no field of it; those are " + joined(known_, ", "));
    }
  }

  [[noreturn]] void refuse(const std::string& field, const json& value,
                           const std::string& bound) const {
    refuse(field + " = " + shown(value) + ": " + bound);
  }
  [[noreturn]] void refuse(const std::string& what) const { throw model_error(position_, what); }

 private:
  void take(const char* field, const json& found, std::uint64_t least,
            std::uint64_t& target) const {
    // In JSON Schema, 3.0 is also an integer. Every allowed integer is exact as a double.
    const auto number = found.is_number() ? found.get<double>() : -1;
    if (!(number >= static_cast<double>(least) && number <= static_cast<double>(most_number)) ||
        number != std::floor(number))
      refuse(field, found,
             "must be a whole number, " + std::to_string(least) + " to " +
                 std::to_string(most_number));
    target = static_cast<std::uint64_t>(number);
  }
  template <class T>
  void take(const char* field, const json& found, std::uint64_t least,
            std::optional<T>& target) const {
    take(field, found, least, target.emplace());
  }
  /// One number for both sides, or [rows, columns].
  void take(const char* field, const json& found, std::uint64_t least, Extent& target) const {
    if (found.is_array() && found.size() != 2)
      refuse(field, found, "must be one number, or two: [rows, columns]");
    take(field, found.is_array() ? found[0] : found, least, target.height);
    take(field, found.is_array() ? found[1] : found, least, target.width);
  }
  void take(const char* field, const json& found, std::uint64_t, Dims& target) const {
    if (!found.is_array() || found.empty() || found.size() > 3)
      refuse(field, found, "must be [channels, height, width], [tokens, features] or [features]");
    target.resize(found.size());
    for (std::size_t i = 0; i < target.size(); ++i) take(field, found[i], 1, target[i]);
  }
  void take(const char* field, const json& found, std::uint64_t, bool& target) const {
    if (!found.is_boolean()) refuse(field, found, "must be true or false");
    target = found.get<bool>();
  }
  void take(const char* field, const json& found, std::uint64_t, std::string& target) const {
    if (!found.is_string()) refuse(field, found, "must be a string");
    target = found.get<std::string>();
  }

  const json& object_;
  std::string position_;
  std::vector<std::string> known_;
};

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
  f.read("out_channels", conv.out_channels, 1, required);
  f.read("kernel", conv.kernel, 1, required);
  f.read("stride", conv.stride, 1);
  f.read("padding", conv.padding, 0);
  f.read("dilation", conv.dilation, 1);
  f.read("groups", conv.groups, 1);
  f.read("bias", conv.bias);
  f.read("in_channels", conv.in_channels, 1);
}
void read(JsonFields& f, layer::Linear& linear) {
  f.read("out_features", linear.out_features, 1, required);
  f.read("bias", linear.bias);
  f.read("in_features", linear.in_features, 1);
}
void read(JsonFields& f, layer::BatchNorm& norm) {
  f.read("affine", norm.affine);
  f.read("running", norm.running);
}
void read(JsonFields& f, layer::GroupNorm& norm) {
  f.read("groups", norm.groups, 1, required);
  f.read("affine", norm.affine);
}
void read(JsonFields& f, layer::Embedding& embedding) {
  f.read("count", embedding.count, 1, required);
  f.read("features", embedding.features, 1, required);
}
template <class Pool>
void read_pool(JsonFields& f, Pool& pool) {
  f.read("kernel", pool.kernel, 1, required);
  f.read("stride", pool.stride, 1);
  f.read("padding", pool.padding, 0);
  f.read("ceil_mode", pool.ceil_mode);
}
void read(JsonFields& f, layer::MaxPool2d& pool) {
  read_pool(f, pool);
  f.read("dilation", pool.dilation, 1);
}
void read(JsonFields& f, layer::AvgPool2d& pool) { read_pool(f, pool); }
void read(JsonFields&, layer::GlobalAvgPool&) {}
void read(JsonFields& f, layer::Activation& activation) {
  if (may_be_in_place(activation.function)) f.read("in_place", activation.in_place);
}
void read(JsonFields& f, layer::Dropout& dropout) { f.read("in_place", dropout.in_place); }
void read(JsonFields&, layer::Flatten&) {}
void read(JsonFields& f, layer::Counts& counts) {
  f.read("parameters", counts.parameters, 0, required);
  f.read("activations", counts.activations, 0, required);
  f.read("kept", counts.kept, 0);
  f.read("output", counts.output);
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
  for (const auto& known : all_kinds) {
    Layer layer{known};
    if (type.is_string() && kind == kind_name(layer)) {
      fields.read("name", layer.name);
      std::visit([&](auto& of_kind) { read(fields, of_kind); }, layer.kind);
      fields.done();
      return layer;
    }
  }
  const auto name = [](const Layer::Kind& known) { return kind_name({known}); };
  fields.refuse("type", type, "must be one of " + joined(all_kinds, ", ", name));
}

void read_input(const json& object, Model& model) {
  JsonFields fields(object, "input");
  for (const auto* field : {"features", "tokens"}) {
    if (!fields.has(field)) continue;
    model.tokens = field == std::string_view("tokens");
    fields.read(field, model.input.emplace_back(), 1, required);
    return fields.done();
  }
  model.input.resize(3);
  fields.read("channels", model.input[0], 1, required);
  fields.read("height", model.input[1], 1, required);
  fields.read("width", model.input[2], 1, required);
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
  fields.read("$schema", ignored);
  fields.read("name", model.name);
  read_input(*fields.value("input", required, R"({"channels": 3, "height": 224, "width": 224})"),
             model);
  if (const auto* types = fields.value("types")) read_types(fields, *types, model);
  fields.word("optimizer", model.optimizer,
              {Optimizer::sgd, Optimizer::momentum, Optimizer::rmsprop, Optimizer::adam});
  fields.read("batch", model.batch, 1);
  fields.read("micro_batch", model.micro_batch, 1);
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
  } catch (const json::out_of_range&) {
    throw model_error("", "has a number beyond 1.8e308");
  }
  return read_all(object);
}

Model read_model(const std::string& path) {
  const auto text = read_text_file(path, most_bytes);
  try {
    return parse_model(text);
  } catch (const Error& error) {
    throw footprint_detail::said_of(path, error);
  }
}

}  // namespace weir
