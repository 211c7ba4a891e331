// Serves the files of a folder to browsers on this machine, and to nobody else: HTTP by cpp-httplib.
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
  // Listens on 127.0.0.1. `port` 0: any that is free. Throws std::runtime_error where the folder or the port cannot be had.
  StaticServer(const std::filesystem::path& folder, int port);
  ~StaticServer();
  StaticServer(const StaticServer&) = delete;
  StaticServer& operator=(const StaticServer&) = delete;

  int port() const { return port_; }
  // More files, wherever they are, by the path under which they are asked for: "/garments/cape.billow". Before serve().
  void add_file(const std::string& path, const std::filesystem::path& file) { files_[path] = file; }
  // Answers requests until a signal ends the process. Throws std::runtime_error where no more connections can be had.
  [[noreturn]] void serve();

 private:
  void answer(const httplib::Request& request, httplib::Response& response) const;
  // The file that a request's path means; empty where there is none, or where it leads out of the folder.
  std::filesystem::path file_at(const std::string& path) const;

  std::filesystem::path folder_;  // without symbolic links
  std::map<std::string, std::filesystem::path> files_;
  std::unique_ptr<httplib::Server> server_;
  int port_ = 0;
};

}  // namespace billow::tool
