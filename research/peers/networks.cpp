// The cape's networks and bases in libtorch and onnxruntime, measured by the programs of this folder if they
// are built.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "research/peers/peers.h"

extern char** environ;

namespace billow::research {
namespace {

namespace fs = std::filesystem;

// A path relative to the folder of this executable.
fs::path near_executable(const char* name) { return fs::read_symlink("/proc/self/exe").parent_path() / name; }

// Runs a program and returns its standard output; empty if it cannot be started or fails.
std::optional<std::string> run_and_capture(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& argument : command) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string out;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; !failed && (n = read(ends[0], part.data(), part.size())) > 0;)
    out.append(part.data(), static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  if (failed || waitpid(child, &status, 0) != child || status != 0) return std::nullopt;
  return out;
}

// Parses the JSON that both peers print: {"ms", "off_mm", "version"}.
PeerFigures peer_figures(const std::optional<std::string>& printed, const char* name,
                         const std::string& program) {
  if (!printed) return not_measured(program + " failed");
  const auto result = nlohmann::json::parse(*printed, nullptr, false);
  if (result.is_discarded()) return not_measured(program + " printed no JSON");
  // Reject a peer whose result differs from the garment's networks.
  const double error_mm = result.at("off_mm");
  if (!(error_mm < 0.1))
    return not_measured(program + " is " + std::to_string(error_mm) + " mm off the garment's own networks");
  return {
      .frame_ms = result.at("ms").get<double>(),
      .why = std::string(name) + " " + result.at("version").get<std::string>() +
             ", fp32, one thread: networks and bases of all patches as products of stacked matrices, beside "
             "infer and expand",
      .networks_only = true};
}

constexpr const char* kNeedsFile = "needs a garment file, and none was given or found";

struct ScratchFolder {
  fs::path path = fs::temp_directory_path() / ("billow_bench_" + std::to_string(getpid()));
  ScratchFolder() { fs::create_directories(path); }
  ~ScratchFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

}  // namespace

PeerFigures time_libtorch(const PeerTask& task) {
  if (task.file.empty()) return not_measured(kNeedsFile);
  const fs::path program = near_executable("billow-peer-libtorch");
  if (!fs::exists(program)) return not_measured("built without libtorch (libtorch-dev)");
  return peer_figures(run_and_capture({program.string(), task.file}), "libtorch",
                      program.filename().string());
}

PeerFigures time_onnxruntime(const PeerTask& task) {
  if (task.file.empty()) return not_measured(kNeedsFile);
  const fs::path writer = near_executable("billow-peer-onnx"),
                 script = near_executable("../../../research/peers/onnxruntime.js");
  if (!fs::exists(writer) || !fs::exists(script.parent_path() / "node_modules/onnxruntime-node"))
    return not_measured("there is no onnxruntime-node: npm install in research/peers");
  const ScratchFolder folder;
  if (!run_and_capture({writer.string(), task.file, folder.path.string()}))
    return not_measured(writer.filename().string() + " failed");
  return peer_figures(run_and_capture({"node", script.string(), folder.path.string()}), "onnxruntime-node",
                      script.filename().string());
}

}  // namespace billow::research
