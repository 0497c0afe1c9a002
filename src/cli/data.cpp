#include "cli/data.hpp"

#include <charconv>
#include <filesystem>
#include <stdexcept>

#include "source/delayed.hpp"

namespace weir::cli {
namespace {

constexpr std::string_view synthetic_prefix = "synthetic:";

AnySource open_synthetic(const std::string& data) {
  const auto text = std::string_view(data).substr(synthetic_prefix.size());
  const auto comma = text.find(',');
  std::uint64_t count = 0;
  const auto* end = text.data() + std::min(comma, text.size());
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (comma == std::string_view::npos || stop != end || error != std::errc{})
    throw std::invalid_argument("'" + data + "' is not synthetic:COUNT,HxW");
  return synthetic(count, parse_size(std::string(text.substr(comma + 1))));
}

void refuse_unbuilt(std::string_view data) {
  for (const std::string_view scheme : {"http://", "https://", "s3://"})
    if (data.starts_with(scheme))
      throw Refusal{2, "weir: DATA over " + std::string(scheme) + " is not built yet\n"};
  if (data.ends_with(".tar") || data.ends_with(".tar.gz") || data.ends_with(".tgz"))
    throw Refusal{2, "weir: .tar shards as DATA are not built yet\n"};
}

AnySource open_undelayed(const Settings& settings) {
  const auto& data = settings.data;
  if (data.starts_with(synthetic_prefix)) return open_synthetic(data);
  refuse_unbuilt(data);
  const FolderOptions options{.extensions = settings.extensions,
                              .max_encoded_bytes = settings.options.limits.max_encoded_bytes};
  return std::filesystem::is_directory(data) ? image_folder(data, options)
                                             : manifest(data, options);
}

}  // namespace

AnySource open_data(const Settings& settings) {
  auto source = open_undelayed(settings);
  if (settings.read_delay_ms == 0) return source;
  return source::delayed(std::move(source), settings.read_delay_ms);
}

}  // namespace weir::cli
