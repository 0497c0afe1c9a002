#include "plan/auto_budget.hpp"

#include "base/text.hpp"
#include "options/refuse.hpp"

namespace weir::plan {
AutoBudget auto_budget(const MemoryRoom& room, double share) {
  if (!(share > 0 && share <= 1)) {
    refuse("auto_budget share = ", share, ": must be above 0 and at most 1");
  }
  const auto left = room.left();
  if (!left) {
    refuse(
        "auto budget: neither MemAvailable nor a memory cgroup can be read here; name the bytes");
  }
  const auto& group = room.cgroup;
  const auto machine = room.machine > 0
                           ? "the machine has " + bytes_text(room.machine) + " available"
                           : std::string("the kernel does not say what the machine has available");
  const auto cgroup = group ? "cgroup " + group->path + " has " + bytes_text(group->left()) +
                                  " left (limit " + bytes_text(group->limit) + ", used " +
                                  bytes_text(group->used) + ", of that " +
                                  bytes_text(group->cache) + " idle file cache)"
                            : std::string("no memory cgroup sets a limit");
  AutoBudget budget;
  budget.bytes = static_cast<std::uint64_t>(static_cast<double>(*left) * share);
  budget.how = bytes_text(budget.bytes) + ": " + format("%g %%", 100 * share) + " of the " +
               bytes_text(*left) + " left; " +
               (left != room.machine ? cgroup + ", " + machine : machine + ", " + cgroup);
  return budget;
}

}  // namespace weir::plan

namespace weir {

AutoBudget auto_budget(double share) { return plan::auto_budget(memory_room(), share); }

}  // namespace weir
