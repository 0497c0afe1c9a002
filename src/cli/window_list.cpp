#include "cli/window_list.hpp"

#include <nlohmann/json.hpp>

#include "codec/window.hpp"
#include "plan/pixel_plan.hpp"
#include "report/json.hpp"

namespace weir::cli {
namespace {

report::Json json_of(const Rect& r) { return report::Json::array({r.x, r.y, r.width, r.height}); }
report::Json json_of(ImageSize size) { return report::Json::array({size.height, size.width}); }

}  // namespace

WindowList::WindowList(const Settings& settings, const AnySource& source)
    : source_(source),
      sampler_(source.size(), settings.options.order, settings.options.seed),
      options_(settings.options),
      rule_(plan::size_rule(options_)),
      decoder_(plan::decoder_options(settings.options)) {
  if (settings.windows.empty()) return;
  plan::check_fit(settings.options);
  file_.emplace(settings.windows);
}

Result<Window> WindowList::window_of(const conductor::BatchSlot& batch, source::Position position,
                                     std::uint64_t index) {
  const auto sample = reader_.read(source_, index);
  if (!sample) return sample.defect();
  const auto info = codec::probe_image(sample->bytes, decoder_);
  if (!info) return info.defect();
  const auto upright = codec::upright_size(*info, decoder_.exif);
  auto fit = decoder_.fit;
  SizeInput in{.epoch = batch.epoch, .step = batch.step};
  if (options_.sizes.mode == Sizes::fixed) {
    if (rule_) fit = plan::fit_of(options_, rule_.of(in));
  } else {
    in.index = index;
    in.image = upright;
    const auto size = rule_ ? rule_.of(in) : scaled_within(upright, options_.sizes.bound());
    fit = {.out = size, .flip = fit.flip, .into = {0, 0, size.width, size.height}};
  }
  auto window = codec::choose_window(upright, fit, sampler_.draw(batch.epoch, position));
  if (decoder_.exif == Exif::apply) window.orientation = info->orientation;
  return window;
}

void WindowList::add(const conductor::BatchSlot& batch, source::Position position,
                     std::uint64_t index) {
  if (!file_) return;
  report::Json row{{"epoch", batch.epoch},
                   {"position", position.value()},
                   {"index", index},
                   {"name", source_.name(index)}};
  if (const auto window = window_of(batch, position, index); !window) {
    row["fault"] = window.defect().reason;
  } else {
    row["image"] = json_of(window->image);
    row["orientation"] = window->orientation;
    row["source"] = json_of(window->source);
    row["target"] = json_of(window->target);
    row["flip"] = {window->flip.horizontal, window->flip.vertical};
  }
  file_->stream() << std::exchange(before_, ",\n")
                  << row.dump(-1, ' ', false, report::Json::error_handler_t::replace);
}

void WindowList::close() {
  if (!file_) return;
  file_->stream() << (*before_ == '[' ? "[]\n" : "\n]\n");
  file_->close();
}

}  // namespace weir::cli
