// Serves the files of a folder to browsers on this machine, and to nobody else.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace billow::tool {

class StaticServer {
 public:
  // Listens on 127.0.0.1. `port` 0: any that is free. Throws std::runtime_error where the folder or the port cannot be had.
  StaticServer(std::filesystem::path folder, int port);
  ~StaticServer();
  StaticServer(const StaticServer&) = delete;
  StaticServer& operator=(const StaticServer&) = delete;

  int port() const { return port_; }
  // More files, by the path under which they are asked for: "/garments/cape.billow".
  void add_file(const std::string& path, const std::filesystem::path& file) { files_[path] = file; }
  // Answers one request after the other, for ever.
  [[noreturn]] void serve();

 private:
  void answer(int client) const;
  // The file that a request's path means; empty where there is none, or where it leads out of the folder.
  std::filesystem::path file_at(const std::string& path) const;

  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::path> files_;
  int socket_ = -1, port_ = 0;
};

}  // namespace billow::tool
