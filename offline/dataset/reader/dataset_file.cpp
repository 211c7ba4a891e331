#include "dataset/reader/dataset_file.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "dataset/clip_writer.h"
#include "files/npy.h"
#include "files/whole_file.h"
#include "import/json_at.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;
using importer::JsonAt;

nlohmann::json parse(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("expected a data set, found no such file");
  try {
    return nlohmann::json::parse(in);
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(std::string("expected JSON: ") + e.what());
  }
}

ClipInfo read_clip(const JsonAt& at) {
  ClipInfo clip;
  clip.name = at.at("name").string();
  clip.frames = at.at("frames").index(size_t{1} << 32);
  clip.usable = at.at("usable").boolean();
  clip.parts = at.at("split").string();
  if (clip.parts.size() != clip.frames || clip.parts.find_first_not_of("tvhu") != std::string::npos)
    at.at("split").fail("one letter t, v, h or u for each of " + std::to_string(clip.frames) + " frames");
  const JsonAt strain = at.at("strain_percent");
  clip.strain_mean = strain.at("mean").number();
  clip.strain_p99 = strain.at("p99").number();
  clip.strain_worst_p99 = strain.at("worst_frame_p99").number();
  clip.strain_max = strain.at("most").number();
  clip.penetrating = at.at("penetrating_percent").number();
  clip.deepest = at.at("deepest_mm").number();
  clip.crossings = at.at("crossings").number();
  // Older ones judged by all crossings.
  clip.tangled = at.has("tangled") ? at.at("tangled").number() : clip.crossings;
  if (at.has("worst_frames")) {
    const JsonAt worst = at.at("worst_frames");
    clip.strain_frame = worst.at("strain_frame").index(clip.frames);
    clip.deepest_frame = worst.at("deepest_frame").index(clip.frames);
    clip.tangled_frame = worst.at("tangled_frame").index(clip.frames);
  }
  clip.source = at.string_or("source", "");
  for (size_t k = 0; k < kClipFiles.size(); ++k)
    clip.checksums[k] = at.at("checksums").at(kClipFiles[k]).string();
  return clip;
}

DatasetInfo read_manifest(const fs::path& folder) {
  const nlohmann::json json = parse(folder / "manifest.json");
  const JsonAt at(json, "");
  if (at.at("format").string() != "billow data set") at.at("format").fail("\"billow data set\"");
  if (at.at("version").number() != 1) at.at("version").fail("1");
  DatasetInfo info;
  info.folder = folder;
  info.garment = at.at("garment").string();
  // Exactly one of the two names the character.
  if (at.has("character"))
    info.character = at.at("character").string();
  else
    info.preset = at.at("preset").string();
  info.imported = at.has("imported") && at.at("imported").boolean();
  info.vertices = at.at("vertices").index(size_t{1} << 32);
  info.bones = at.at("bones").index(size_t{1} << 32);
  info.simulated_bones = at.at("simulated_bones").index(size_t{1} << 32);
  info.frames_per_second = at.at("frames_per_second").number();
  for (size_t c = 0; c < at.at("clips").size(); ++c) info.clips.push_back(read_clip(at.at("clips").at(c)));
  for (size_t c = 0; c < at.at("chaos").size(); ++c) {
    const JsonAt chaos = at.at("chaos").at(c);
    info.chaos.push_back(
        {chaos.at("name").string(), chaos.at("cloth_mm").number(), chaos.at("bones_mm").number()});
  }
  return info;
}

void check_file(const fs::path& file, const ClipInfo& clip, const std::string& checksum,
                std::vector<std::string>& errors) {
  const files::NpyMap map(file);
  if (map.shape()[0] != clip.frames)
    errors.push_back(file.string() + ": expected " + std::to_string(clip.frames) + " frames, found " +
                     std::to_string(map.shape()[0]));
  for (size_t f = 0; f < map.shape()[0]; ++f) {
    bool finite = true;
    for (const float v : map.row(f)) finite &= std::isfinite(v);
    if (finite) continue;
    errors.push_back(file.string() + ": frame " + std::to_string(f) + ": expected finite values");
    break;
  }
  const std::string found = hex(map.checksum());
  if (checksum != found)
    errors.push_back(file.string() + ": expected the checksum " + checksum + ", found " + found);
}

}  // namespace

fs::path DatasetInfo::clip_folder(size_t clip) const { return folder / "clips" / clip_name(clip); }

fs::path DatasetInfo::chaos_file(size_t clip) const { return folder / "chaos" / (clip_name(clip) + ".npy"); }

size_t DatasetInfo::frames() const {
  size_t sum = 0;
  for (const ClipInfo& clip : clips) sum += clip.usable ? clip.frames : 0;
  return sum;
}

size_t DatasetInfo::frames(Part part) const {
  size_t sum = 0;
  for (const ClipInfo& clip : clips)
    if (clip.usable)
      for (const char letter : clip.parts) sum += letter == static_cast<char>(part);
  return sum;
}

std::vector<ClipResult> DatasetInfo::results() const {
  std::vector<ClipResult> out;
  for (const ClipInfo& clip : clips) {
    ClipResult r;
    r.index = out.size(), r.name = clip.name, r.frames = clip.frames, r.usable = clip.usable;
    r.unseen = clip.parts.find(static_cast<char>(Part::kUnseen)) != std::string::npos;
    r.quality = {clip.strain_worst_p99 / 100, clip.deepest / 1000, clip.tangled,
                 clip.strain_frame,           clip.deepest_frame,  clip.tangled_frame};
    if (!clip.usable) r.rejections = rejections(r.quality, vertices, frames_per_second);
    out.push_back(std::move(r));
  }
  return out;
}

OwnedCharacterBody DatasetInfo::character_body() const {
  return read_character_body(folder, preset, character);
}

DatasetInfo read_dataset(const fs::path& folder) {
  try {
    return read_manifest(folder);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error((folder / "manifest.json").string() + ": " + e.what());
  }
}

std::vector<std::string> check_dataset(const DatasetInfo& info) {
  std::vector<std::string> errors;
  size_t joints = 0;
  try {
    joints = info.character_body().skeleton.size();
  } catch (const std::exception& e) {
    return {e.what()};
  }
  const size_t rows[] = {info.vertices, info.bones, info.bones, joints}, columns[] = {3, 3, 3, 7};
  for (size_t c = 0; c < info.clips.size(); ++c)
    for (size_t k = 0; k < kClipFiles.size(); ++k) {
      const fs::path file = info.clip_folder(c) / kClipFiles[k];
      try {
        check_file(file, info.clips[c], info.clips[c].checksums[k], errors);
        const files::NpyMap map(file);
        if (map.shape().size() != 3 || map.shape()[1] != rows[k] || map.shape()[2] != columns[k])
          errors.push_back(file.string() + ": expected frames x " + std::to_string(rows[k]) + " x " +
                           std::to_string(columns[k]) + " values");
      } catch (const std::runtime_error& e) {
        errors.push_back(e.what());
      }
    }
  return errors;
}

void merge_dataset(const std::vector<fs::path>& shards, const fs::path& out) {
  if (shards.empty()) throw std::runtime_error("merge: expected shards");
  if (fs::exists(out)) throw std::runtime_error(out.string() + ": expected a folder that does not exist");
  nlohmann::json head;
  for (const fs::path& shard : shards) {
    const nlohmann::json found = parse(shard / "head.json");
    if (!head.is_null() && head != found)
      throw std::runtime_error(shard.string() + ": expected a shard of the same request as " +
                               shards[0].string());
    head = found;
  }
  const size_t clips = JsonAt(head, "").at("planned_clips").index(size_t{1} << 32);
  const fs::path part_folder = out.string() + ".part";
  fs::remove_all(part_folder);
  fs::create_directories(part_folder / "clips");
  fs::create_directories(part_folder / "chaos");
  for (const char* name : {"head.json", "garment.json", "garment_mesh.obj", "garment_rest.npy"})
    fs::copy_file(shards[0] / name, part_folder / name);
  for (const char* name : {"skeleton.json", "body.json"})
    if (fs::exists(shards[0] / name)) fs::copy_file(shards[0] / name, part_folder / name);
  const auto link_or_copy = [&](const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::create_hard_link(from, to, error);
    if (error) fs::copy_file(from, to);
  };
  for (const fs::path& shard : shards) {
    for (const auto& clip : fs::directory_iterator(shard / "clips")) {
      const fs::path to = part_folder / "clips" / clip.path().filename();
      if (clip.path().extension() == ".part" || !fs::create_directory(to)) continue;
      for (const auto& file : fs::directory_iterator(clip)) link_or_copy(file, to / file.path().filename());
    }
    for (const auto& file : fs::directory_iterator(shard / "chaos"))
      if (const fs::path to = part_folder / "chaos" / file.path().filename();
          to.extension() != ".part" && !fs::exists(to))
        link_or_copy(file, to);
  }
  for (size_t c = 0; c < clips; ++c) {
    DatasetInfo merged;
    merged.folder = part_folder;
    if (!fs::exists(merged.clip_folder(c) / "clip.json"))
      throw std::runtime_error("merge: clip " + std::to_string(c) + " of " + std::to_string(clips) +
                               " is in none of the shards; the incomplete result is in " +
                               part_folder.string());
  }
  write_manifest(part_folder, files::read_whole_file(part_folder / "head.json"), clips);
  fs::rename(part_folder, out);
}

}  // namespace billow::dataset
