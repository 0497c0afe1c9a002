#include <weir/c.hpp>

int main() {
  weir_c::Loader loader("synthetic:6,16x16", "batch=3,shape=8x8");
  loader.start();
  int batches = 0;
  for (weir_c::Batch batch; loader.next(batch);) ++batches;
  return batches == 2 ? 0 : 1;
}
