#include "cli/rows.hpp"

#include <fmt/format.h>

#include "plan/order_plan.hpp"
#include "source/name_list.hpp"
#include "source/order.hpp"

namespace weir::cli {

conductor::Schedule schedule_of(const Settings& settings, const Ranks& ranks,
                                std::uint64_t samples) {
  const auto& options = settings.options;
  const auto batching =
      plan::batching_of(options, ranks, source::positions_of(options.order, samples));
  if (settings.resume) return {batching, settings.stream_epochs(), *settings.resume};
  return {batching, settings.stream_epochs()};
}

std::string name_field(const std::string& name) {
  auto field = source::name_line(name);
  field.pop_back();
  for (std::size_t at = 0; (at = field.find('\t', at)) != field.npos;) field.replace(at, 1, "\\t");
  return field;
}

SampleList::SampleList(const Settings& settings, const Loader& loader, const AnySource& source)
    : source_(source), schedule_(schedule_of(settings, loader.plan().ranks, loader.size())) {
  if (settings.samples.empty()) return;
  file_.emplace(settings.samples);
  file_->stream() << "epoch\tposition\tindex\tname\tlabel\tstatus\n";
}

void SampleList::add(const Batch& batch) {
  if (!file_) return;
  const auto slot = schedule_.at(batch.sequence());
  for (std::uint32_t row = 0; row < batch.size(); ++row) {
    const auto status = to_string(batch.statuses()[row]);
    // A padding row has no sample.
    const auto index = batch.indices()[row];
    file_->stream() << (slot.rows == 0
                            ? fmt::format("{}\t-\t-\t\t", batch.epoch())
                            : fmt::format("{}\t{}\t{}\t{}\t", batch.epoch(),
                                          schedule_.position(slot, slot.first + row).value(), index,
                                          name_field(source_.name(index))))
                    << fmt::format("{}\t{}\n", batch.labels()[row], status);
  }
}

void SampleList::close() {
  if (file_) file_->close();
}

}  // namespace weir::cli
