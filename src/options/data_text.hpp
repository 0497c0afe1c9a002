#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "weir/image.hpp"
#include "weir/source.hpp"

namespace weir::options {

/// The index of tar shards in their folder.
inline constexpr std::string_view shards_index = "index.weir";

/// "224x320": height, then width. Throws std::invalid_argument.
ImageSize read_size(std::string_view text);

/// The source for cifar10:PATH, cifar100:PATH, cifar100-coarse:PATH, mnist:PATH and synthetic:COUNT,HxW.
/// PATH is one file, or a folder, of which the training files are taken. Empty for other data. A stop
/// request ends the painting of synthetic images. Throws Error{source_failed}, and
/// std::invalid_argument for a malformed synthetic:.
std::optional<AnySource> open_named(const std::string& data, const std::stop_token& stop = {});

/// Whether data are tar shards: by their name, or because a folder has an index of them.
bool names_shards(const std::string& data);

}  // namespace weir::options
