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

// In a folder, the current one if none is given; `environment` as in a shell: "NAME=value". Arguments may end with a
// redirection: it comes after that of the errors, and wins. Leaks are looked for in the tests themselves only: it takes seconds
// a program.
inline Outcome run_program(const std::string& arguments, const std::filesystem::path& folder = ".",
                           const std::string& environment = "") {
  const std::string command = "cd '" + folder.string() + "' && ASAN_OPTIONS=detect_leaks=0 " + environment +
                              " '" BILLOW_PROGRAM "' 2>&1 " + arguments;
  Outcome outcome{-1, ""};
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, n);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  return outcome;
}

}  // namespace billow::testing
