#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/counting.hpp"
#include "weir/export.hpp"
#include "weir/ledger.hpp"

namespace weir {

/// Memory while a phase lasted.
struct PhaseUse {
  std::string name;         ///< as phase() was given it
  std::uint64_t times = 0;  ///< how often it came in its step
  /// As watch() named them: live when it last ended, the most while it lasted.
  std::vector<MemoryUse> watched;
  std::uint64_t rss = 0;  ///< of the process, when it last ended
  /// Of the process, while it lasted: the kernel's high-water mark (Linux: VmHWM) where
  /// /proc/self/clear_refs resets it, else the most at the beginnings and ends of phases.
  std::uint64_t rss_peak = 0;
};

/// Memory while a step lasted.
struct WEIR_API StepUse {
  std::uint64_t number = 0;      ///< from 1; 0: what came before the first begin_step()
  std::vector<PhaseUse> phases;  ///< in the order in which they first came
  /// From one begin_step() to the next, what lay between phases included.
  PhaseUse whole;
  /// Throws Error{bad_options} where the step has no such phase.
  const PhaseUse& operator[](std::string_view phase) const;
};

/// Where the bytes go, by step and phase: the loader's accounts, the trainer's own and the process.
///
///     weir::CountingResource memory;
///     weir::MemoryProfile profile;
///     profile.watch("loader", loader.ledger());
///     profile.watch("network", memory);
///     for (...) {
///       profile.begin_step();
///       { auto phase = profile.phase("data"); ... }
///       { auto phase = profile.phase("forward"); ... }
///     }
///     std::cout << profile.text();
///
/// As people profile a GPU's memory: reset the peak, run a phase, read live and peak. At the
/// beginning and at the end of a phase, the peak of each thing watched is read and begun anew in one
/// go, so no allocation of any thread is missed or counted in two phases. Several things are read one
/// after the other; their peaks need not have come together. A profile's peaks are its own: it
/// resets no one's, and a reset_peak() elsewhere or another profile does not matter to it. But the
/// kernel keeps one high-water mark of RSS a process, and that one is reset.
///
/// Phases do not nest: one at a time, whichever thread opens it. A phase that comes again in a step
/// counts with the first: a micro-batch's `forward`, say. Any thread.
class WEIR_API MemoryProfile {
  struct State;

 public:
  /// Keeps the first `max_steps` steps; later ones are counted.
  explicit MemoryProfile(std::size_t max_steps = 1000);
  ~MemoryProfile();
  MemoryProfile(const MemoryProfile&) = delete;
  MemoryProfile& operator=(const MemoryProfile&) = delete;

  /// The accounts of the ledger: of all the loaders that share it. May outlive them. Throws
  /// Error{bad_options} where the name is empty or taken, or after the first step or phase.
  void watch(std::string name, const MemoryLedger& ledger);
  /// The accounts of the caller's own; otherwise as above.
  void watch(std::string name, const CountingResource& memory);

  /// The next step. Throws Error{bad_options} while a phase is open.
  void begin_step();

  /// An open phase; it ends with this object, by an exception too. One thread at a time. May outlive
  /// the profile.
  class [[nodiscard]] Phase {
   public:
    WEIR_API Phase(Phase&& other) noexcept;
    Phase& operator=(Phase&&) = delete;
    /// end(). A phase for whose figures there is no memory then is left out.
    WEIR_API ~Phase();
    /// Ends it now; nothing where it has ended.
    WEIR_API void end();

   private:
    friend class MemoryProfile;
    WEIR_API explicit Phase(std::shared_ptr<State> state) noexcept;
    std::shared_ptr<State> state_;
  };
  /// `data`, `forward`, `loss`, `backward`, `step`, or any other name. Throws Error{bad_options} where
  /// it is empty or another phase is open.
  Phase phase(std::string name);

  /// Names as watch() had them.
  std::vector<std::string> watched() const;
  /// All that were kept; the last as far as it has come.
  std::vector<StepUse> steps() const;
  /// How many, those included that were not kept.
  std::uint64_t steps_begun() const noexcept;

  /// Tables for a terminal, of 100 columns: live and peak by account, and RSS. Of many steps the first
  /// three, the one that held most and the last.
  std::string text() const;
  /// All steps that were kept: an object with `command`: `profile` and, under `profile`, names, steps,
  /// phases, accounts and bytes. `weir page FILE --html PAGE` draws it.
  void write_json(std::ostream& out) const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace weir
