#include "stranger.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

extern char** environ;

namespace billow::tool {
namespace {

std::string stranger_program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "billow-stranger").string();
}

// Standard output of a program that has to end with 0.
std::string output_of(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe to " + words[0]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t n = 0;
       !failed && ((n = ::read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR));)
    if (n > 0) output.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  if (failed) throw std::runtime_error(words[0] + ": could not be run: " + std::strerror(failed));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("--stranger: billow-stranger failed, as said above");
  return output;
}

}  // namespace

void check_stranger() {
  const std::string program = stranger_program();
  if (!std::filesystem::exists(program))
    throw std::runtime_error("--stranger: expected " + program +
                             ", found none. It needs libtorch: install libtorch-dev and run `./run build`,\n"
                             "  or configure with -DBILLOW_BUILD_TRAIN=ON and build billow_stranger_cli");
}

void add_stranger_figures(const StrangerTest& test, evaluate::Judgement& to) {
  const nlohmann::json found = nlohmann::json::parse(output_of(
      {stranger_program(), test.file, test.data, "--learn", test.learn.empty() ? test.data : test.learn,
       "--device", test.device, "--rate", std::to_string(test.rate), "--threads",
       std::to_string(test.threads), "--seed", std::to_string(test.seed)}));
  const auto put = [](const nlohmann::json& from, evaluate::ClothFigures& figures) {
    if (from.is_null()) return;
    figures.stranger_auc = from.at("stranger_auc");
    if (from.at("stranger_clip_auc").is_number()) figures.stranger_clip_auc = from.at("stranger_clip_auc");
  };
  for (evaluate::JudgedSet& set : to.sets) {
    const nlohmann::json& of_set = found.at("sets").at(set.name);
    put(of_set, set.product);
    put(of_set.at("floor"), set.floor);
  }
}

}  // namespace billow::tool
