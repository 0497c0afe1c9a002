// Calls every function of the component shards.
#include <cstdio>
#include <string>

#include <weir/error.hpp>
#include <weir/shards.hpp>

int main(int, char** arguments) {
  const weir::ShardOptions options{.image = "jpg"};
  for (const std::string path : {std::string(arguments[0]), std::string("none-{0..1}.tar")}) {
    try {
      weir::tar_shards(path, options);  // a program is not a shard
      return 1;
    } catch (const weir::Error& error) {
      std::printf("%s\n", error.what());
      if (error.code() != weir::Errc::source_failed) return 1;
    }
  }
  try {
    weir::tar_shards({"a{.tar", "b.tar"}, options);
  } catch (const weir::Error& error) {
    return error.code() == weir::Errc::bad_options ? 0 : 1;
  }
  return 1;
}
