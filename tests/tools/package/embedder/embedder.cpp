// Fails to compile under -Wconversion, -Wsign-conversion, -Wshadow or -Wunused with -Werror.
#include <weir/weir.hpp>

unsigned narrowed(double value) {
  int whole = value;
  {
    unsigned whole = -1;
    value += whole;
  }
  return whole;
}
