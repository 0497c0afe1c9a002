#include "targets.hpp"

namespace weir::fuzz {

const std::vector<Target>& targets() {
  static const std::vector<Target> all{
#define WEIR_TARGET(name) {#name, name}
      WEIR_TARGET(jpeg_header),    WEIR_TARGET(png_header),     WEIR_TARGET(webp_header),
      WEIR_TARGET(pnm_header),     WEIR_TARGET(pnm_decode),     WEIR_TARGET(exif),
      WEIR_TARGET(jpeg_decode),    WEIR_TARGET(png_decode),     WEIR_TARGET(webp_decode),
      WEIR_TARGET(manifest),       WEIR_TARGET(name_list),      WEIR_TARGET(options),
      WEIR_TARGET(arguments),      WEIR_TARGET(json),           WEIR_TARGET(page),
      WEIR_TARGET(consumer_trace), WEIR_TARGET(model),
#ifdef WEIR_HAS_OPENCV_CODEC
      WEIR_TARGET(foreign_header), WEIR_TARGET(foreign_decode),
#endif
#ifdef WEIR_HAS_SHARDS
      WEIR_TARGET(shard_index),    WEIR_TARGET(shard_tar),      WEIR_TARGET(shard_pattern),
      WEIR_TARGET(shard_keys),     WEIR_TARGET(shard_dali),
#endif
#undef WEIR_TARGET
  };
  return all;
}

}  // namespace weir::fuzz
