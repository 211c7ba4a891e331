// A temporary output file written by a child process. On SIGINT, SIGTERM, SIGHUP or an error, the child is killed and the
// file removed.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace billow::tool {

// At most one instance at a time. Signals that are ignored, as under nohup, stay ignored.
class Unfinished {
 public:
  explicit Unfinished(std::filesystem::path file);
  ~Unfinished();  // kills the child if it still runs, and removes the file if it exists
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  const std::filesystem::path& file() const { return file_; }
  // Starts the child process; words[0] is searched for on the PATH. Returns 0, or the error of posix_spawnp().
  int start(const std::vector<std::string>& words, const posix_spawn_file_actions_t& actions);
  // Waits for the child to exit. Returns its exit code, or -1 if a signal ended it.
  int wait();
  // Renames the file to its final name. Throws std::filesystem::filesystem_error.
  void finish(const std::filesystem::path& name);

 private:
  const std::filesystem::path file_;
};

}  // namespace billow::tool
