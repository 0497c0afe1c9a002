// write_seeds DIR: DIR/<target>/<n> for every fuzz target; prints the targets.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "seeds.hpp"
#include "targets.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_seeds DIR\n", stderr);
    return 2;
  }
  for (const auto& target : weir::fuzz::targets()) {
    const auto folder = std::filesystem::path(argv[1]) / target.name;
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const auto& seed : weir::fuzz::seeds(target.name)) {
      std::ofstream file(folder / std::to_string(number++), std::ios::binary);
      file.write(reinterpret_cast<const char*>(seed.data()),
                 static_cast<std::streamsize>(seed.size()));
    }
    std::puts(target.name.c_str());
  }
}
