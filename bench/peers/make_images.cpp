// make_images FOLDER COUNT SIDE: weir's synthetic JPEGs as files, for machines without photographs.
#include <weir/weir.hpp>

#include <cstdio>
#include <string>

#include "images.hpp"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: make_images FOLDER COUNT SIDE\n");
    return 2;
  }
  const auto side = static_cast<std::uint32_t>(std::stoul(argv[3]));
  weir::bench::write_images(weir::synthetic(std::stoul(argv[2]), {side, side}), argv[1]);
}
