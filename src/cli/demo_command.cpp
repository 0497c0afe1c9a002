#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <vector>

#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/output.hpp"
#include "report/bytes.hpp"
#include "weir/source.hpp"

namespace weir::cli {
namespace {

constexpr std::uint64_t images = 320;
constexpr ImageSize small_shape{.height = 375, .width = 500};
// One class of ten has large images, and the folder source reads one class after another. In this
// class workers decode more slowly than the trainer consumes, so the demo shows the use of a queue.
constexpr ImageSize large_shape{.height = 1500, .width = 2000};
constexpr std::int64_t large_class = 4;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto name = (std::filesystem::temp_directory_path() / "weir-demo-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;  // a destructor cannot report an error
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

/// Writes one folder for each class. Returns the number of bytes written.
std::uint64_t write_images(const std::filesystem::path& folder, const Interrupt& interrupt) {
  const auto small = synthetic(images, small_shape), large = synthetic(images, large_shape);
  VectorSink sink;
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < images && !interrupt.raised(); ++i) {
    auto sample = small.read(i, sink);
    if (sample.label == large_class) sample = large.read(i, sink);
    const auto label_folder = folder / fmt::format("class{}", sample.label);
    std::filesystem::create_directories(label_folder);
    const auto path = label_folder / fmt::format("{:04}.jpg", i);
    OutputFile file(path.string());
    file.stream().write(reinterpret_cast<const char*>(sample.bytes.data()),
                        static_cast<std::streamsize>(sample.bytes.size()));
    file.close();
    bytes += sample.bytes.size();
  }
  return bytes;
}

}  // namespace

int demo_command(const Settings& settings, const Interrupt& interrupt) {
  const TemporaryFolder folder;
  const auto tell = [&](const std::string& text) {
    if (!settings.json_on_stdout()) write_wrapped(text + '\n');
  };
  const auto bytes = write_images(folder.path(), interrupt);
  if (interrupt.raised()) {
    tell("Interrupted: not all JPEGs were made, so nothing was measured.");
    return interrupted_exit;
  }
  tell(fmt::format(
      "Made {} JPEGs ({}). One class in ten has {}x{} pixels, the others {}x{}. They are in {} and "
      "are deleted at the end.\n",
      images, report::human_bytes(bytes), large_shape.width, large_shape.height, small_shape.width,
      small_shape.height, folder.path().string()));

  std::vector<std::string> arguments{"sweep", folder.path().string()};
  for (const auto* word :
       {"--batch", "16", "--epochs", "1", "--max-queue-size", "1,2,4,8,16", "--consumer-ms", "40"})
    arguments.emplace_back(word);
  tell(fmt::format(
      "A trainer takes 40 ms for a batch of 16. The large images follow one another and take "
      "longer to decode. A queue can bridge that time. The sweep measures memory and throughput of "
      "each queue depth, in turns. Each run is a separate process:\n\n"
      "  weir {}\n",
      fmt::join(arguments, " ")));
  if (settings.quiet) arguments.emplace_back("--quiet");
  if (!settings.json.empty()) arguments.insert(arguments.end(), {"--json", settings.json});
  if (!settings.html.empty()) arguments.insert(arguments.end(), {"--html", settings.html});
  auto sweep = parse(arguments);
  sweep.predict = false;
  const auto code = sweep_command(sweep, interrupt);
  if (code == done_exit) tell("Next: weir tune FOLDER --consumer-ms 40");
  return code;
}

}  // namespace weir::cli
