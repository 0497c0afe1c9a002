#include "data/open_data.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>

#include "base/directory.hpp"
#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "options/values.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "source/extension.hpp"
#include "source/image_folder.hpp"
#include "source/synthetic.hpp"
#include "weir/source.hpp"
#ifdef WEIR_SHARDS
#include "shards/shard_file.hpp"
#endif

namespace weir::data {
namespace {

namespace fs = std::filesystem;
using options::refuse_text;

constexpr struct {
  std::string_view prefix;
  Cifar kind;
} cifar_forms[] = {{"cifar10:", Cifar::ten},
                   {"cifar100:", Cifar::hundred_fine},
                   {"cifar100-coarse:", Cifar::hundred_coarse}};
constexpr std::string_view mnist_form = "mnist:", synthetic_form = "synthetic:";

[[noreturn]] void refuse_folder(const std::string& folder, std::string_view files) {
  throw_error(Errc::source_failed, Stage::read, sanitize(folder), " has no ", files,
              "; name a file, or their folder");
}

std::vector<std::string> cifar_files(const std::string& path, Cifar kind) {
  if (!fs::is_directory(path)) return {path};
  if (kind != Cifar::ten) return {path + "/train.bin"};
  std::vector<std::string> files;
  for (const auto& name : names_in(path))
    if (name.starts_with("data_batch_") && name.ends_with(".bin"))
      files.push_back(path + '/' + name);
  if (files.empty()) refuse_folder(path, "data_batch_1.bin");
  std::ranges::sort(files);
  return files;
}

/// The labels lie beside the images: t10k-labels-idx1-ubyte for t10k-images-idx3-ubyte.
std::string labels_of(const std::string& path) {
  auto name = fs::path(path).filename().string();
  const auto replace = [&](std::string_view from, std::string_view to) {
    const auto at = name.find(from);
    if (at == name.npos)
      throw_error(Errc::source_failed, Stage::read, sanitize(path),
                  ": the name of MNIST's images has '", from, "', as in train-images-idx3-ubyte");
    name.replace(at, from.size(), to);
  };
  replace("images", "labels");
  replace("idx3", "idx1");
  return (fs::path(path).parent_path() / name).string();
}

AnySource open_mnist(std::string path) {
  if (fs::is_directory(path)) {
    const auto folder = path;
    path += "/train-images-idx3-ubyte";
    if (!fs::exists(path)) path = folder + "/train-images.idx3-ubyte";
    if (!fs::exists(path)) refuse_folder(folder, "train-images-idx3-ubyte");
  }
  return mnist_idx(path, labels_of(path));
}

AnySource open_synthetic(const std::string& data, const std::stop_token& stop) {
  const auto text = std::string_view(data).substr(synthetic_form.size());
  const auto comma = std::min(text.find(','), text.size());
  const auto part = [&](const char* name, std::string_view value, const auto& read) {
    try {
      return read(value);
    } catch (const std::invalid_argument& e) {
      refuse_text(concat(sanitize(data), ": ", name, "'", sanitize(value), "' ", e.what(),
                         "; write synthetic:COUNT,HxW, as in synthetic:100,375x500"));
    }
  };
  const auto count = part("COUNT ", text.substr(0, comma), [](std::string_view value) {
    return options::read_whole(value, 1, UINT64_MAX);
  });
  const auto shape = part("", text.substr(std::min(comma + 1, text.size())), options::read_size);
  return source::synthetic(count, shape, 0, stop);
}

bool names_tar(const std::string& path) {
  constexpr std::string_view ends[] = {".tar",     ".tar.gz", ".tgz",
                                       ".tar.bz2", ".tar.xz", ".tar.zst"};
  return std::ranges::any_of(ends, [&](auto end) { return source::ends_in_any_case(path, end); });
}

/// The source of a form with a colon. Empty for other data.
std::optional<AnySource> open_named(const std::string& data, const std::stop_token& stop) {
  for (const auto& [prefix, kind] : cifar_forms)
    if (data.starts_with(prefix))
      return cifar_binary(cifar_files(data.substr(prefix.size()), kind), kind);
  if (data.starts_with(mnist_form)) return open_mnist(data.substr(mnist_form.size()));
  if (data.starts_with(synthetic_form)) return open_synthetic(data, stop);
  return std::nullopt;
}

/// Throws for SCHEME://PATH. cifar10: and the like may stand before a path that begins so.
void refuse_address(const std::string& data) {
  const auto end = data.find("://");
  const auto scheme = std::string_view(data).substr(0, end);
  const auto is_form = [&](std::string_view form) {
    return form.substr(0, form.size() - 1) == scheme;
  };
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
  };
  if (end == data.npos || scheme.empty() || !std::ranges::all_of(scheme, is_part) ||
      is_form(mnist_form) ||
      std::ranges::any_of(cifar_forms, is_form, [](const auto& form) { return form.prefix; }))
    return;
  refuse_text(concat(as_typed(data), ": DATA over ", scheme,
                     ":// is not built yet; copy it into a folder"));
}

/// What is no folder and has no form of its own is a manifest. Throws if it cannot be one.
void check_manifest(const std::string& data) {
  const fs::path path(data);
  std::error_code failed;
  if (fs::status(path, failed).type() == fs::file_type::not_found)
    throw_error(Errc::source_failed, Stage::read,
                data.empty() ? "DATA is empty" : as_typed(data) + ": no such folder or manifest",
                "; DATA is a folder, tar shards, a manifest with lines of path<TAB>label, "
                "cifar10:PATH, cifar100:PATH, mnist:PATH or synthetic:COUNT,HxW",
                data.starts_with("synthetic") ? ", as in synthetic:100,375x500" : "");
  if (source::may_be_image(source::lower_case(path.extension().string())))
    refuse_text(data + " is an image; give its folder, or a manifest");
}

/// Throws if an option is for tar shards, which `data` are not.
void refuse_shard_options(const std::string& data, const ShardOptions& shards) {
  const ShardOptions usual;
  const std::pair<bool, std::string_view> given[] = {
      {shards.image != usual.image, "`ShardOptions::image`"},
      {shards.label != usual.label, "`ShardOptions::label`"},
      {shards.label_file != usual.label_file, "`ShardOptions::label_file`"},
      {shards.dali_index != usual.dali_index, "`ShardOptions::dali_index`"},
      {shards.verify, "`ShardOptions::verify`"},
      {!shards.planes.empty(), "`ShardOptions::planes`"}};
  for (const auto& [is_given, name] : given)
    if (is_given) refuse_text(concat(as_typed(data), " is no tar shards, which ", name, " is for"));
}

std::string typed_list(const std::vector<std::string>& names) {
  return as_typed(joined(names, ","));
}

/// Throws if an option is for folders, or for folders and manifests, which the data are not.
void refuse_folder_options(const FolderOptions& files, bool is_manifest) {
  if (!files.extensions.empty())
    refuse_text(concat("`extensions` = ", typed_list(files.extensions),
                       " is for folders; with tar shards, `ShardOptions::image` names the "
                       "extension of the image"));
  // Only the program gives classes. Others call the sources themselves.
  if (!files.classes.empty() && !is_manifest)
    refuse_text(
        concat("--classes ", typed_list(files.classes), " is for folders and for manifests"));
}

#ifdef WEIR_SHARDS
/// Shards beside an index that does not list them. An index that `data` names is what the user wants.
void hint_unlisted(const std::vector<std::string>& data, const shards::TarShards& opened,
                   const How& how) {
  const fs::path folder(data.front());
  std::error_code failed;
  if (data.size() > 1 || !fs::exists(folder / shards::index_name, failed)) return;
  std::vector<std::string> names;
  try {
    names = shards::tar_names_in(folder.string());
  } catch (const Error&) {
    return;  // an index also serves where the folder cannot be listed
  }
  std::set<std::string_view> listed;
  for (const auto& file : opened.files()) listed.insert(file.name);
  std::erase_if(names, [&](const std::string& name) { return listed.contains(name); });
  if (!names.empty())
    how.hint(concat(as_typed((folder / shards::index_name).string()), " does not list ",
                    report::plural(names.size(), "shard"), " beside it, as ",
                    sanitize(names.front()), "; run `weir index ", as_typed(data.front()),
                    "` again"));
}

AnySource open_shards(const std::vector<std::string>& data, const How& how, Notes* notes) {
  auto opened = open_tars(data, how);
  hint_left_out(opened.scan(), how);
  hint_unlisted(data, opened, how);
  if (notes) notes->open_files = opened.files().size();
  if (notes && how.wants_names) {
    // An index only counts them, and only those of all its shards.
    notes->without_image = opened.scan().left_out;
    if (notes->without_image.empty() && (opened.skipped() > 0 || opened.scan().is_part))
      notes->without_image =
          shards::scan_shards(opened.files(), how.shards, how.stop, &opened.index()).left_out;
  }
  return opened;
}

/// Also if a pack of them has only begun.
bool has_shards(const std::string& folder, const How& how) {
  return !shards::tar_names_in(folder).empty() ||
         (how.files.extensions.empty() && fs::exists(fs::path(folder) / shards::pack_note));
}
#else
AnySource open_shards(const std::vector<std::string>& data, const How&, Notes*) {
  throw_error(Errc::source_failed, Stage::read, as_typed(data.front()),
              ": weir was built without libarchive, which tar shards need");
}

bool has_shards(const std::string&, const How&) { return false; }
#endif

AnySource open_folder(const std::string& data, const How& how, Notes* notes) {
  source::FolderNotes found;
  try {
    source::ImageFolder folder(data, how.files, &found, how.stop);
    // Only the list of a folder shows whether it has shards.
    refuse_shard_options(data, how.shards);
    if (folder.skipped() > 0)
      how.hint(concat("skipped under ", as_typed(data), ": ", found.skipped));
    if (notes) notes->unreached = std::move(found.unreached);
    return folder;
  } catch (const Error&) {
    if (how.stop.stop_requested() || !found.no_samples || !has_shards(data, how)) throw;
    auto opened = open_shards({data}, how, notes);
    const auto typed = as_typed(data);
    how.hint(concat(typed,
                    " has no images, so its tar shards are read; with the index of `weir index ",
                    typed, "` they open at once and have checksums"));
    return opened;
  }
}

}  // namespace

bool are_shards(const std::vector<std::string>& data) {
  if (data.size() != 1) return data.size() > 1;
  const fs::path path(data.front());
  std::error_code failed;
  return names_tar(data.front()) || path.filename() == shards::index_name ||
         fs::exists(path / shards::index_name, failed);
}

AnySource open(const std::vector<std::string>& data, const How& how, Notes* notes) {
  const auto one = data.empty() ? std::string() : data.front();
  for (const auto& path : data) refuse_address(path);
  if (are_shards(data)) return open_shards(data, how, notes);
  if (fs::is_directory(one)) return open_folder(one, how, notes);
  refuse_shard_options(one, how.shards);
  if (auto named = open_named(one, how.stop)) {
    refuse_folder_options(how.files, false);
    return *std::move(named);
  }
  check_manifest(one);
  refuse_folder_options(how.files, true);
  return manifest(one, how.files);
}

#ifdef WEIR_SHARDS
shards::TarShards open_tars(const std::vector<std::string>& data, const How& how,
                            shards::OldIndex old_index) {
  refuse_folder_options(how.files, false);
  auto options = how.shards;
  options.max_encoded_bytes = how.files.max_encoded_bytes;
  return shards::open_shards(data, options, how.stop, old_index);
}

void hint_left_out(const shards::Scan& scan, const How& how) {
  using report::plural;
  if (scan.index.skipped > 0)
    how.hint(concat("skipped ", plural(scan.index.skipped, "sample"), " without an image",
                    scan.left_out.empty() ? std::string("; `weir probe` names them")
                                          : ", as " + sanitize(scan.left_out[0].name)));
  if (scan.more_images > 0)
    how.hint(concat(plural(scan.more_images, "more member"), " may be images and are not used, as ",
                    sanitize(scan.another_image),
                    "; a sample has one image, and `ShardOptions::image` names its extension"));
  if (scan.unlabelled > 0)
    how.hint(concat(
        plural(scan.unlabelled, "sample"), scan.unlabelled == 1 ? " has" : " have",
        " no label, so it is -1, as ", sanitize(scan.unlabelled_key), "; ",
        how.shards.label_file.empty()
            ? std::string("`ShardOptions::label` or `ShardOptions::label_file` says where it is")
            : concat("`label_file` = ", as_typed(how.shards.label_file), " lacks its key")));
}
#endif

}  // namespace weir::data
