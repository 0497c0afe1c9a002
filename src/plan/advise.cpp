#include <string>

#include "base/checked.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/search.hpp"
#include "plan/text.hpp"
#include "weir/advice.hpp"

namespace weir {
namespace {

/// Writes the recommended setting as options of the program and as C++.
void put_settings(Advice& advice, std::uint64_t budget, const CachePlan& cache) {
  const auto set = [&](const std::string& flag, const std::string& member, std::uint64_t value) {
    advice.flags += (advice.flags.empty() ? "--" : " --") + flag + " " + std::to_string(value);
    advice.code += "options." + member + " = " + std::to_string(value) + ";\n";
  };
  const auto& setting = advice.recommended.setting;
  set("max-queue-size", "queue.max_queue_size", setting.max_queue_size);
  set("workers", "workers", setting.workers);
  set("read-ahead", "io.read_ahead", setting.read_ahead);
  if (budget != unlimited) set("memory-budget", "memory.budget_bytes", budget);
  if (cache.keep == Cache::nothing) return;
  const std::string keep(to_string(cache.keep)), requested = std::to_string(cache.requested);
  advice.flags += " --cache " + keep + (cache.requested != 0 ? ":" + requested : "");
  advice.code += "options.cache.keep = weir::Cache::" + keep + ";\n";
  if (cache.requested != 0) advice.code += "options.cache.max_bytes = " + requested + ";\n";
}

void check(const AdviceOptions& o) {
  if (!(o.target_readiness > 0 && o.target_readiness <= 1))
    refuse("target_readiness = " + std::to_string(o.target_readiness) +
           ": must be above 0 and at most 1");
  if (o.most_queue == 0) refuse("most_queue = 0: must be 1 or more");
}

}  // namespace

Advice advise(const Window& window, const AdviceOptions& options) {
  check(options);
  Search search(window, options);
  Advice advice;
  advice.now = predict(plan_with(window, setting_of(window.plan), window.plan.budget_bytes),
                       search.work(), window.encoded_bytes);
  advice.ceiling = search.ceiling();
  advice.recommended = search.smallest(advice.ceiling);
  advice.steps = search.steps(advice.recommended);
  advice.cache = cache_advice(window, search, advice.recommended.setting, options.cache_bytes);
  advice.sentences = advice_text(window, options, search, advice);
  put_settings(advice, search.budget(), window.plan.cache);
  return advice;
}

}  // namespace weir
