// The cape's own networks and bases in libtorch and onnxruntime: programs of bench/peers, run where they are.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench_peers.h"

extern char** environ;

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

fs::path beside(const char* name) { return fs::read_symlink("/proc/self/exe").parent_path() / name; }

// What a program printed; nothing where it cannot be run or failed.
std::optional<std::string> printed_by(const std::vector<std::string>& command) {
  std::vector<char*> list;
  for (const std::string& word : command) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, list[0], &actions, nullptr, list.data(), environ);
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

// Both peers print {"ms", "off_mm", "version"}.
PeerFigures figures_of(const std::optional<std::string>& printed, const char* name, const std::string& how) {
  if (!printed) return {std::nullopt, how + " failed"};
  const auto said = nlohmann::json::parse(*printed, nullptr, false);
  if (said.is_discarded()) return {std::nullopt, how + " printed no JSON"};
  // What computes something else is no peer.
  const double off = said.at("off_mm");
  if (!(off < 0.1))
    return {std::nullopt, how + " is " + std::to_string(off) + " mm off the garment's own networks"};
  return {said.at("ms").get<double>(),
          std::string(name) + " " + said.at("version").get<std::string>() +
              ", fp32, one thread: networks and bases of all patches as products of stacked matrices, beside "
              "infer and expand",
          true};
}

struct ScratchFolder {
  fs::path path = fs::temp_directory_path() / ("billow_bench_" + std::to_string(getpid()));
  ScratchFolder() { fs::create_directories(path); }
  ~ScratchFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
};

}  // namespace

PeerFigures time_libtorch(const std::string& garment_file) {
  const fs::path program = beside("billow-peer-libtorch");
  if (!fs::exists(program)) return {std::nullopt, "built without libtorch (libtorch-dev)"};
  return figures_of(printed_by({program.string(), garment_file}), "libtorch", program.filename().string());
}

PeerFigures time_onnxruntime(const std::string& garment_file) {
  const fs::path writer = beside("billow-peer-onnx"), script = beside("../../../bench/peers/onnxruntime.js");
  if (!fs::exists(writer) || !fs::exists(script.parent_path() / "node_modules/onnxruntime-node"))
    return {std::nullopt, "there is no onnxruntime-node: npm install in bench/peers"};
  const ScratchFolder folder;
  if (!printed_by({writer.string(), garment_file, folder.path.string()}))
    return {std::nullopt, writer.filename().string() + " failed"};
  return figures_of(printed_by({"node", script.string(), folder.path.string()}), "onnxruntime-node",
                    script.filename().string());
}

}  // namespace billow::tool
