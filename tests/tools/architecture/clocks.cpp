#include <algorithm>
#include <fstream>
#include <regex>

#include "tools/architecture/rules.hpp"

namespace weir::architecture {

std::vector<Breach> check_clocks(const std::filesystem::path& root) {
  // What an operator or NTP can set, and what libstdc++ makes of it.
  static const std::regex settable(
      R"(\b(system_clock|high_resolution_clock|utc_clock|CLOCK_REALTIME\w*|CLOCK_TAI)\b)"
      R"(|\b(gettimeofday|localtime|gmtime|mktime|timespec_get|pthread_cond_timedwait)(_r)?\s*\()"
      R"(|(^|[^\w.>])(std::)?time\s*\(\s*(nullptr|NULL|0|&))");
  std::vector<Breach> breaches;
  for (const auto* folder : {"include", "src"}) {
    for (const auto& file : source_files(root / folder)) {
      std::ifstream in(file);
      int number = 0;
      for (std::string line; std::getline(in, line);) {
        ++number;
        const auto code = line.substr(0, line.find("//"));
        std::smatch found;
        if (std::regex_search(code, found, settable))
          breaches.push_back({file.lexically_relative(root).generic_string(), number,
                              found.str() +
                                  ": a clock that can be set; base/clock.hpp has one that "
                                  "cannot"});
      }
    }
  }
  return breaches;
}

}  // namespace weir::architecture
