#include "contract/shards/same_rows.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

namespace weir::test {

TEST_CASE("shards of real photographs deliver the same as their folder") {
  const auto photos = test_data("photos");
  if (!photos) return skip("WEIR_TEST_DATA is not set");
  const TemporaryFolder tars;
  const auto folder = image_folder(photos->string());
  write_shards(folder, tars, 7);
  Options options;
  options.shape = {64, 64};
  options.batch = 32;
  compare_with_folder(folder, tar_shards(tars.string()), options);
}

}  // namespace weir::test
