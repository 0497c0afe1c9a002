#include <weir/interop/asio.hpp>
