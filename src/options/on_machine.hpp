#pragma once

#include <cstdint>

#include "weir/options.hpp"

namespace weir::options {

/// `options` for another machine: with these workers and this queue, and without everything that
/// delivers the same pixels otherwise.
inline Options on_machine(Options options, std::uint32_t workers, std::uint32_t queue) {
  options.workers = workers;
  options.queue = {.max_queue_size = queue};
  options.io = {};
  options.cache = {};
  options.memory = {};
  options.tuning = {};
  options.trace = {};
  options.watchdog = {};
  return options;
}

}  // namespace weir::options
