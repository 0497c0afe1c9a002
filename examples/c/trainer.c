/* Trains a softmax of each image's mean colour, in C99. Prints the loss of the first and of the last epoch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/weir.h>

enum { classes = 10, colours = 3, epochs = 4 };

static void check(int32_t code, const weir_error* error) {
  if (code == WEIR_OK || code == WEIR_END) return;
  fprintf(stderr, "trainer: %s\n", error->text);
  exit(1);
}

/* One step of gradient descent for one image. Returns its loss. */
static double step(double weights[classes][colours + 1], const double* mean, int64_t label) {
  double score[classes], sum = 0;
  if (label < 0 || label >= classes) {
    fprintf(stderr, "trainer: label %lld is not below %d\n", (long long)label, classes);
    exit(1);
  }
  for (int k = 0; k < classes; ++k) {
    score[k] = weights[k][colours];
    for (int c = 0; c < colours; ++c) score[k] += weights[k][c] * mean[c];
    score[k] = exp(score[k]);
    sum += score[k];
  }
  for (int k = 0; k < classes; ++k) {
    const double slope = 0.5 * (score[k] / sum - (k == label ? 1 : 0));
    for (int c = 0; c < colours; ++c) weights[k][c] -= slope * mean[c];
    weights[k][colours] -= slope;
  }
  return -log(score[label] / sum);
}

int main(int argc, char** argv) {
  weir_error error = {.size = sizeof error};
  weir_loader* loader = NULL;
  check(weir_open(argc > 1 ? argv[1] : "synthetic:200,48x64",
                  "shape=32x32,batch=20,order=shuffle,seed=3", &loader, &error),
        &error);
  const weir_stream_options extent = {.size = sizeof extent, .epochs = epochs};
  check(weir_start(loader, &extent, &error), &error);
  double weights[classes][colours + 1], loss[epochs] = {0};
  unsigned long samples = 0;
  memset(weights, 0, sizeof weights);
  for (weir_batch batch;;) {
    const int32_t code = weir_next(loader, -1, &batch, &error);
    check(code, &error);
    if (code == WEIR_END) break;
    weir_batch_info info = {.size = sizeof info};
    weir_array pixels = {.size = sizeof pixels}, labels = {.size = sizeof labels};
    check(weir_describe_batch(loader, batch, &info, &error), &error);
    check(weir_column(loader, batch, NULL, "pixels", &pixels, &error), &error);
    check(weir_column(loader, batch, NULL, "labels", &labels, &error), &error);
    const uint64_t count = pixels.shape[1] * pixels.shape[2];
    for (uint64_t row = 0; row < info.rows; ++row) {
      const uint8_t* image = (const uint8_t*)pixels.data + row * (uint64_t)pixels.strides[0];
      double mean[colours] = {0};
      for (uint64_t i = 0; i < count; ++i)
        for (int c = 0; c < colours; ++c) mean[c] += image[i * colours + (uint64_t)c];
      for (int c = 0; c < colours; ++c) mean[c] = mean[c] / (255.0 * (double)count) - 0.5;
      loss[info.epoch] += step(weights, mean, ((const int64_t*)labels.data)[row]);
      ++samples;
    }
    check(weir_release(loader, batch, 1, &error), &error);
  }
  check(weir_close(&loader, &error), &error);
  const double each = (double)(samples / epochs);
  printf("%lu samples, loss %.3f, then %.3f\n", samples, loss[0] / each, loss[epochs - 1] / each);
  return loss[epochs - 1] < loss[0] ? 0 : 1;
}
