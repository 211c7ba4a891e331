// `billow demo`: shows in pictures and numbers what the runtime does.
#include "demo.h"

#include <cstdio>
#include <memory>

#include "commands.h"
#include "files.h"

namespace billow::tool {
namespace {

void run_demo(const std::string& folder_name) {
  const std::filesystem::path folder = make_folder(folder_name);
  for (const auto& draw : {demo_cape, demo_skirt}) {
    const DemoPicture picture = draw(folder);
    std::printf("%s\n  %s\n", picture.file.string().c_str(), picture.shows.c_str());
    for (const std::string& line : picture.numbers) std::printf("    %s\n", line.c_str());
    std::printf("\n");
    std::fflush(stdout);  // a picture may take a second
  }
}

}  // namespace

void add_demo(CLI::App& app) {
  auto folder = std::make_shared<std::string>("out");
  CLI::App* demo = app.add_subcommand("demo", "Pictures and numbers: a cape and a skirt of ropes");
  demo->add_option("-o,--out", *folder, "Folder for the pictures, made if need be")->capture_default_str();
  demo->footer(
      "Examples\n"
      "  billow demo                  pictures in out/\n"
      "  billow demo -o pictures      pictures elsewhere\n");
  demo->callback([folder] { run_demo(*folder); });
}

}  // namespace billow::tool
