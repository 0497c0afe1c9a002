// Prints which rank a launcher made of this process, and what it delivers, as one line.
#include <cstdio>
#include <exception>
#include <string>
#include <weir/weir.hpp>

int main() {
  std::string line;
  try {
    const auto ranks = weir::Ranks::automatic();
    line = "rank " + std::to_string(ranks.rank) + " of " + std::to_string(ranks.world) + ", " +
           std::to_string(ranks.local_world) + " here, delivers";
    weir::Loader loader(weir::synthetic(11, {8, 8}),
                        {.shape = {8, 8}, .batch = 2, .workers = 1, .ranks = ranks});
    for (weir::Batch& batch : loader.stream())
      for (std::uint32_t i = 0; i < batch.size(); ++i)
        if (batch.statuses()[i] != weir::RowStatus::padding)
          line += ' ' + std::to_string(batch.indices()[i]);
  } catch (const std::exception& e) {
    line = std::string("refused: ") + e.what();
  }
  std::printf("%s\n", line.c_str());
}
