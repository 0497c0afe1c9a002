#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <thread>

#include "program.hpp"
#include "support/attempts.hpp"
#include "support/catch.hpp"
#include "support/exposition.hpp"
#include "support/sanitized.hpp"
#include "support/skip.hpp"
#include "support/text.hpp"

using weir::test::contains;
using weir::test::Exposition;
using weir::test::get;
using weir::test::Running;

namespace {

/// A connection to 127.0.0.1 over which `text` was sent.
int connected(std::uint16_t port, std::string_view text) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(send(socket, text.data(), text.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(text.size()));
  return socket;
}

/// Sends requests and resets the connection before the answer. The server's next write fails with EPIPE.
void ask_and_reset(std::uint16_t port, bool asks) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  REQUIRE(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  constexpr std::string_view request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
  // Several at once: the first answers meet the reset while others are not written yet.
  for (int i = 0; asks && i < 8; ++i)
    if (send(socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) break;
  const linger at_once{1, 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(socket);
}

/// The port of a program's metrics server. Waits until the program prints it.
std::uint16_t port_of(const Running& program) {
  constexpr std::string_view before = "metrics: http://127.0.0.1:";
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    const auto said = program.err();
    const auto at = said.find(before);
    if (at == said.npos || said.find('\n', at) == said.npos) continue;
    return static_cast<std::uint16_t>(std::stoi(said.substr(at + before.size())));
  }
}

Exposition scrape(std::uint16_t port) {
  const auto answer = get(port, "/metrics");
  REQUIRE(contains(answer, "200 OK"));
  REQUIRE(contains(answer, "Content-Type: text/plain"));
  auto body = answer.substr(answer.find("\r\n\r\n") + 4);
  // The server's own latencies are "Nan" until the first scrape has ended.
  return Exposition(body.substr(body.find("# HELP weir_")));
}

/// Scrapes until `count` samples are drawn and none is in flight.
Exposition at_rest(std::uint16_t port, double count) {
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    auto metrics = scrape(port);
    if (metrics.has("weir_samples_total{state=\"drawn\"}") &&
        metrics["weir_samples_total{state=\"drawn\"}"] == count &&
        metrics["weir_samples_held{state=\"in_flight\"}"] == 0 &&
        metrics["weir_queue_batches{state=\"leased\"}"] == 1)
      return metrics;
  }
}

}  // namespace

TEST_CASE("a run can be scraped and says what its report says", "[metrics]") {
  // The consumer keeps the first batch for an hour, so the loader settles: 1 leased, 2 ready.
  Running program({"run", "synthetic:1000,16x16", "--size", "16x16", "--batch", "8",
                   "--max-queue-size", "2", "--consumer-ms", "3600000", "--memory-budget", "64MiB",
                   "--metrics-port", "0", "--quiet", "--json", "-"});
  const auto port = port_of(program);
  const auto metrics = at_rest(port, 24);
  CHECK(metrics["weir_queue_batches{state=\"filling\"}"] == 0);
  CHECK(metrics["weir_queue_batches{state=\"ready\"}"] == 2);
  CHECK(metrics["weir_samples_held{state=\"ready\"}"] == 16);
  CHECK(metrics["weir_samples_held{state=\"leased\"}"] == 8);
  double live = 0;
  for (const auto& [series, value] : metrics.values())
    if (series.starts_with("weir_memory_bytes{")) live += value;
  CHECK(metrics["weir_memory_live_bytes"] == live);
  CHECK(contains(get(port, "/elsewhere"), "404"));

  const auto outcome = program.interrupt();
  CHECK(outcome.exit_code == 130);
  const auto json = outcome.json();
  REQUIRE_FALSE(json.is_discarded());
  CHECK(metrics["weir_samples_total{state=\"drawn\"}"] == json["samples"]["drawn"].get<double>());
  CHECK(metrics["weir_memory_budget_bytes"] == json["plan"]["budget_bytes"].get<double>());
  CHECK(metrics["weir_memory_peak_bytes"] == json["memory"]["peak"].get<double>());
  CHECK(metrics["weir_queue_batches_max"] == json["plan"]["max_queue_size"].get<double>());
  CHECK(metrics["weir_build_info{version=\"" + json["version"].get<std::string>() + "\"}"] == 1);
  for (const auto& stage : json["stages"]) {
    const auto name = stage["name"].get<std::string>();
    if (name != "read" && name != "decode" && name != "fit") continue;  // the others continue
    CHECK(metrics["weir_stage_seconds_count{stage=\"" + name + "\"}"] ==
          stage["count"].get<double>());
    CHECK(std::abs(metrics["weir_stage_seconds_sum{stage=\"" + name + "\"}"] -
                   stage["busy_s"].get<double>()) < 1e-9);
  }
  CHECK(get(port, "/metrics").empty());
}

TEST_CASE("counters only grow from one scrape to the next", "[metrics]") {
  Running program({"verify", "synthetic:64,16x16", "--size", "16x16", "--batch", "4", "--epochs",
                   "1000000", "--metrics-port", "0", "--quiet"});
  const auto port = port_of(program);
  std::optional<Exposition> before;
  for (int compared = 0; compared < 5;) {
    auto now = scrape(port);
    if (before && before->has("weir_samples_total{state=\"drawn\"}")) {
      ++compared;
      for (const auto& [series, value] : before->values()) {
        const auto family = series.substr(0, series.find('{'));
        const auto type = before->types().find(family);
        CAPTURE(series);
        if (type != before->types().end() && type->second == "counter") CHECK(now[series] >= value);
      }
    }
    before = std::move(now);
  }
  CHECK(program.interrupt().exit_code == 130);
}

TEST_CASE("a run continues when clients reset the connection early", "[metrics][R11]") {
  Running program({"run", "synthetic:64,16x16", "--size", "16x16", "--batch", "4", "--epochs",
                   "1000000", "--metrics-port", "0", "--quiet", "--json", "-"});
  const auto port = port_of(program);
  for (int i = 0; i < 60; ++i) ask_and_reset(port, i % 4 != 0);
  // The server still answers, and the run continues.
  const auto drawn = [port] {
    const std::string series = "weir_samples_total{state=\"drawn\"}";
    const auto metrics = scrape(port);
    return metrics.has(series) ? metrics[series] : 0;
  };
  const auto after = drawn();
  while (drawn() <= after) {
  }
  const auto outcome = program.interrupt();
  CHECK(outcome.exit_code == 130);
  CHECK(outcome.json()["samples"]["conserved"] == true);
  CHECK(outcome.json()["samples"]["failed"] == 0);
}

TEST_CASE("silent clients delay neither a scrape nor the end", "[metrics]") {
  Running program({"run", "synthetic:64,16x16", "--size", "16x16", "--consumer-ms", "3600000",
                   "--metrics-port", "0", "--quiet"});
  const auto port = port_of(program);
  const auto is_connected = [](int socket) {
    char end = 0;
    return recv(socket, &end, 1, MSG_DONTWAIT) < 0;
  };
  // The server gives up on a client after two seconds. A busy machine may need so long for a scrape.
  const bool answers_first = weir::test::in_one_of(10, [&] {
    std::vector<int> silent;
    for (int i = 0; i < 50; ++i) silent.push_back(connected(port, "GET /metrics HTTP/1.1\r\n"));
    CHECK(contains(get(port, "/metrics"), "200 OK"));
    const bool answered = std::ranges::all_of(silent, is_connected);
    for (const int socket : silent) close(socket);
    return answered;
  });
  CHECK(answers_first);
}

TEST_CASE("silent clients do not delay the end", "[metrics]") {
  const bool ends_first = weir::test::in_one_of(10, [] {
    Running program({"run", "synthetic:64,16x16", "--size", "16x16", "--consumer-ms", "3600000",
                     "--metrics-port", "0", "--quiet"});
    const auto port = port_of(program);
    const int silent = connected(port, "GET /metrics HTTP/1.1\r\n");
    const auto begun = std::chrono::steady_clock::now();
    CHECK(program.interrupt().exit_code == 130);
    close(silent);
    // The server gives up on a client after two seconds.
    return std::chrono::steady_clock::now() - begun < std::chrono::milliseconds(1500);
  });
  CHECK(ends_first);
}

TEST_CASE("a server answers again when descriptors are free again", "[metrics]") {
  if (weir::test::sanitized) return weir::test::skip("UBSan needs descriptors to look at objects");
  Running program({"run", "synthetic:64,16x16", "--size", "16x16", "--consumer-ms", "3600000",
                   "--metrics-port", "0", "--quiet"});
  const auto port = port_of(program);
  const rlimit few{24, 24};
  REQUIRE(prlimit(program.pid(), RLIMIT_NOFILE, &few, nullptr) == 0);
  std::vector<int> silent;
  for (int i = 0; i < 30; ++i) silent.push_back(connected(port, "GET /metrics HTTP/1.1\r\n"));
  char end = 0;
  CHECK(recv(silent.front(), &end, 1, 0) == 0);  // the server has given up on it
  for (const int socket : silent) close(socket);
  CHECK(contains(get(port, "/metrics"), "200 OK"));
}

TEST_CASE("what is no request for the metrics is refused in HTTP", "[metrics]") {
  Running program({"run", "synthetic:64,16x16", "--size", "16x16", "--consumer-ms", "3600000",
                   "--metrics-port", "0", "--quiet"});
  const auto port = port_of(program);
  const auto answer_to = [port](const std::string& request) {
    const int socket = connected(port, request);
    std::string answer;
    std::array<char, 4096> buffer{};
    for (ssize_t got = 0; (got = recv(socket, buffer.data(), buffer.size(), 0)) > 0;)
      answer.append(buffer.data(), static_cast<std::size_t>(got));
    close(socket);
    return answer;
  };
  CHECK(answer_to("POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
  CHECK(answer_to("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
  CHECK(answer_to("nonsense\r\n\r\n").starts_with("HTTP/1.1 400 "));
  CHECK(answer_to("GET /" + std::string(10000, 'a')).starts_with("HTTP/1.1 431 "));
  CHECK(answer_to("GET /metrics?x=1 HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 200 "));
  const auto head = answer_to("HEAD /metrics HTTP/1.1\r\n\r\n");
  CHECK(head.starts_with("HTTP/1.1 200 "));
  CHECK(head.ends_with("\r\n\r\n"));
  CHECK(answer_to("GET /metrics HT").empty());  // the server gives up after two seconds
}

TEST_CASE("the system parses an address and a wrong one is refused", "[metrics]") {
  const auto with_address = [](const std::string& address) {
    return weir::test::weir({"run", "synthetic:8,16x16", "--size", "16x16", "--metrics-port", "0",
                             "--quiet", "--metrics-address", address});
  };
  for (const auto* wrong : {"256.0.0.0", "1.2.3.4.5", "999", "::g", ""}) {
    const auto outcome = with_address(wrong);
    CAPTURE(wrong, outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK(contains(outcome.err, std::string("weir: --metrics-address ") + wrong));
    CHECK_FALSE(contains(outcome.err, "taken"));
  }
  CHECK(contains(with_address("192.0.2.1").err,
                 "--metrics-port 0: cannot listen: Cannot assign requested address; "));
  CHECK(contains(with_address("127.0.0.2").err, "metrics: http://127.0.0.2:"));
  CHECK(contains(with_address("localhost").err, "metrics: http://"));
  const auto interfaces = weir::test::read_file("/proc/net/if_inet6");
  if (!contains(interfaces, "00000000000000000000000000000001")) return;  // no IPv6 here
  for (const auto* six : {"::1", "[::1]"})
    CHECK(contains(with_address(six).err, "metrics: http://[::1]:"));
}

TEST_CASE("a port that is taken is a usage error that names it", "[metrics]") {
  Running program({"run", "synthetic:8,16x16", "--size", "16x16", "--consumer-ms", "3600000",
                   "--metrics-port", "0", "--quiet"});
  const auto port = std::to_string(port_of(program));
  const auto second = weir::test::weir({"run", "/no/such/folder", "--metrics-port", port});
  CHECK(second.exit_code == 2);
  CHECK(second.out.empty());
  CHECK(
      contains(second.err, "--metrics-port " + port + ": cannot listen: Address already in use; "));
  const auto elsewhere = weir::test::weir(
      {"run", "synthetic:8,16x16", "--metrics-port", "0", "--metrics-address", "no.such.address"});
  CHECK(elsewhere.exit_code == 2);
  CHECK(contains(elsewhere.err, "no.such.address"));
}

TEST_CASE("each depth of a sweep serves in turn", "[metrics]") {
  const auto outcome =
      weir::test::weir({"sweep", "synthetic:8,16x16", "--size", "16x16", "--max-queue-size", "1,2",
                        "--epochs", "1", "--rounds", "1", "--metrics-port", "0", "--quiet"});
  CHECK(outcome.exit_code == 0);
  const auto first = outcome.err.find("metrics: http://");
  REQUIRE(first != outcome.err.npos);
  CHECK(outcome.err.find("metrics: http://", first + 1) != outcome.err.npos);
}
