// An HTTP server for the files of a folder, reachable from this machine only. Built on cpp-httplib.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace billow::tool {

class StaticServer {
 public:
  // Listens on 127.0.0.1. `port` 0: any free port. Throws std::runtime_error if the folder has no index.html or the port
  // cannot be bound.
  StaticServer(const std::filesystem::path& folder, int port);
  ~StaticServer();
  StaticServer(const StaticServer&) = delete;
  StaticServer& operator=(const StaticServer&) = delete;

  int port() const { return port_; }
  // Serves a file from outside the folder under a URL path such as "/garments/cape.billow". Call before serve().
  void add_file(const std::string& path, const std::filesystem::path& file) { files_[path] = file; }
  // Answers requests until a signal ends the process. Throws std::runtime_error if accepting connections fails.
  [[noreturn]] void serve();

 private:
  void answer(const httplib::Request& request, httplib::Response& response) const;
  // Maps a URL path to a file. Empty if there is no such file or the path leads out of the folder.
  std::filesystem::path file_at(const std::string& path) const;

  std::filesystem::path folder_;  // canonical: symbolic links resolved
  std::map<std::string, std::filesystem::path> files_;
  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
};

}  // namespace billow::tool
