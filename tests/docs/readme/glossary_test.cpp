#include <filesystem>
#include <string>
#include <string_view>

#include "base/terms.hpp"
#include "books/accounts.hpp"
#include "plan/regimes.hpp"
#include "program.hpp"
#include "report/fields.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("the glossary has every account, state, stage, cause and status that a report shows",
          "[readme]") {
  const auto page = read_file(std::filesystem::path(WEIR_ROOT) / "docs/guide/concepts.md");
  const auto check = [&](std::string_view term) {
    CAPTURE(term);
    CHECK(page.find("\n| `" + std::string(term) + "` |") != std::string::npos);
  };
  for (const auto& row : books::accounts) check(row.name);
  for (const auto& row : stages) check(row.name);
  for (const auto& row : regimes) check(row.name);
  for (const auto& field : report::sample_fields) check(field.name);
  for (const auto& field : report::worker_fields) check(field.name);
  for (std::size_t kind = 0; kind < fault_kind_count; ++kind)
    check(to_string(static_cast<FaultKind>(kind)));
  for (const auto* option : {"max_queue_size", "max_leases", "read_ahead", "max_sample_bytes"})
    check(option);
}
