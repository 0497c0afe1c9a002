#include "base/sanitize.hpp"

#include <string>

#include "support/catch.hpp"

using weir::sanitize;

TEST_CASE("printable text passes through unchanged") { CHECK(sanitize("chat-ñ-猫-🐈.jpg") == "chat-ñ-猫-🐈.jpg"); }
