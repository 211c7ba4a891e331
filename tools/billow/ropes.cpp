// `billow ropes`: measures how well rope chains follow the reference cloth of a data set, and fits their settings to it.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "chains_of_file.h"
#include "character/rope_chains.h"
#include "commands.h"
#include "files/whole_file.h"
#include "progress.h"
#include "ropes/caught.h"
#include "ropes/fit_ropes.h"
#include "ropes/settings_file.h"
#include "shipped.h"

namespace billow::tool {
namespace {

using nlohmann::ordered_json;
using ropes::RopeTracking;

struct RopesOptions {
  std::string folder, garment, settings, out;
  ropes::FitOptions fit;
  std::vector<float> rates{30, 60, 120};
  bool json = false;
};

ordered_json describe(const RopeTracking& f) {
  const evaluate::RopeGap& g = f.gap;
  return {{"rms_mm", g.rms_mm},
          {"tips_mm", g.tips_mm},
          {"bias_mm", g.bias_mm},
          {"swing_mm", g.swing_mm},
          {"chain_to_chain_mm", g.chain_to_chain_mm},
          {"velocity_energy", f.velocity_energy},
          {"score", f.score},
          {"frames", g.frames}};
}

ordered_json describe(const ropes::ChainShape& s) {
  const auto list = [](const ropes::Percentiles& p) { return ordered_json{p.p5, p.median, p.p95}; };
  return {{"lateral", list(s.lateral)}, {"rope", list(s.rope)}, {"panel_angle_rad", list(s.angle)}};
}

ordered_json describe(const ropes::Report& r) {
  ordered_json out{
      {"train", describe(r.train)}, {"validation", describe(r.validation)}, {"unseen", describe(r.unseen)}};
  out["corrected"] = describe(r.corrected);
  for (const auto& [name, f] : {std::pair{"unseen", &r.unseen}, {"corrected", &r.corrected}}) {
    out[name]["chaos_floor_mm"] = f->gap.chaos_floor_mm;
    out[name]["ratio"] = f->gap.ratio;
  }
  out["shape"] = describe(r.shape);
  out["reference_shape"] = describe(r.reference_shape);
  for (const ropes::Report::Clip& c : r.clips)
    out["clips"].push_back({{"name", c.name},
                            {"rms_mm", c.rms_mm},
                            {"chaos_floor_mm", c.chaos_floor_mm},
                            {"velocity_energy", c.velocity_energy}});
  out["microseconds"] = r.cost.microseconds();
  out["substeps"] =
      static_cast<double>(r.cost.substeps) / static_cast<double>(std::max<size_t>(1, r.cost.frames));
  return out;
}

void print(const char* name, const RopeTracking& f) {
  std::printf("  %-10s %7.1f %7.1f %7.1f %7.1f %7.1f %8.2f\n", name, f.gap.rms_mm, f.gap.tips_mm,
              f.gap.bias_mm, f.gap.swing_mm, f.gap.chain_to_chain_mm, f.velocity_energy);
}

void print(const char* name, const ropes::Percentiles& chains, const ropes::Percentiles& cloth) {
  std::printf("  %-16s %5.2f %5.2f %5.2f   %5.2f %5.2f %5.2f\n", name, chains.p5, chains.median, chains.p95,
              cloth.p5, cloth.median, cloth.p95);
}

void print(const ropes::Report& r) {
  std::printf("  mm             rms    tips    bias   swing between   energy\n");
  print("train", r.train);
  print("validation", r.validation);
  print("unseen", r.unseen);
  print("corrected", r.corrected);
  if (r.unseen.gap.chaos_floor_mm > 0)
    std::printf("  chaos floor %.1f mm: unseen clips are at %.2f times it, corrected at %.2f\n",
                r.unseen.gap.chaos_floor_mm, r.unseen.gap.ratio, r.corrected.gap.ratio);
  else
    std::printf("  chaos floor: was not measured\n");
  if (!r.clips.empty()) {
    std::printf("  unseen clips, p5, median and p95:\n  %-16s %-20s cloth\n", "", "chains");
    print("lateral", r.shape.lateral, r.reference_shape.lateral);
    print("rope", r.shape.rope, r.reference_shape.rope);
    print("panel angle, rad", r.shape.angle, r.reference_shape.angle);
  }
  std::printf("  %.0f us a frame, %.1f sub-steps\n", r.cost.microseconds(),
              static_cast<double>(r.cost.substeps) / static_cast<double>(std::max<size_t>(1, r.cost.frames)));
}

ropes::ChainDynamics dynamics_for(const learn::Frames& frames, const RopesOptions& o) {
  ropes::ChainDynamics dynamics(character::rope_settings(frames.garment()));
  if (!o.garment.empty()) dynamics = chains_of_file(garment_file(o.garment), frames);
  if (!o.settings.empty()) ropes::read_settings_file(o.settings, dynamics.settings);
  return dynamics;
}

void measure(const RopesOptions& o) {
  const learn::Frames frames(o.folder);
  const ropes::Report report = ropes::measure_ropes(frames, dynamics_for(frames, o), o.fit.threads);
  if (o.json)
    std::printf("%s\n", describe(report).dump(2).c_str());
  else
    print(report);
}

void fit(RopesOptions o) {
  const learn::Frames frames(o.folder);
  const billow_settings start = dynamics_for(frames, o).settings;
  // Check the output folder before the long fit.
  if (!o.out.empty()) {
    const auto folder = std::filesystem::absolute(o.out).parent_path();
    if (!std::filesystem::is_directory(folder))
      throw std::runtime_error(o.out + ": expected a folder " + folder.string() + ", found none");
  }
  ropes::Fit found;
  {
    Progress progress("fitting the ropes");
    o.fit.report = [&](double share, const std::string&) { progress(share); };
    found = ropes::fit_ropes(frames, start, o.fit);
  }
  const std::string text = ropes::settings_text(found.settings);
  if (!o.out.empty()) files::write_whole_file(o.out, text);
  const ropes::Report before = ropes::measure_ropes(frames, start, o.fit.threads),
                      after = ropes::measure_ropes(frames, found.settings, o.fit.threads);
  if (o.json) {
    ordered_json out{{"before", describe(before)}, {"after", describe(after)}, {"tries", found.tries}};
    for (const ropes::FitRound& r : found.rounds)
      out["rounds"].push_back({{"train", r.train}, {"validation", r.validation}});
    out["settings"] = ordered_json::parse(text);
    std::printf("%s\n", out.dump(2).c_str());
    return;
  }
  std::printf("before\n");
  print(before);
  std::printf("after %zu tries\n", found.tries);
  print(after);
  std::printf("%s", o.out.empty() ? text.c_str() : (o.out + "\n").c_str());
}

// Prints the clips and rates at which limbs hold bones of the rope chains, and not of the reference.
void find_caught(const RopesOptions& o) {
  const learn::Frames frames(o.folder);
  const auto found = ropes::find_caught(frames, dynamics_for(frames, o), o.rates, o.fit.threads);
  ordered_json json = ordered_json::array();
  for (const ropes::CaughtClip& c : found) {
    const std::string& name = frames.info().clips[c.clip].name;
    const auto lifted = std::count_if(c.bones.begin(), c.bones.end(), [](const auto& b) { return b.lifted; });
    const ropes::Held& longest =
        *std::max_element(c.bones.begin(), c.bones.end(),
                          [](const auto& a, const auto& b) { return a.until - a.from < b.until - b.from; });
    json.push_back({{"clip", name},
                    {"frames_per_second", c.frames_per_second},
                    {"near_limb", c.bones.size() - static_cast<size_t>(lifted)},
                    {"lifted", lifted},
                    {"longest_s", longest.until - longest.from},
                    {"longest_from_s", longest.from}});
    if (!o.json)
      std::printf(
          "%-24s %3.0f Hz: %zu bones near a hand or forearm, %zu hem bones lifted; the longest %.2f s from "
          "%.2f s\n",
          name.c_str(), static_cast<double>(c.frames_per_second),
          c.bones.size() - static_cast<size_t>(lifted), static_cast<size_t>(lifted),
          longest.until - longest.from, longest.from);
  }
  if (o.json)
    std::printf("%s\n", json.dump(2).c_str());
  else
    std::printf("%zu of %zu runs (%zu clips, %zu rates) with caught bones\n", found.size(),
                frames.clips().size() * o.rates.size(), frames.clips().size(), o.rates.size());
}

}  // namespace

void add_ropes(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "ropes", "Measure how rope chains follow the reference cloth, and fit their settings");
  command->footer(
      "Examples\n"
      "  billow ropes measure data/cape\n"
      "  billow ropes measure data/cape --settings ropes.json --json\n"
      "  billow ropes measure data/cape --garment cape.billow\n"
      "  billow ropes caught data/skirt --garment skirt\n"
      "  billow ropes fit data/cape -o ropes.json\n"
      "  billow ropes fit data/cape --settings ropes.json --clips 0 --rounds 2 -o better.json\n");
  command->require_subcommand(1);
  auto o = std::make_shared<RopesOptions>();
  const auto common = [&](CLI::App* c) {
    c->add_option("data", o->folder, "Folder of the data set")->required();
    c->add_option("--settings", o->settings,
                  "Settings file to start from; default: the garment's own settings");
    c->add_option("--threads", o->fit.threads, "Number of clips simulated in parallel; 0 uses all cores")
        ->capture_default_str();
    c->add_flag("--json", o->json, "Print the figures as JSON");
  };
  const auto of_garment = [&](CLI::App* c) {
    c->add_option("--garment", o->garment,
                  "Garment file (or cape, skirt) whose settings and learnt force the chains have; default: "
                  "settings for the garment of the data set, and no force");
  };
  CLI::App* measured = command->add_subcommand(
      "measure", "Measure the distance of rope chains from the bones embedded in the cloth");
  common(measured);
  of_garment(measured);
  measured->callback([o] { measure(*o); });
  CLI::App* found = command->add_subcommand(
      "caught", "Find bones that hands and forearms hold on rope chains and not in the reference");
  common(found);
  of_garment(found);
  found->add_option("--rates", o->rates, "Frame rates of the chains in frames per second")
      ->capture_default_str();
  found->callback([o] { find_caught(*o); });
  CLI::App* fitted = command->add_subcommand("fit", "Fit the settings of rope chains to the reference cloth");
  common(fitted);
  fitted->add_option("-o,--out", o->out, "Settings file to write; default: print the settings");
  fitted->add_option("--clips", o->fit.clips, "Number of training clips to fit to; 0 uses all")
      ->capture_default_str();
  fitted->add_option("--rounds", o->fit.rounds, "Number of passes over all settings")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  fitted->callback([o] { fit(*o); });
}

}  // namespace billow::tool
