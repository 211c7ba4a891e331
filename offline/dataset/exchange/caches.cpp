#include "dataset/exchange/caches.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "cache/cache.h"
#include "character/rope_chains.h"
#include "dataset/clip_writer.h"
#include "files/checksum.h"
#include "files/npy.h"
#include "files/whole_file.h"
#include "garment/garment_file.h"
#include "parallel.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;

// Checksum of all that determines the contents of the clips.
uint64_t checksum_of(const ImportJob& job, const std::vector<ImportedClip>& all) {
  uint64_t sum = files::kChecksumStart;
  const auto add = [&](const std::string& text) {
    sum = files::add_to_checksum(sum, text.c_str(), text.size() + 1);
  };
  for (const ImportedClip& c : all) add(c.name), add(c.parts), add(c.source);
  add(garment::garment_to_text(job.garment, job.character_body.skeleton, "", ""));
  for (const std::vector<V3>* positions : {&job.garment.shape, &job.garment.rest})
    sum = files::add_to_checksum(sum, positions->data(), positions->size() * sizeof(V3));
  add(skeleton_to_text(job.character_body.skeleton));
  return sum;
}

std::string head_of(const ImportJob& job, double rate, const std::vector<ImportedClip>& all) {
  std::ostringstream out;
  out << "\"format\": \"billow data set\",\n\"version\": 1,\n\"garment\": " << quoted(job.garment.name);
  if (job.character_body.preset.empty())
    out << ",\n\"character\": " << quoted(job.character_body.character);
  else
    out << ",\n\"preset\": " << quoted(job.character_body.preset);
  out << ",\n\"imported\": true,\n\"frames_per_second\": " << rate
      << ",\n\"vertices\": " << job.garment.size() << ",\n\"bones\": " << job.garment.bones.size()
      << ",\n\"simulated_bones\": " << garment::simulated_bones(job.garment)
      << ",\n\"planned_clips\": " << all.size() << ",\n\"plan\": \"" << hex(checksum_of(job, all))
      << "\",\n\"made_by\": " << quoted(std::string("billow ") + billow_version());
  return out.str();
}

// Whether the folder holds this clip, complete; it may be from an interrupted job.
bool is_complete(const fs::path& folder, const ImportedClip& clip) {
  if (!fs::exists(folder / "clip.json")) return false;
  const nlohmann::json found =
      nlohmann::json::parse(files::read_whole_file(folder / "clip.json"), nullptr, false);
  return found.is_object() && found.value("source", "") == clip.source &&
         found.value("split", "") == clip.parts && found.value("name", "") == clip.name;
}

template <class OnFrame>
void make_clip(const ImportJob& job, const CacheClip& from, const ImportedClip& clip,
               const cloth::Sheet& sheet, const fs::path& folder, const OnFrame& frame_done) {
  const body::Skeleton& skeleton = job.character_body.skeleton;
  const auto reader = cache::open_cache(from.cache, job.open);
  const auto before = lead_in(skeleton, clip.motion);
  character::RopeChains ropes(job.garment, job.character_body, before[0],
                              character::rope_settings(job.garment));
  const float dt = 1 / clip.motion.frames_per_second;
  for (size_t i = 1; i < before.size(); ++i) ropes.step(dt, before[i]);
  body::Surface surface(skeleton, job.character_body.colliders);
  ClipWriter writer(folder, {clip.name, clip.parts, clip.source}, job.garment, sheet, skeleton.size());
  std::vector<V3> cloth(job.garment.size());
  for (size_t f = 0; f < clip.motion.frames.size(); ++f) {
    const auto joints = body::joint_transforms(skeleton, clip.motion.frames[f]);
    reader->read(clip.cloth_start + f, cloth);
    ropes.step(dt, joints);
    surface.pose(joints);
    writer.add(cloth, ropes.bones(), joints, surface);
    frame_done();
  }
  writer.finish();
}

// Writes a clip to a temporary folder and renames it; removes the folder on failure.
template <class Make> void write_atomically(const fs::path& folder, const Make& make) {
  const fs::path part_folder = folder.string() + ".part";
  fs::remove_all(part_folder);
  fs::create_directories(part_folder);
  try {
    make(part_folder);
    fs::remove_all(folder);
    fs::rename(part_folder, folder);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(part_folder, ignored);
    throw;
  }
}

}  // namespace

ImportPlan import_caches(const ImportJob& job) {
  const ImportPlan plan = plan_import(job);
  std::vector<ImportedClip> all = plan.before;
  std::vector<size_t> clip_index(plan.clips.size());
  for (size_t c = 0; c < plan.clips.size(); ++c)
    if (!plan.clips[c].already_imported) clip_index[c] = all.size(), all.push_back(plan.clips[c]);
  const std::string head = head_of(job, plan.frames_per_second, all);
  if (!job.append) {
    try {
      claim_folder(job.folder, head);
    } catch (const std::invalid_argument& e) {
      throw std::runtime_error(std::string(e.what()) + "(--append adds clips to a data set.)");
    }
    if (!fs::exists(job.folder / "garment.json")) {
      write_character_body(job.character_body, job.folder);
      garment::write_garment_file(job.garment, job.character_body.skeleton, job.folder / "garment.json");
    }
  }

  std::vector<size_t> todo;
  Progress progress;
  for (size_t c = 0; c < plan.clips.size(); ++c) {
    const ImportedClip& clip = plan.clips[c];
    if (clip.already_imported || is_complete(job.folder / "clips" / clip_name(clip_index[c]), clip)) continue;
    todo.push_back(c), progress.frames += clip.motion.frames.size();
  }
  std::mutex mutex;
  const auto frame_done = [&] {
    const std::lock_guard lock(mutex);
    ++progress.frames_done;
    if (job.report) job.report(progress);
  };
  const cloth::Sheet sheet = character::sheet_of(job.garment);
  const auto threads = static_cast<size_t>(std::max(1, job.threads));
  for_each_in_parallel(
      todo.size(),
      [&](size_t i) {
        const size_t c = todo[i];
        write_atomically(job.folder / "clips" / clip_name(clip_index[c]), [&](const fs::path& folder) {
          make_clip(job, job.clips[c], plan.clips[c], sheet, folder, frame_done);
        });
      },
      threads);
  // Write the head last: clips that it does not count do not exist yet.
  write_manifest(job.folder, head_text(head), all.size());
  if (job.append) files::write_whole_file(job.folder / "head.json", head_text(head));
  return plan;
}

size_t export_clip(const DatasetInfo& info, size_t clip, const std::filesystem::path& out,
                   const std::function<void(double)>& report) {
  if (clip >= info.clips.size())
    throw std::invalid_argument(info.folder.string() + ": expected a clip below " +
                                std::to_string(info.clips.size()) + ", found " + std::to_string(clip));
  const garment::Garment g =
      garment::read_garment_file(info.folder / "garment.json", info.character_body().skeleton);
  cache::Topology topology{g.size(), g.triangles, g.pattern_uvs, {}};
  if (!g.pattern_uvs.empty()) topology.uv_triangles = g.triangles;

  const std::filesystem::path file = info.clip_folder(clip) / "cloth.npy";
  const files::NpyMap cloth(file);
  const size_t frames = info.clips[clip].frames;
  if (cloth.shape() != std::vector<size_t>{frames, g.size(), 3})
    throw std::runtime_error(file.string() + ": expected " + std::to_string(frames) + " x " +
                             std::to_string(g.size()) + " x 3 values");
  const auto writer = cache::make_cache_writer(out, topology, info.frames_per_second, frames);
  std::vector<V3> positions(g.size());
  for (size_t f = 0; f < frames; ++f) {
    std::memcpy(positions.data(), cloth.row(f).data(), positions.size() * sizeof(V3));
    writer->write(positions);
    if (report) report(static_cast<double>(f + 1) / static_cast<double>(frames));
  }
  writer->finish();
  return frames;
}

}  // namespace billow::dataset
