#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/parse.hpp"
#include "cli/settings.hpp"
#include "report/json.hpp"
#include "report/page/page.hpp"
#include "source/name_list.hpp"
#include "targets.hpp"
#include "weir/source.hpp"

namespace weir::fuzz {
namespace {

std::string text_of(Input input) { return {input.begin(), input.end()}; }

/// A file in memory, for functions that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(Input input) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
    must(descriptor_ >= 0, "there is room for one more file");
    must(::write(descriptor_, input.data(), input.size()) == static_cast<ssize_t>(input.size()),
         "the file takes the input");
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

bool has_control_bytes(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

constexpr std::size_t most_words = 40;

auto tags(const report::Json& figures) {
  const auto html = report::page(figures);
  return std::count(html.begin(), html.end(), '<');
}

auto own_tags() {
  static const auto of_an_empty_one = tags(report::envelope("run"));
  return of_an_empty_one;
}

}  // namespace

bool manifest(Input input) {
  const MemoryFile file(input);
  try {
    const auto source = weir::manifest(file.path());
    must(source.size() <= input.size() / 3, "a line has a path, a TAB and a figure");
    must(source.index_bytes() >= input.size(), "the text is kept, and counted");
    must(source.planes().size() <= EncodedPlanes::most, "a sample has so many planes");
    for (std::uint64_t i = 0; i < source.size(); ++i)
      must(!source.name(i).empty(), "no sample without a name");
  } catch (const Error& error) {
    must(error.code() == Errc::source_failed, "a bad manifest is a source that failed");
    must(!has_control_bytes(error.what()), "messages carry no control bytes");
  }
  return true;
}

bool name_list(Input input) {
  const MemoryFile file(input);
  try {
    const auto names = source::read_name_list(file.path());
    must(names.size() <= input.size(), "a name has a line of its own");
    std::string again;
    for (const auto& name : names) {
      must(!name.empty(), "no name is empty");
      again += source::name_line(name);
    }
    const std::vector<std::uint8_t> bytes(again.begin(), again.end());
    const MemoryFile written(bytes);
    must(source::read_name_list(written.path()) == names, "what is written is read as the same");
  } catch (const Error& error) {
    must(error.code() == Errc::source_failed, "a bad list is a source that failed");
    must(!has_control_bytes(error.what()), "messages carry no control bytes");
  }
  return true;
}

bool consumer_trace(Input input) {
  const MemoryFile file(input);
  try {
    for (const double ms : cli::read_trace(file.path()))
      must(ms >= 0 && ms < 1e18, "a time is finite and not negative");
  } catch (const std::invalid_argument&) {
  } catch (const Error&) {
  }
  return true;
}

bool arguments(Input input) {
  std::vector<std::string> words(1);
  for (const char c : text_of(input)) {
    if (c != '\n')
      words.back() += c;
    else if (words.size() == most_words)
      return false;
    else
      words.emplace_back();
  }
  // A file that the arguments name is not part of the input.
  for (const auto& word : words)
    if (word.find("--consumer-t") != word.npos) return false;
  try {
    const auto settings = cli::parse(words);
    must(settings.options.batch > 0, "a batch has samples");
    must(settings.options.tuning.target_readiness >= 0 &&
             settings.options.tuning.target_readiness <= 1,
         "a share is a share");
  } catch (const cli::Refusal& refusal) {
    must(refusal.exit_code == 0 || refusal.exit_code == 2, "help, or misuse");
    // A word may have no completion.
    must(!refusal.text.empty() || words.front() == "complete", "a refusal says why");
  } catch (const std::invalid_argument&) {
  } catch (const Error&) {
  }
  return true;
}

bool json(Input input) {
  const auto half = input.size() / 2;
  const Fault fault{.name = text_of(input.first(half)),
                    .reason = text_of(input.subspan(half)),
                    .offset = input.size()};
  auto envelope = report::envelope("run");
  report::put_faults(envelope, std::span(&fault, 1), 1);
  const auto text = report::write(envelope);
  const auto read = report::Json::parse(text);
  must(report::write(read) == text, "what is written is read as the same");
  must(read["faults"].size() == 1, "a fault stays one");

  must(tags(envelope) == own_tags(), "no name opens or closes a tag of the page");
  return true;
}

bool page(Input input) {
  try {
    const auto figures = report::read_report(text_of(input));
    must(tags(figures) == own_tags(), "nothing in a report opens or closes a tag of the page");
  } catch (const std::invalid_argument& error) {
    must(error.what()[0] != '\0', "a refusal has a reason");
  }
  return true;
}

}  // namespace weir::fuzz
