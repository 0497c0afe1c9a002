#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include "weir/error.hpp"

namespace weir {

/// The text of an error. "out of memory" for std::bad_alloc.
std::string plain_text(const std::exception& error);

/// One enumerator: its name in reports, metrics and traces, and its description on the page.
template <class Enum>
struct Term {
  Enum value;
  std::string_view name, meaning;
};

/// Whether the table has one row for each enumerator, in their order.
template <class Table>
consteval bool in_order(const Table& table) {
  return std::ranges::all_of(table, [&](const auto& row) {
    return &row - table.data() == static_cast<std::ptrdiff_t>(row.value) && !row.name.empty();
  });
}

template <class Table, class Enum>
constexpr std::string_view name_in(const Table& table, Enum value) noexcept {
  const auto index = static_cast<std::size_t>(value);
  return index < table.size() ? table[index].name : "?";
}

/// The name at the enumerator's index; "?" if the index is out of range.
template <class Enum, std::size_t count>
constexpr std::string_view name_of(Enum index, const std::string_view (&names)[count]) noexcept {
  const auto at = static_cast<std::size_t>(index);
  return at < count ? names[at] : "?";
}

inline constexpr std::array<Term<Stage>, stage_count> stages{{
    {Stage::read, "read", "reading the encoded bytes of one sample"},
    {Stage::wait, "wait", "one sample waits until the budget has room for it"},
    {Stage::decode, "decode", "decoding the header and the pixels of one image"},
    {Stage::fit, "fit", "cropping, resizing and your own transform of one image"},
    {Stage::handoff, "handoff", "a batch is ready in the queue until the consumer takes it"},
    {Stage::lease, "lease", "the consumer holds a batch"},
    {Stage::copy, "copy", "a device reads a released batch, after the batches before it"},
}};
static_assert(in_order(stages));

}  // namespace weir
