#include "base/machine/pages.hpp"
#include "report/process.hpp"

#include <cstdio>
#include <fstream>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace weir::report {
namespace {

struct Mapping {
  std::uint64_t from = 0, to = 0;
  bool accessible = false;
  std::string name;  ///< empty: anonymous
};

/// Parses "7f0a-7f0b rw-p 00000000 00:00 0   [heap]". Empty if the line is an attribute of a
/// mapping.
std::optional<Mapping> mapping(const std::string& line) {
  unsigned long long from = 0, to = 0;
  char access[5]{};
  auto name = static_cast<int>(line.size());
  if (std::sscanf(line.c_str(), "%llx-%llx %4s %*s %*s %*s %n", &from, &to, access, &name) < 3)
    return {};
  return Mapping{from, to, std::string_view(access).substr(0, 3) != "---",
                 line.substr(static_cast<std::size_t>(name))};
}

// glibc: a thread's arena starts at a multiple of its maximum size.
constexpr std::uint64_t arena_alignment = 64ull << 20;

}  // namespace

ProcessParts parts_of(std::istream& smaps, std::uint64_t page_size) {
  ProcessParts parts;
  Mapping now, before;
  std::uint64_t* part = nullptr;
  for (std::string line; std::getline(smaps, line);) {
    if (auto next = mapping(line)) {
      before = std::move(now);
      now = std::move(*next);
      // pthreads(7) puts one inaccessible page below each thread's stack.
      const bool guarded = before.to == now.from && !before.accessible && before.name.empty() &&
                           before.to - before.from == page_size;
      if (now.name.starts_with('/'))
        part = &parts.libraries;
      else if (now.name.starts_with("[stack") || (now.name.empty() && guarded))
        part = &parts.stacks;
      else if (now.name == "[heap]" || (now.name.empty() && now.from % arena_alignment == 0))
        part = &parts.heap;
      else
        part = &parts.pages;
    } else if (part != nullptr) {
      *part += kilobytes_of(line, "Rss:").value_or(0);
    }
  }
  return parts;
}

}  // namespace weir::report

weir::ProcessParts weir::process_parts() {
  std::ifstream smaps("/proc/self/smaps");
  auto parts = report::parts_of(smaps, page_size());
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  parts.heap_free = mallinfo2().fordblks;
#endif
  return parts;
}
