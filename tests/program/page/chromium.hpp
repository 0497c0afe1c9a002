#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>

#include <string>

#include "support/temporary_folder.hpp"

namespace weir::test {

/// A running headless Chromium. It shows one page after the other, because a start takes much longer
/// than a page. The DevTools protocol controls it, over a socket in place of its pipes
/// (--remote-debugging-pipe): JSON messages that end with a zero byte. Not thread-safe.
class Chromium {
 public:
  /// What a page shows after its load event.
  struct Shown {
    std::string text;     ///< value of the expression
    std::string console;  ///< messages of its console and of the browser about it, a line each
  };

  /// Starts `program`. Throws std::runtime_error if it does not start, or does not answer within a
  /// minute.
  explicit Chromium(const std::string& program);
  ~Chromium();
  Chromium(const Chromium&) = delete;
  Chromium& operator=(const Chromium&) = delete;

  /// Opens `html` in a new tab. `expression` gives a string and is evaluated after the load event.
  /// Throws std::runtime_error if the browser ends or takes longer than a minute.
  Shown show(const std::string& html, const std::string& expression);

 private:
  /// Calls a method and waits for its result. Notes the events that come before it.
  nlohmann::json call(const char* method, nlohmann::json parameters = nlohmann::json::object());
  nlohmann::json receive();
  void note(const nlohmann::json& event);
  void end() noexcept;

  const TemporaryFolder folder_;
  pid_t pid_ = -1;
  int socket_ = -1;
  std::string received_;  ///< not yet a whole message
  std::string session_;   ///< of the page
  int calls_ = 0;
  std::string console_;
};

}  // namespace weir::test
