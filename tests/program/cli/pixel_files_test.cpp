#include <sstream>

#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

TEST_CASE("CIFAR and MNIST have the digest of an independent reading", "[pixels]") {
  const weir::test::TemporaryFolder folder;
  const auto made = weir::test::run_program(
      {"/usr/bin/env", "python3", WEIR_ROOT "/tests/program/cli/pixel_files.py", folder.string()});
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  std::istringstream lines(made.out);
  int checked = 0;
  for (std::string data, size, digest; lines >> data >> size >> digest; ++checked) {
    const auto run = weir::test::weir(
        {"run", data, "--size", size, "--fit", "stretch", "--digest", "--json", "-"});
    CAPTURE(data, run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.json()["digest"] == digest);
  }
  CHECK(checked == 6);
  // Another fit and conversion work as for other images.
  CHECK(weir::test::weir({"run", "mnist:" + folder.string(), "--size", "16x16", "--fit", "random",
                          "--dtype", "float32"})
            .exit_code == 0);
}

TEST_CASE("CIFAR and MNIST that are not there are named", "[pixels]") {
  const weir::test::TemporaryFolder folder;
  const auto why = [](const std::string& data) {
    const auto run = weir::test::weir({"run", data});
    CHECK(run.exit_code == 1);
    return run.err;
  };
  using weir::test::contains;
  CHECK(contains(why("cifar10:" + folder.string()), "has no data_batch_1.bin"));
  CHECK(contains(why("cifar100:" + folder.string()), "train.bin: cannot open"));
  CHECK(contains(why("mnist:" + folder.string()), "has no train-images-idx3-ubyte"));
  CHECK(contains(why("mnist:x.idx"), "the name of MNIST's images has 'images'"));
}
