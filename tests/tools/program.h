// Runs the command line program as a user does.
#pragma once

#include <sys/wait.h>

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

}  // namespace billow::testing
