#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "weir/options.hpp"

namespace weir::options {

/// What an option decides.
enum class Affects : std::uint8_t {
  pixels,   ///< the row of a sample before a transform, and whether the sample is a fault
  batches,  ///< which rows a batch has, and what a transform makes of them
  bytes,    ///< memory
  speed,
  nothing,
};

/// Where an option has a meaning. Elsewhere it must keep its default.
enum class Need : std::uint8_t {
  nothing,
  decoded,  ///< decoded images
  fixed,    ///< decoded images of one size
  own,      ///< decoded images of their own sizes
  padded,   ///< padded batches
  center,   ///< Fit::center, and so on
  random,
  patch,
  letterbox,
  tolerance,  ///< OnFault::skip or blank
};

/// What reads an option. The program gives it to the commands that have such a part.
enum class Part : std::uint8_t {
  window,   ///< which rectangle of an image a row shows
  decoder,  ///< how its pixels are made
  row,      ///< what a row consists of
  sizes,    ///< own sizes
  order,    ///< which samples, in which order
  batch,    ///< which of them a batch has
  queue,    ///< batches ahead, and their memory
  sample,   ///< the memory of one sample
  stream,   ///< a running stream
  fault,
  limit,
};

/// The values that a member may have.
struct Values {
  /// Of a number, of each side of a size, and of the end of a range. Of a share: 1 excludes 0.
  std::uint64_t least = 0, most = UINT64_MAX;
  bool bytes = false;                               ///< a number of bytes, as in "64MiB"
  std::string_view absent{};                        ///< the text of a value that is not there
  std::span<const std::string_view> enumerators{};  ///< all names, in their order
};

/// What is said about a member once.
struct Spec : Values {
  std::string_view name;    ///< of the member, for example "queue.max_queue_size"
  std::string_view option;  ///< of the program, for example "--max-queue-size"; empty: it has none
  Part part = Part::row;
  Affects affects = Affects::nothing;
  Need need = Need::nothing;
  std::string_view meaning;  ///< a sentence
};

/// A member of `Struct`.
template <class Struct>
struct RowOf : Spec {
  /// Whether text can give the value. If not, it is an object of C++.
  bool is_text = true;
  std::string_view form{};  ///< of the value in the program's help, if it has no enumerators
  /// The value as read() takes it. Of an object: what identifies it; empty: there is none.
  std::string (*text)(const Spec&, const Struct&) = nullptr;
  /// Sets the member. Throws std::invalid_argument that says what the value must be.
  void (*read)(const Spec&, std::string_view, Struct&) = nullptr;
  /// What the value must be, if it is not; otherwise empty.
  std::string (*bound)(const Spec&, const Struct&) = nullptr;
};
using Row = RowOf<Options>;
using PlaneRow = RowOf<PlaneOptions>;

/// All members, in the order of the headers.
std::span<const Row> rows() noexcept;
/// The row of a member; also by the last part of its name, if only one has it. Null: none.
const Row* find(std::string_view name) noexcept;
/// The members of PlaneOptions.
std::span<const PlaneRow> plane_rows() noexcept;
/// Whether the value differs from the default.
template <class Struct>
bool is_set(const RowOf<Struct>& row, const Struct& value) {
  return row.text(row, value) != row.text(row, {});
}
/// One value of a fill is meant for all channels that there are.
void trim_fills(Options& options) noexcept;
/// The value in the program's help: "N", "BYTES|measured", "center|random".
std::string help_form(const Row& row);
/// What a value of enumerators must be: "must be one of center|random".
std::string form_of(const Spec& row);

/// Why an option that needs `need` has no meaning with these options; empty: it has one. Other options are
/// named as in an Error.
std::string_view unmet(Need need, const Options& options) noexcept;
/// Checks each option by its row: its value, and whether it has a meaning with the others. Throws
/// Error{bad_options} that names option, value and bound.
void check(const Options& options);

}  // namespace weir::options
