#include <string>

#include "base/checked.hpp"
#include "plan/cache_advice.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/search.hpp"
#include "plan/words.hpp"
#include "weir/advice.hpp"

namespace weir {
namespace {

std::string flags_of(const Setting& s, std::uint64_t budget, const CachePlan& cache) {
  auto flags = "--max-queue-size " + std::to_string(s.max_queue_size) + " --workers " +
               std::to_string(s.workers) + " --read-ahead " + std::to_string(s.read_ahead);
  if (budget != unlimited) flags += " --memory-budget " + std::to_string(budget);
  if (cache.keep != Cache::nothing) {
    flags += " --cache " + std::string(to_string(cache.keep));
    if (cache.asked != 0) flags += ":" + std::to_string(cache.asked);
  }
  return flags;
}

std::string code_of(const Setting& s, std::uint64_t budget, const CachePlan& cache) {
  auto code = "options.queue.max_queue_size = " + std::to_string(s.max_queue_size) +
              ";\noptions.workers = " + std::to_string(s.workers) +
              ";\noptions.io.read_ahead = " + std::to_string(s.read_ahead) + ";\n";
  if (budget != unlimited)
    code += "options.memory.budget_bytes = " + std::to_string(budget) + ";\n";
  if (cache.keep != Cache::nothing) {
    code += "options.cache.keep = weir::Cache::" + std::string(to_string(cache.keep)) + ";\n";
    if (cache.asked != 0)
      code += "options.cache.max_bytes = " + std::to_string(cache.asked) + ";\n";
  }
  return code;
}

void check(const AdviceOptions& o) {
  const auto refuse = [](const std::string& what) {
    throw Error(Errc::bad_options, Stage::wait, what);
  };
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
  advice.words = words_of(window, options, search, advice);
  const auto& cache = window.plan.cache;
  advice.flags = flags_of(advice.recommended.setting, search.budget(), cache);
  advice.code = code_of(advice.recommended.setting, search.budget(), cache);
  return advice;
}

}  // namespace weir
