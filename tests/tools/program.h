// Runs the command line program as a user does.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace billow::testing {

struct Outcome {
  int code;            // -1: it did not end by itself
  std::string output;  // standard output and errors together
};

// Any command of a shell, whose errors come with the output. Leaks are looked for in the tests themselves only: it takes
// seconds a program.
inline Outcome run_command(const std::string& command) {
  Outcome outcome{-1, ""};
  std::FILE* pipe = popen(("export ASAN_OPTIONS=detect_leaks=0; exec 2>&1; " + command).c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
}

// The program, in a folder, the current one if none is given; `environment` as in a shell: "NAME=value". Arguments may
// end with a redirection.
inline Outcome run_program(const std::string& arguments, const std::filesystem::path& folder = ".",
                           const std::string& environment = "") {
  return run_command("cd '" + folder.string() + "' && " + environment + " '" BILLOW_PROGRAM "' " + arguments);
}

// The program while it runs, to be sent signals. `environment`: as above, and nothing that a shell would have ignored is ignored.
class StartedProgram {
 public:
  StartedProgram(const std::string& arguments, const std::filesystem::path& folder,
                 const std::string& environment = "") {
    const std::string command = "cd '" + folder.string() + "' && exec env " + environment +
                                " '" BILLOW_PROGRAM "' " + arguments + " >/dev/null 2>&1";
    pid_ = fork();
    if (pid_ != 0) return;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  ~StartedProgram() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  StartedProgram(const StartedProgram&) = delete;
  StartedProgram& operator=(const StartedProgram&) = delete;

  bool runs() {
    int status = 0;
    return pid_ > 0 && waitpid(pid_, &status, WNOHANG) == 0;
  }
  // Sends a signal and waits for the end. Returns the signal that ended it, 0 for none.
  int stop(int signal) {
    int status = 0;
    kill(pid_, signal);
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace billow::testing
