// `billow view`: serves the web viewer on localhost.
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "commands.h"
#include "static_server.h"

namespace billow::tool {
namespace {

namespace fs = std::filesystem;

struct ViewOptions {
  std::string folder;
  int port = 8017;
};

// The viewer's folder in the installation or, failing that, in the source tree of the build.
fs::path viewer_folder() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {program / "../share/billow/viewer", program / "../../../viewer/dist"})
    if (fs::exists(folder / "index.html")) return fs::canonical(folder);
  throw std::runtime_error(
      "view: expected the built web viewer (`./run viewer build`), found none; --folder says where it is");
}

void view(const ViewOptions& o) {
  StaticServer server(o.folder.empty() ? viewer_folder() : fs::path(o.folder), o.port);
  std::printf("http://localhost:%d/ (to end: control-C)\n", server.port());
  std::fflush(stdout);
  server.serve();
}

}  // namespace

void add_view(CLI::App& app) {
  auto o = std::make_shared<ViewOptions>();
  CLI::App* command =
      app.add_subcommand("view", "Serve the web viewer on this machine and print its address");
  command->add_option("--folder", o->folder, "The built viewer, or any folder with an index.html");
  command->add_option("--port", o->port, "On localhost; 0: any that is free")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  command->footer(
      "Examples\n"
      "  billow view\n"
      "  billow view --folder out/figures --port 0\n");
  command->callback([o] { view(*o); });
}

}  // namespace billow::tool
