/* Takes every batch of DATA: the program of docs/guide/c-and-python.md. */
#include <stdio.h>
#include <weir/weir.h>

int main(int argc, char** argv) {
  weir_error error = {.size = sizeof error};
  weir_loader* loader = NULL;
  weir_batch batch;
  int32_t code = weir_open(argc > 1 ? argv[1] : "photos/", "batch=32,shape=224x224,fit=random",
                           &loader, &error);
  if (code == WEIR_OK) code = weir_start(loader, NULL, &error);
  while (code == WEIR_OK && (code = weir_next(loader, -1, &batch, &error)) == WEIR_OK) {
    weir_array pixels = {.size = sizeof pixels};
    code = weir_column(loader, batch, NULL, "pixels", &pixels, &error); /* N, H, W, C of uint8 */
    /* train with pixels.data, pixels.shape and pixels.strides */
    weir_release(loader, batch, code == WEIR_OK, NULL); /* 1: it is trained */
  }
  if (code != WEIR_END) fprintf(stderr, "%s\n", error.text);
  weir_close(&loader, NULL);
  return code == WEIR_END ? 0 : 1;
}
