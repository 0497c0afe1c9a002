#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace weir::test {

/// What a descriptor of a new process is: a file that is written anew, or without a name a copy of
/// `original`.
struct Redirect {
  int descriptor = -1;
  std::string file{};
  int original = -1;
};

/// Starts the program at `words[0]`, or that of this name in PATH, with the other words as arguments.
/// Returns its process; -1 if it does not start.
inline pid_t spawn(std::vector<std::string> words, const std::vector<Redirect>& redirects) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  int error = 0;
  for (const auto& [descriptor, file, original] : redirects)
    if (error == 0)
      error = file.empty() ? posix_spawn_file_actions_adddup2(&actions, original, descriptor)
                           : posix_spawn_file_actions_addopen(&actions, descriptor, file.c_str(),
                                                              flags, 0600);
  pid_t child = -1;
  if (error == 0) error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

}  // namespace weir::test
