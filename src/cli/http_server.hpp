#pragma once

#include <functional>
#include <string>
#include <thread>

#include "source/file_descriptor.hpp"

namespace weir::cli {

/// Answers `GET PATH` in one thread. No client delays another: the server never waits for one, and
/// closes a connection that has not sent its request, or not read its answer, within two seconds. It
/// holds 64 connections at most. A further one ends the oldest.
class HttpServer {
 public:
  /// Called in the server's thread for each request. Returns the body, of type `type`.
  using Page = std::function<std::string()>;

  /// `listener` is a listening socket that does not block. Throws std::system_error.
  HttpServer(source::FileDescriptor listener, std::string path, std::string type, Page page);
  /// Ends all connections at once. Waits only for a running call of the page.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

 private:
  class Client;

  void serve();
  std::string answer(const std::string& request) const;

  const source::FileDescriptor listener_, wake_;
  const std::string path_, type_;
  const Page page_;
  std::thread thread_;
};

}  // namespace weir::cli
