// A file that another program writes for this one: stopped by SIGINT, SIGTERM or SIGHUP, or by an error, nothing is left of either.
#pragma once

#include <spawn.h>
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace billow::tool {

// One at a time. A signal that is ignored, as nohup has it, stays so.
class Unfinished {
 public:
  explicit Unfinished(std::filesystem::path file);
  ~Unfinished();  // ends the program if it runs, and removes the file if it is there
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  const std::filesystem::path& file() const { return file_; }
  // Starts the program that writes the file, looked for on the PATH. Returns 0, or the error of posix_spawnp().
  int start(const std::vector<std::string>& words, const posix_spawn_file_actions_t& actions);
  // Waits until the program ends by itself. Returns its exit code, or -1 where it has none.
  int wait();
  // Gives the file its name. Throws std::filesystem::filesystem_error.
  void finish(const std::filesystem::path& name);

 private:
  const std::filesystem::path file_;
};

}  // namespace billow::tool
