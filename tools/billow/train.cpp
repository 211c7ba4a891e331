// `billow train`: executes billow-train, a separate program because only training needs libtorch.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "commands.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

fs::path trainer() { return fs::read_symlink("/proc/self/exe").parent_path() / "billow-train"; }

[[noreturn]] void run(const std::vector<std::string>& arguments) {
  const std::string program = trainer().string();
  if (!fs::exists(program))
    throw std::runtime_error("train: expected " + program +
                             ", found none. It needs libtorch: install libtorch-dev and run `./run build`,\n"
                             "  or configure with -DBILLOW_BUILD_TRAIN=ON and build billow_train_cli");
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  throw std::runtime_error(program + ": could not be run: " + std::strerror(errno));
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App* command = app.add_subcommand("train", "Train a garment file on a data set (runs billow-train)");
  // Pass all further arguments, including --help, to billow-train.
  command->set_help_flag();
  command->prefix_command();
  command->callback([command] { run(command->remaining()); });
}

}  // namespace billow::tool
