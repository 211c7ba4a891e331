// `billow pack`: rewrites a garment file with another precision, other settings or fewer sections.
#include <cstdio>
#include <memory>

#include "commands.h"
#include "contacts_option.h"
#include "files/whole_file.h"
#include "frames_for.h"
#include "learn/blend_weights.h"
#include "pack/garment_asset.h"
#include "pack/quantise_networks.h"
#include "ropes/settings_file.h"
#include "shipped.h"

namespace billow::tool {
namespace {

struct PackArguments {
  std::string file, out, data, settings, contacts, storage = "mixed";
  double max_error = 0.1;
  std::vector<std::string> without;
  bool blend = false, quiet = false;
};

// Value of --storage that keeps bases and networks as stored.
constexpr const char* kKeep = "keep";

void print(const char* mark, const pack::QuantisationCost& cost) {
  std::printf("%s %-6s %7.2f MB, off by %.3f mm (bases %.3f, networks %.3f)\n", mark, cost.name.c_str(),
              static_cast<double>(cost.bytes) / 1e6, cost.total(), cost.bases, cost.networks);
}

void remove_sections(const PackArguments& a, pack::GarmentData& packed) {
  for (const std::string& name : a.without)
    if (packed.extra.erase(name) == 0)
      throw std::runtime_error(a.file + ": expected an extra section '" + name +
                               "' to leave out, found none");
}

// Copies the file byte for byte, except for settings, blend weights and removed sections.
void write_unchanged_storage(const PackArguments& a, const pack::GarmentData& packed) {
  std::vector<std::string> without;
  for (const std::string& name : a.without) without.push_back("extra." + name);
  const std::string bytes = pack::changed_sections(files::read_whole_file(a.file), without, packed);
  files::write_whole_file(a.out, bytes);
  if (!a.quiet) std::printf("%s: %.2f MB\n", a.out.c_str(), static_cast<double>(bytes.size()) / 1e6);
}

void run(PackArguments a) {
  a.file = garment_file(a.file);
  if (a.blend && a.data.empty())
    throw std::runtime_error("--blend: expected --data with the frames to fit weights to, found none");
  pack::GarmentData packed = pack::read_garment_asset(a.file);
  remove_sections(a, packed);
  if (!a.settings.empty()) ropes::read_settings_file(a.settings, packed.settings);
  if (!a.contacts.empty()) body::apply(contacts_option(a.contacts), packed.settings);
  if (!a.data.empty()) {
    const learn::Frames frames = frames_for(a.file, packed.garment, a.data);
    if (a.blend) packed.blend = learn::fit_weights(frames, learn::BoneMotion(frames.garment()), {});
    packed.calibration = pack::calibration_frames(frames);
  }
  if (a.storage == kKeep) return write_unchanged_storage(a, packed);
  const pack::PackOptions options{pack::precision_named(a.storage), a.max_error};
  const pack::PackReport report = write_garment_asset(packed, a.out, options);
  if (a.quiet) return;
  std::printf("storage of bases and networks, chosen (*) and others:\n");
  print("*", report.chosen);
  for (const pack::QuantisationCost& cost : report.others) print(" ", cost);
  std::printf("%s: %.2f MB\n", a.out.c_str(), static_cast<double>(report.bytes) / 1e6);
}

}  // namespace

void add_pack(CLI::App& app) {
  auto* command = app.add_subcommand(
      "pack", "Store a garment file with another precision, other settings or other sections");
  auto a = std::make_shared<PackArguments>();
  command->add_option("file", a->file, kGarmentFileHelp)->required();
  command->add_option("-o,--out", a->out, "File to write")->required();
  command
      ->add_option("--storage", a->storage,
                   "Number format of bases and networks: mixed (the smallest within --error), int8, int16, "
                   "fp16, fp32, or keep (unchanged)")
      ->capture_default_str();
  command->add_option("--error", a->max_error, "Error bound of mixed storage in mm: RMS over vertices")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option(
      "--data", a->data,
      "Data set that the garment was trained on; mixed storage calibrates on its frames and gets smaller");
  command->add_flag("--blend", a->blend,
                    "Fit linear blend skinning weights to the training frames of --data, and store them");
  command->add_option(
      "--settings", a->settings,
      "Replace settings of the rope chains by those in this file, as `billow ropes fit` writes it");
  command->add_option("--contacts", a->contacts, kContactsHelp);
  command->add_option("--without", a->without, "Names of extra sections to remove: gru");
  command->add_flag("--quiet", a->quiet, "Print errors only");
  command->footer(
      "Examples\n"
      "  billow pack cape.billow -o small.billow --data data/cape --without gru\n"
      "  billow pack cape.billow -o exact.billow --storage fp32\n"
      "  billow pack cape.billow -o calm.billow --storage keep --settings ropes.json\n"
      "  billow pack cape.billow -o blended.billow --storage keep --blend --data data/cape\n");
  command->callback([a] { run(*a); });
}

}  // namespace billow::tool
