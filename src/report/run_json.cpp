#include "report/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/checked.hpp"
#include "report/fields.hpp"
#include "weir/advice.hpp"
#include "weir/profile.hpp"

namespace weir::report {
namespace {

Json if_known(const auto& figure, bool is_known) { return is_known ? Json(figure) : Json(nullptr); }
Json accounts_json(const AccountBytes& accounts) {
  Json out = Json::object();
  for (std::size_t i = 0; i < account_count; ++i)
    out[std::string(to_string(static_cast<Account>(i)))] = accounts[i];
  return out;
}

/// Growth of each kind of resident memory from the start to the end of the run.
Json parts_json(const Run& run) {
  Json out = Json::object();
  for (const auto& [name, part] : process_fields) out[name] = grown(run, part);
  return out;
}

/// The parts of the RSS at the end of the stream.
Json split_json(const Run& run) {
  Json out = Json::object();
  const MemoryReport now{run.figures.memory, run.figures.process_now, run.parts_now};
  for (const auto& part : now.parts()) out[std::string(part.name)] = part.bytes;
  return out;
}

/// `event` is "posting" or "reading".
Json cost_json(const std::string& event, const AccountingCost& cost) {
  return {{event + "s_per_sample", cost.events_per_sample},
          {"ns_per_" + event, cost.event_ns},
          {"ns_per_sample", cost.ns_per_sample},
          {"share_of_cpu", cost.share_of_cpu}};
}

Json slabs_json(const Report& figures) {
  auto out = Json::object();
  for (const auto& [name, bytes] : slab_columns(figures.plan, figures.slabs)) out[name] = bytes;
  return out;
}

Json memory_json(const Run& run) {
  const auto& memory = run.figures.memory;
  return {
      {"live", memory.live},
      {"peak", memory.peak},
      {"accounts", accounts_json(memory.accounts)},
      {"at_peak", accounts_json(memory.accounts_at_peak)},
      {"process",
       {{"rss_before", run.process_before.rss},
        {"rss_peak", run.process_peak.rss},
        {"pss_before", run.process_before.pss},
        {"pss_peak", run.process_peak.pss},
        {"unaccounted", unaccounted(run)},
        {"rss_after", run.process_after.rss},
        {"pss_after", run.process_after.pss},
        {"growth", parts_json(run)},
        {"parts", split_json(run)}}},
      // A shorter queue gives slabs back.
      {"staging", std::max(staging_bytes(memory.accounts), staging_bytes(memory.accounts_at_peak))},
      {"slabs", slabs_json(run.figures)},
      {"postings", run.figures.postings},
      {"books_cost", cost_json("posting", books_cost(run))},
      {"pinned", {{"locked", run.figures.pinned.locked}, {"refused", run.figures.pinned.refused}}},
      {"slab_memory_note", text_or_null(run.slab_note)}};
}

Json stages_json(std::span<const StageStats> stages) {
  Json out = Json::array();
  for (const auto& stage : stages)
    out.push_back({{"name", to_string(stage.stage)},
                   {"count", stage.count},
                   {"busy_s", stage.busy_s},
                   {"p50_us", or_null(stage.quantile_us(0.5))},
                   {"p99_us", or_null(stage.quantile_us(0.99))},
                   {"p90_us", or_null(stage.quantile_us(0.9))},
                   {"bytes", stage.bytes},
                   {"mean_us", if_known(stage.busy_s * 1e6 / static_cast<double>(stage.count),
                                        stage.count > 0)}});
  return out;
}

Json cpu_json(const CpuUse& cpu) {
  if (!cpu.cpus) return nullptr;
  return {{"cpus", *cpu.cpus},
          {"limit", or_null(cpu.limit)},
          {"workers_s", cpu.workers_s},
          {"wait_s", or_null(cpu.wait_s)},
          {"process_s", cpu.process_s},
          {"throttle_s", or_null(cpu.throttle_s)},
          {"throttled_periods", or_null(cpu.throttled_periods)},
          {"steal_s", or_null(cpu.steal_s)}};
}

Json queue_json(const QueueStats& queue) {
  Json workers = Json::object();
  for (const auto& field : worker_fields)
    workers[field.name + std::string("_s")] = queue.workers.*field.value;
  const auto consumer = service(queue.consumer);
  return {{"occupancy", queue.occupancy},
          {"consumer_wait_s", queue.consumer_wait_s},
          {"producer_wait_s", queue.producer_wait_s},
          {"data_readiness", if_known(queue.data_readiness, queue.batches > 0)},
          {"seconds", queue.seconds},
          {"storage_wait_s", queue.storage_wait_s},
          {"decode_wait_s", queue.decode_wait_s},
          {"memory_wait_s", queue.memory_wait_s},
          {"device_wait_s", queue.device_wait_s},
          {"batches", queue.batches},
          {"workers", workers},
          {"consumer",
           {{"count", consumer.count},
            {"mean_s", consumer.mean_s},
            {"deviation_s", consumer.deviation_s}}},
          {"cpu", cpu_json(queue.cpu)}};
}

double rounded(double figure, double steps) { return std::round(figure * steps) / steps; }

Json timeline_json(std::span<const TimelinePoint> points) {
  constexpr double milliseconds = 1e3, tenths = 10;
  Json out = Json::array();
  TimelinePoint before;
  for (const auto& point : points) {
    const auto span = point.seconds - before.seconds;
    const auto pace = span > 0 ? static_cast<double>(point.consumed - before.consumed) / span : 0.0;
    out.push_back({{"t", rounded(point.seconds, milliseconds)},
                   {"samples", point.consumed},
                   {"samples_per_s", rounded(pace, tenths)},
                   {"filling", point.filling},
                   {"ready", point.ready},
                   {"leased", point.leased},
                   {"live", point.live},
                   {"accounts", accounts_json(point.accounts)}});
    before = point;
  }
  return out;
}

/// Bytes of a row, and of the rows of a queue slot, by column.
Json columns_json(const Plan& plan) {
  Json out = Json::array();
  for (const auto& column : plan.columns()) {
    const auto& [name, pixels, size, bytes] = column;
    out.push_back(
        {{"name", name},
         {"pixels", pixels ? Json(to_string(*pixels)) : Json(nullptr)},
         {"shape", pixels ? Json{size.height, size.width, channels_of(*pixels)} : Json(nullptr)},
         {"row_bytes", bytes},
         {"slot_bytes", mul_sat(bytes, plan.batch)}});
  }
  return out;
}

Json sizes_json(const Plan& plan) {
  const auto& sizes = plan.sizes;
  const auto pair = [](ImageSize size) { return Json{size.height, size.width}; };
  return {{"mode", size_mode(plan)},
          {"bucket_batches", sizes.bucket_batches},
          {"multiple_of", sizes.multiple_of},
          {"bound", if_known(pair(sizes.bound), sizes.bound != ImageSize{})},
          {"largest", pair(sizes.largest)},
          {"unknown", sizes.unknown},
          {"least_slab_bytes", sizes.least_slab_bytes},
          {"typical_slab_bytes", sizes.typical_slab_bytes},
          {"most_slab_bytes", plan.slab_bytes},
          {"max_staging_bytes", or_null(sizes.max_staging_bytes)},
          {"padding", sizes.padding},
          {"padding_without_buckets", sizes.padding_without_buckets},
          {"delivered", nullptr}};
}

Json cache_json(const CachePlan& cache) {
  return {{"keep", to_string(cache.keep)},
          {"requested_bytes", or_null(cache.requested)},
          {"most_bytes", cache.bytes},
          {"table_bytes", cache.table_bytes},
          {"note", text_or_null(cache.note)},
          {"held", nullptr},
          {"tiles", cache.tiles}};
}

Json to_json(const CacheStats& cache) {
  return {{"bytes", cache.bytes},   {"samples", cache.samples}, {"hits", cache.hits},
          {"misses", cache.misses}, {"evicted", cache.evicted}, {"hit_rate", cache.hit_rate()}};
}

}  // namespace

Json fault_json(const Fault& fault) {
  return {{"index", fault.index},
          {"path", fault.name},
          {"stage", to_string(fault.stage)},
          {"kind", to_string(fault.kind)},
          {"reason", fault.reason},
          {"epoch", fault.epoch},
          {"offset", or_null(fault.offset)},
          {"plane", text_or_null(fault.plane)}};
}

Json planes_json(std::span<const PlaneStats> planes) {
  Json out = Json::array();
  for (const auto& plane : planes) {
    auto& one = out.emplace_back(Json{{"name", plane.name}});
    for (const auto& field : plane_fields) one[field.name] = plane.*field.value;
    one["decodes"] = plane.decodes;
    one["decode_s"] = plane.decode_s;
  }
  return out;
}

Json envelope(std::string_view command) {
  Json out = head(command);
  for (const auto* key : {"plan",       "memory",
                          "samples",    "queue",
                          "throughput", "stages",
                          "regime",     "faults",
                          "digest",     "fault_count",
                          "error",      "interrupted",
                          "timeline",   "regime_why",
                          "stats_cost", "setting",
                          "moves",      "stalls",
                          "sizes",      "cache",
                          "planes",     "timeline_interval_s",
                          "trace_lost"})
    out[key] = nullptr;
  for (const auto* key : {"faults", "moves", "stalls", "planes"}) out[key] = Json::array();
  out["fault_count"] = 0;
  out["interrupted"] = false;
  return out;
}

namespace {

/// Null if this process trains alone.
Json ranks_json(const Plan& plan) {
  const auto& ranks = plan.ranks;
  if (ranks.world == 1) return nullptr;
  return {{"rank", ranks.rank},
          {"world", ranks.world},
          {"local_world", ranks.local_world},
          {"node_bytes", bound_json(node_bytes(plan))}};
}

/// Null if the number of samples is unknown.
Json epoch_json(const EpochPlan& epoch) {
  if (epoch.batches == 0) return nullptr;
  return {{"positions", epoch.positions}, {"batches", epoch.batches},
          {"samples", epoch.samples},     {"all_samples", epoch.all_samples},
          {"omitted", epoch.omitted},     {"padding_rows", epoch.padding_rows}};
}

}  // namespace

Json to_json(const Plan& plan) {
  return {{"batch", plan.batch},
          {"workers", plan.workers},
          {"read_ahead", plan.read_ahead},
          {"max_queue_size", plan.max_queue_size},
          {"max_queue_size_requested", plan.max_queue_size_requested},
          {"max_leases", plan.max_leases},
          {"slabs", plan.slabs},
          {"slab_bytes", plan.slab_bytes},
          {"max_sample_bytes", plan.max_sample_bytes},
          {"floor_bytes", plan.floor_bytes},
          {"budget_bytes", or_null(plan.budget_bytes)},
          {"ceiling_bytes", bound_json(plan.ceiling_bytes)},
          {"data_ceiling_bytes", bound_json(plan.data_ceiling_bytes.value_or(UINT64_MAX))},
          {"index_bytes", plan.index_bytes},
          {"trace_bytes", plan.trace_bytes},
          {"shape", if_known(Json{plan.shape.height, plan.shape.width, channels_of(plan.pixels)},
                             plan.decode != Decode::none)},
          {"size", text_or_null(plan.sizes.size)},
          {"annotation_bytes", plan.annotation_bytes},
          {"transform_bytes", plan.transform_bytes},
          {"max_queue_bytes", or_null(plan.max_queue_bytes)},
          {"pinned", plan.pinned.slab_bytes == 0 ? Json(nullptr)
                                                 : Json{{"slab_bytes", plan.pinned.slab_bytes},
                                                        {"limit_bytes", plan.pinned.limit_bytes},
                                                        {"note", plan.pinned.note}}},
          {"ranks", ranks_json(plan)},
          {"order", to_string(plan.order)},
          {"partners", plan.partners},
          {"counted", counted(plan)},
          {"tuned", is_tuned(plan)},
          {"epoch", epoch_json(plan.epoch)},
          {"columns", columns_json(plan)}};
}

Json to_json(const Setting& setting) {
  return {{"max_queue_size", setting.max_queue_size},
          {"workers", setting.workers},
          {"read_ahead", setting.read_ahead},
          {"batch", setting.batch}};
}

Json depth_json(const Plan& plan, std::uint32_t depth) {
  const auto cost = plan.cost_of(depth);
  return {{"max_queue_size", depth},
          {"staging_bytes", cost.staging_bytes},
          {"float16_bytes", or_null(cost.float16_bytes)},
          {"float32_bytes", or_null(cost.float32_bytes)},
          {"samples_ahead", (std::uint64_t{depth} + plan.max_leases) * plan.batch}};
}

Json to_json(const Grid& grid) {
  Json gib = Json::array();
  for (const auto& row : grid.bytes) {
    Json cells = Json::array();
    for (const auto bytes : row)
      cells.push_back(static_cast<double>(bytes) / static_cast<double>(1ull << 30));
    gib.push_back(std::move(cells));
  }
  return {{"dtype", to_string(grid.type)},
          {"batches", grid.batches},
          {"sides", grid.sides},
          {"bytes", grid.bytes},
          {"gib", std::move(gib)}};
}

Json to_json(const SampleTally& samples) {
  Json out = Json::object();
  for (const auto& field : sample_fields) {
    if (field.value == &SampleTally::omitted) out["conserved"] = samples.conserved();
    out[field.name] = samples.*field.value;
  }
  out["unused"] = unused(samples);
  return out;
}

void put_plan(Json& envelope, const Plan& plan, std::string_view budget_how,
              std::string_view sample_how) {
  envelope["plan"] = to_json(plan);
  envelope["plan"]["budget_how"] = text_or_null(budget_how);
  envelope["plan"]["sample_how"] = text_or_null(sample_how);
  if (plan.sizes.mode != Sizes::fixed) envelope["sizes"] = sizes_json(plan);
  if (plan.cache.keep != Cache::nothing) envelope["cache"] = cache_json(plan.cache);
}

void put_faults(Json& envelope, std::span<const Fault> faults, std::uint64_t fault_count) {
  envelope["faults"] = Json::array();
  for (const auto& fault : faults) envelope["faults"].push_back(fault_json(fault));
  envelope["fault_count"] = fault_count;
}

Json run_report(std::string_view command, const Run& run) {
  auto out = envelope(command);
  const auto& figures = run.figures;
  put_plan(out, figures.plan, run.budget_how, run.sample_how);
  out["plan"]["options"] = figures.options;
  out["memory"] = memory_json(run);
  out["samples"] = to_json(figures.samples);
  out["queue"] = queue_json(figures.queue);
  out["throughput"] = {{"seconds", figures.throughput.seconds},
                       {"samples_per_s", figures.throughput.samples_per_s},
                       {"first_batch_s", if_known(figures.throughput.first_batch_s,
                                                  figures.throughput.first_batch_s > 0)}};
  out["stages"] = stages_json(figures.stages);
  out["setting"] = to_json(figures.setting);
  out["moves"] = figures.moves;
  out["stalls"] = figures.stalls;
  if (figures.regime) {
    out["regime"] = *figures.regime;
    out["regime_why"] = judge(figures.queue).why;
  }
  if (figures.plan.sizes.mode != Sizes::fixed)
    out["sizes"]["delivered"] = {{"images", figures.sizes.images},
                                 {"image_bytes", figures.sizes.image_bytes},
                                 {"block_bytes", figures.sizes.block_bytes},
                                 {"padding", figures.sizes.padding()}};
  if (figures.plan.cache.keep != Cache::nothing) out["cache"]["held"] = to_json(figures.cache);
  out["stats_cost"] = cost_json("reading", stats_cost(run));
  put_faults(out, figures.faults, figures.fault_count);
  out["planes"] = planes_json(figures.planes);
  out["digest"] = text_or_null(run.digest);
  out["error"] = text_or_null(run.error);
  out["interrupted"] = run.interrupted;
  out["timeline"] = timeline_json(run.timeline);
  out["timeline_interval_s"] = run.timeline_interval_s;
  out["trace_lost"] = figures.trace_lost;
  return out;
}

std::string run_json(const Run& run) { return write(run_report("run", run)); }

}  // namespace weir::report
