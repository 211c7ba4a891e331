// `billow pack`: a garment file stored differently.
#include <cstdio>
#include <memory>

#include "commands.h"
#include "pack/garment_asset.h"
#include "pack/round_networks.h"

namespace billow::tool {
namespace {

struct PackArguments {
  std::string file, out, data, storage = "mixed";
  double most_error = 0.1;
  std::vector<std::string> without;
};

void print(const char* mark, const pack::StorageCost& cost) {
  std::printf("%s %-6s %7.2f MB, off by %.3f mm (bases %.3f, networks %.3f)\n", mark, cost.name.c_str(),
              static_cast<double>(cost.bytes) / 1e6, cost.all(), cost.bases, cost.networks);
}

void run(const PackArguments& a) {
  const pack::PackOptions options{pack::storage_named(a.storage), a.most_error};
  pack::Packed packed = pack::read_garment_asset(a.file);
  for (const std::string& name : a.without)
    if (packed.extra.erase(name) == 0)
      throw std::runtime_error(a.file + ": expected an extra section '" + name +
                               "' to leave out, found none");
  if (!a.data.empty()) {
    const learn::Frames frames(a.data);
    if (frames.garment().bones.size() != packed.garment.bones.size())
      throw std::runtime_error(a.data + ": expected a data set of this garment with " +
                               std::to_string(packed.garment.bones.size()) + " bones, found one with " +
                               std::to_string(frames.garment().bones.size()));
    packed.frames = pack::frames_to_round_by(frames);
  }
  const pack::PackReport report = write_garment_asset(packed, a.out, options);
  std::printf("bases and networks, and what else there is to choose from:\n");
  print("*", report.chosen);
  for (const pack::StorageCost& cost : report.others) print(" ", cost);
  std::printf("%s: %.2f MB\n", a.out.c_str(), static_cast<double>(report.bytes) / 1e6);
}

}  // namespace

void add_pack(CLI::App& app) {
  auto* command = app.add_subcommand("pack", "Store a garment file's numbers more or less coarsely");
  auto a = std::make_shared<PackArguments>();
  command->add_option("file", a->file, "Garment file (.billow); best one with fp32")->required();
  command->add_option("-o,--out", a->out, "File to write")->required();
  command
      ->add_option("--storage", a->storage,
                   "mixed (the smallest that is off by less than --error), int8, int12, int16, fp16 or fp32")
      ->capture_default_str();
  command->add_option("--error", a->most_error, "mm, root mean square over vertices, for mixed storage")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--data", a->data,
                      "The data set it was trained on: mixed storage gets smaller if it knows what bones do");
  command->add_option("--without", a->without, "Extra sections to leave out: gru, say");
  command->footer(
      "Examples\n"
      "  billow pack cape.billow -o small.billow --data data/cape --without gru\n"
      "  billow pack cape.billow -o exact.billow --storage fp32\n");
  command->callback([a] { run(*a); });
}

}  // namespace billow::tool
