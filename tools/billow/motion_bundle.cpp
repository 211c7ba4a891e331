#include "motion_bundle.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "files.h"
#include "files/whole_file.h"
#include "motion/bundle.h"
#include "motion_folder.h"

namespace billow::tool {
namespace {

struct BundleOptions {
  std::string train, test, names, out;
  std::vector<std::string> leave_out;  // names of clips or subjects
  float rate = 30;
};

// Descriptions by clip name, of a text of entries "NAME what it is; NAME what it is". Entries end with a semicolon
// or the line; other lines are harmless, because no clip has a name of theirs.
std::map<std::string, std::string> read_descriptions(const std::string& file) {
  std::map<std::string, std::string> about;
  if (file.empty()) return about;
  std::istringstream text(files::read_whole_file(file));
  for (std::string line; std::getline(text, line);) {
    std::istringstream entries(line);
    for (std::string entry; std::getline(entries, entry, ';');) {
      std::istringstream words(entry);
      std::string name, rest;
      words >> name >> std::ws;
      std::getline(words, rest);
      if (!rest.empty()) about[name] = rest;
    }
  }
  return about;
}

void append(const std::string& folder, bool test, const std::map<std::string, std::string>& about,
            const BundleOptions& o, motion::MotionBundle& bundle) {
  std::vector<std::string> skipped;
  const auto left_out = [&](const std::string& name) {
    return std::find(o.leave_out.begin(), o.leave_out.end(), name) != o.leave_out.end();
  };
  for (FolderClip& in_folder : clips_in_folder(folder, body::make_person().skeleton, skipped)) {
    motion::BundledClip& one = in_folder.clip;
    if (left_out(one.clip.name) || left_out(one.subject)) continue;
    one.clip = motion::resample(one.clip, o.rate);
    one.test = test;
    if (const auto found = about.find(one.clip.name); found != about.end()) one.about = found->second;
    bundle.push_back(std::move(one));
  }
  for (const std::string& reason : skipped) std::fprintf(stderr, "left out: %s\n", reason.c_str());
}

// Test clips of a captured subject say nothing about other people if the same subject was learnt from.
void check_subjects(const motion::MotionBundle& bundle) {
  std::map<std::string, bool> part;
  for (const motion::BundledClip& one : bundle)
    if (const auto [at, is_new] = part.emplace(one.subject, one.test); !is_new && at->second != one.test)
      throw std::runtime_error("--test: expected subjects that are in no clip to learn from, found subject " +
                               one.subject + " in both folders");
}

void write_motion_bundle(const BundleOptions& o) {
  const auto about = read_descriptions(o.names);
  motion::MotionBundle bundle;
  append(o.train, false, about, o, bundle);
  if (!o.test.empty()) append(o.test, true, about, o, bundle);
  check_subjects(bundle);
  const std::string bytes = motion::bundle_bytes(bundle);
  const std::filesystem::path out = o.out;
  if (out.has_parent_path()) make_folder(out.parent_path());
  files::write_whole_file(out, bytes);
  const auto test = std::count_if(bundle.begin(), bundle.end(), [](const auto& one) { return one.test; });
  std::printf("%s: %zu clips, %td of them for tests, %.2f MB\n", o.out.c_str(), bundle.size(), test,
              static_cast<double>(bytes.size()) / 1e6);
}

}  // namespace

void add_motion_bundle(CLI::App* command) {
  auto o = std::make_shared<BundleOptions>();
  CLI::App* bundle = command->add_subcommand(
      "bundle", "Write folders of motion files as one small file on the built-in person");
  bundle->add_option("folder", o->train, "Folder of motion files to learn from")->required();
  bundle->add_option("--test", o->test, "Folder of motion files that are never learnt from");
  bundle->add_option("--names", o->names, "Text file with a description of each clip: NAME walks; NAME runs");
  bundle->add_option("--leave-out", o->leave_out, "Names of clips or subjects to leave out");
  bundle->add_option("--rate", o->rate, "Frames per second of the stored clips")
      ->check(CLI::Range(1.0, 240.0))
      ->capture_default_str();
  bundle->add_option("-o,--out", o->out, "File to write (.billowmotion)")->required();
  bundle->footer(
      "Examples\n"
      "  billow motion bundle train/ --test test/ --names CLIPS.md -o captured.billowmotion\n");
  bundle->callback([o] { write_motion_bundle(*o); });
}

}  // namespace billow::tool
