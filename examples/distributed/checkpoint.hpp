// A checkpoint of model and progress in one file, so that the two always belong together.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <weir/weir.hpp>

#include "../softmax.hpp"

/// Where training continues.
struct Checkpoint {
  std::uint64_t step = 0;
  weir::Progress progress;
};

/// The file is complete or is the one before: it gets its name at the end.
inline void save(const std::string& path, const Checkpoint& checkpoint, Softmax& model) {
  const auto temporary = path + ".part";
  {
    std::ofstream file(temporary, std::ios::binary);
    file << checkpoint.step << '\n' << checkpoint.progress.to_json();  // one line
    for (const auto values : {model.weights(), model.velocity()})
      file.write(reinterpret_cast<const char*>(values.data()),
                 static_cast<std::streamsize>(values.size_bytes()));
    if (!file.flush()) throw std::runtime_error("cannot write " + temporary);
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    throw std::runtime_error("cannot write " + path);
}

inline Checkpoint load(const std::string& path, Softmax& model) {
  std::ifstream file(path, std::ios::binary);
  std::string step, progress;
  std::getline(file, step);
  std::getline(file, progress);
  for (const auto values : {model.weights(), model.velocity()})
    file.read(reinterpret_cast<char*>(values.data()),
              static_cast<std::streamsize>(values.size_bytes()));
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::stoull(step), weir::Progress::parse(progress)};
}
