#include "weir/error.hpp"

#include <set>
#include <string>
#include <string_view>

#include "support/catch.hpp"

using weir::Errc;
using weir::FaultKind;
using weir::Stage;

TEST_CASE("an Error carries its code, its stage and its text") {
  const weir::Error error(Errc::too_many_leases, Stage::lease, "max_leases is 1");
  CHECK(error.code() == Errc::too_many_leases);
  CHECK(error.code().category().name() == std::string_view("weir"));
  CHECK(error.stage() == Stage::lease);
  CHECK(std::string(error.what()) == "max_leases is 1");
  const std::system_error& base = error;
  CHECK(std::string(base.what()) == "max_leases is 1");
}

TEST_CASE("every error code has a message of its own") {
  std::set<std::string> messages;
  for (int code = static_cast<int>(Errc::bad_options);
       code <= static_cast<int>(Errc::too_many_requests); ++code) {
    messages.insert(weir::error_category().message(code));
  }
  CHECK(messages.size() == 8);
  CHECK(messages.count(weir::error_category().message(99)) == 0);
}

TEST_CASE("stages and fault kinds are named by their enumerators") {
  CHECK(weir::to_string(Stage::read) == "read");
  CHECK(weir::to_string(Stage::wait) == "wait");
  CHECK(weir::to_string(Stage::decode) == "decode");
  CHECK(weir::to_string(Stage::fit) == "fit");
  CHECK(weir::to_string(Stage::handoff) == "handoff");
  CHECK(weir::to_string(Stage::lease) == "lease");
  CHECK(weir::to_string(FaultKind::truncated) == "truncated");
  CHECK(weir::to_string(FaultKind::corrupt) == "corrupt");
  CHECK(weir::to_string(FaultKind::unsupported) == "unsupported");
  CHECK(weir::to_string(FaultKind::limit) == "limit");
  CHECK(weir::to_string(FaultKind::io) == "io");
  CHECK(weir::to_string(FaultKind::timeout) == "timeout");
  CHECK(weir::to_string(FaultKind::memory) == "memory");
  CHECK(weir::SampleError(FaultKind{weir::fault_kind_count}, "x").kind() == FaultKind::io);
}
