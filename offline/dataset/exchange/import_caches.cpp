#include "dataset/exchange/import_caches.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "dataset/clip_writer.h"
#include "dataset/exchange/check_cache.h"
#include "dataset/folder.h"
#include "dataset/in_parallel.h"
#include "dress/ropes.h"
#include "files/checksum.h"
#include "files/whole_file.h"
#include "garment/garment_file.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;

std::string count(size_t n) { return std::to_string(n); }

// The frames of the motion that the cloth has, at the cloth's rate.
motion::Clip cut(const motion::Clip& given, const CacheClip& clip, size_t frames, double rate, bool part) {
  const size_t start = static_cast<size_t>(std::max(0, clip.offset)), end = start + frames;
  // A clip that loops has its first frame once more at its end.
  const auto there = static_cast<size_t>(std::floor(static_cast<double>(given.duration()) * rate + 1e-3) + 1);
  const auto refuse = [&](const std::string& how, const std::string& remedy) {
    std::ostringstream out;
    out << clip.motion_name << ": expected " << how << end << " frames at " << rate << " a second for the "
        << frames << " of " << clip.cache.string();
    if (start > 0) out << " from frame " << start << " on";
    out << ", found " << there << ": " << remedy;
    throw std::runtime_error(out.str());
  };
  if (there < end) refuse("at least ", "it is shorter than its cloth");
  // Tools differ in whether they count the last frame.
  if (there > end + 1 && !part)
    refuse("", "the rate or the offset is another one, or the cloth is only a part of its motion (--part)");
  motion::Clip out{given.name, static_cast<float>(rate), {}, false};
  const bool same_rate = std::fabs(static_cast<double>(given.frames_per_second) - rate) < 1e-6;
  for (size_t f = start; f < end; ++f)
    out.frames.push_back(same_rate && f < given.frames.size()
                             ? given.frames[f]
                             : motion::pose_at(given, static_cast<float>(static_cast<double>(f) / rate)));
  return out;
}

// Opens a cache, finds its motion, and looks at every frame of both.
ImportedClip inspect(const ImportJob& job, const CacheClip& clip, double& rate) {
  const std::string file = clip.cache.string();
  const auto reader = cache::open_cache(clip.cache, job.open);
  const cache::Info& info = reader->info();
  expect_same_cloth(job.garment, info, file);
  if (info.fps == 0)
    throw std::runtime_error(file + ": expected frames a second, which its format does not say: give --fps");
  if (!(info.fps >= 1 && info.fps <= 240)) {
    std::ostringstream out;
    out << file << ": expected 1 to 240 frames a second, found " << info.fps;
    throw std::runtime_error(out.str());
  }
  rate = info.fps;
  ImportedClip out;
  out.name = info.name;
  out.cloth_start = static_cast<size_t>(std::max(0, -clip.offset));
  if (info.frames < out.cloth_start + 2)
    throw std::runtime_error(file + ": expected at least " + count(out.cloth_start + 2) + " frames, found " +
                             count(info.frames));
  const size_t frames = info.frames - out.cloth_start;
  const motion::Clip given = clip.motion(frames + static_cast<size_t>(std::max(0, clip.offset)), info.fps);
  motion::validate(job.wearer.skeleton, given);
  out.motion = cut(given, clip, frames, info.fps, job.part_of_motion);

  SeamCheck seam(job.garment, job.wearer.skeleton);
  uint64_t sum = files::kChecksumStart;
  std::vector<V3> cloth(info.topology.vertices);
  for (size_t f = 0; f < info.frames; ++f) {
    reader->read(f, cloth);
    if (f < out.cloth_start) continue;
    const auto joints = body::joint_transforms(job.wearer.skeleton, out.motion.frames[f - out.cloth_start]);
    sum = files::add_to_checksum(sum, cloth.data(), cloth.size() * sizeof(V3));
    sum = files::add_to_checksum(sum, joints.data(), joints.size() * sizeof(Transform));
    const float gap = seam.gap(cloth, joints);
    out.seam_gap = std::max(out.seam_gap, gap);
    if (!(gap <= seam.most())) {
      std::ostringstream message;
      message << file << ": frame " << f << ": expected the seam where " << clip.motion_name
              << " takes the body, found it " << gap
              << " m from there on average: look at --motion, --scale, --z-up, --fps and --offset";
      throw std::runtime_error(message.str());
    }
  }
  out.source = hex(sum);
  return out;
}

// No two clips of a data set have the same name.
void give_names(std::vector<ImportedClip>& clips, const std::vector<ImportedClip>& before) {
  std::set<std::string> taken;
  for (const ImportedClip& c : before) taken.insert(c.name);
  for (ImportedClip& c : clips) {
    if (c.there) continue;
    std::string name = c.name;
    for (int k = 2; !taken.insert(name).second; ++k) name = c.name + " " + std::to_string(k);
    c.name = name;
  }
}

// Which of the clips are never learnt from.
std::vector<bool> unseen_of(const ImportJob& job, const std::vector<ImportedClip>& clips) {
  std::vector<bool> out(clips.size(), false);
  if (job.unseen.size() == 1 && job.unseen[0].find_first_not_of("0123456789") == std::string::npos) {
    const std::string& text = job.unseen[0];
    const size_t n = text.empty() || text.size() > 9 ? clips.size() + 1 : std::stoul(text);
    if (n > clips.size())
      throw std::invalid_argument("unseen: expected at most " + count(clips.size()) + " clips, found " +
                                  text);
    std::fill(out.end() - static_cast<std::ptrdiff_t>(n), out.end(), true);
    return out;
  }
  for (const std::string& name : job.unseen) {
    std::string known;
    bool found = false;
    for (size_t c = 0; c < clips.size(); ++c) {
      if (clips[c].name == name) out[c] = found = true;
      known += (c > 0 ? ", " : "") + clips[c].name;
    }
    if (!found)
      throw std::invalid_argument("unseen: expected a number or some of " + known + ", found " + name);
  }
  return out;
}

// What is in the folder already.
std::vector<ImportedClip> clips_of(const DatasetInfo& info) {
  std::vector<ImportedClip> out;
  for (const ClipInfo& c : info.clips) out.push_back({c.name, c.parts, c.source, 0, {}, 0, true});
  return out;
}

struct WholePlan {
  ImportPlan plan;
  std::vector<ImportedClip> before;
};

WholePlan make_plan(const ImportJob& job) {
  if (job.clips.empty()) throw std::invalid_argument("import: expected caches, found none");
  if (job.garment.rest.size() != job.garment.size())
    throw std::invalid_argument("import: expected a garment with its rest (the steady drape)");
  WholePlan out;
  std::vector<double> rates(job.clips.size());
  if (job.append) {
    const DatasetInfo info = read_dataset(job.folder);
    if (!info.imported)
      throw std::runtime_error(job.folder.string() +
                               ": expected a data set that was imported, found one that was simulated");
    out.plan.frames_per_second = info.frames_per_second;
    out.before = clips_of(info);
  }
  std::vector<ImportedClip>& clips = out.plan.clips;
  clips.resize(job.clips.size());
  std::mutex mutex;
  Progress progress{0, job.clips.size(), ""};
  in_parallel(clips.size(), job.threads, [&](size_t c) {
    clips[c] = inspect(job, job.clips[c], rates[c]);
    const std::lock_guard lock(mutex);
    ++progress.frames_done;
    if (job.report) job.report(progress);
  });
  for (size_t c = 0; c < clips.size(); ++c) {
    double& rate = out.plan.frames_per_second;
    if (rate == 0) rate = rates[c];
    if (std::fabs(rate - rates[c]) > 1e-3) {
      std::ostringstream message;
      message << job.clips[c].cache.string() << ": expected " << rate
              << " frames a second as the other clips have, found " << rates[c];
      throw std::runtime_error(message.str());
    }
  }

  // Find those that are there, and deal out the frames of the others.
  const std::vector<bool> unseen = unseen_of(job, clips);
  for (ImportedClip& c : clips)
    for (const ImportedClip& b : out.before)
      if (c.source == b.source) c.there = true, c.name = b.name, c.parts = b.parts;
  give_names(clips, out.before);
  std::vector<size_t> frames;
  for (size_t c = 0; c < clips.size(); ++c)
    if (!clips[c].there && !unseen[c]) frames.push_back(clips[c].motion.frames.size());
  const std::vector<std::string> parts = deal_out(frames, job.seed);
  size_t next = 0;
  for (size_t c = 0; c < clips.size(); ++c) {
    if (clips[c].there) continue;
    clips[c].parts = unseen[c] ? std::string(clips[c].motion.frames.size(), static_cast<char>(Part::kUnseen))
                               : parts[next++];
  }
  return out;
}

std::string head_of(const ImportJob& job, double rate, const std::vector<ImportedClip>& all) {
  uint64_t sum = files::kChecksumStart;
  for (const ImportedClip& c : all)
    for (const std::string* text : {&c.name, &c.parts, &c.source})
      sum = files::add_to_checksum(sum, text->c_str(), text->size() + 1);
  std::ostringstream out;
  out << "\"format\": \"billow data set\",\n\"version\": 1,\n\"garment\": " << quoted(job.garment.name);
  if (job.wearer.preset.empty())
    out << ",\n\"character\": " << quoted(job.wearer.character);
  else
    out << ",\n\"preset\": " << quoted(job.wearer.preset);
  out << ",\n\"imported\": true,\n\"frames_per_second\": " << rate
      << ",\n\"vertices\": " << job.garment.size() << ",\n\"bones\": " << job.garment.bones.size()
      << ",\n\"simulated_bones\": " << garment::simulated_bones(job.garment)
      << ",\n\"planned_clips\": " << all.size() << ",\n\"plan\": \"" << hex(sum)
      << "\",\n\"made_by\": " << quoted(std::string("billow ") + billow_version());
  return out.str();
}

// Whether a clip that is there is this one: it may be left from a job that was stopped.
bool is_made(const fs::path& folder, const ImportedClip& clip) {
  if (!fs::exists(folder / "clip.json")) return false;
  const nlohmann::json found =
      nlohmann::json::parse(files::read_whole_file(folder / "clip.json"), nullptr, false);
  return found.is_object() && found.value("source", "") == clip.source &&
         found.value("split", "") == clip.parts && found.value("name", "") == clip.name;
}

template <class Tell>
void make_clip(const ImportJob& job, const CacheClip& from, const ImportedClip& clip,
               const cloth::Sheet& sheet, const fs::path& folder, const Tell& frame_done) {
  const body::Skeleton& skeleton = job.wearer.skeleton;
  const auto reader = cache::open_cache(from.cache, job.open);
  const auto before = lead_in(skeleton, clip.motion);
  dress::Ropes ropes(job.garment, job.wearer, before[0], dress::rope_settings(job.garment));
  const float dt = 1 / clip.motion.frames_per_second;
  for (size_t i = 1; i < before.size(); ++i) ropes.step(dt, before[i]);
  body::Surface surface(skeleton, job.wearer.colliders);
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

// Makes a clip in a folder beside its own, of which nothing is left where that fails.
template <class Make> void beside_and_renamed(const fs::path& folder, const Make& make) {
  const fs::path beside = folder.string() + ".part";
  fs::remove_all(beside);
  fs::create_directories(beside);
  try {
    make(beside);
    fs::remove_all(folder);
    fs::rename(beside, folder);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(beside, ignored);
    throw;
  }
}

}  // namespace

ImportPlan plan_import(const ImportJob& job) { return make_plan(job).plan; }

ImportPlan import_caches(const ImportJob& job) {
  const auto [plan, before] = make_plan(job);
  std::vector<ImportedClip> all = before;
  std::vector<size_t> number(plan.clips.size());
  for (size_t c = 0; c < plan.clips.size(); ++c)
    if (!plan.clips[c].there) number[c] = all.size(), all.push_back(plan.clips[c]);
  const std::string head = head_of(job, plan.frames_per_second, all);
  if (!job.append) {
    claim_folder(job.folder, head);
    if (!fs::exists(job.folder / "garment.json")) {
      write_wearer(job.wearer, job.folder);
      garment::write_garment_file(job.garment, job.wearer.skeleton, job.folder / "garment.json");
    }
  }

  std::vector<size_t> todo;
  Progress progress;
  for (size_t c = 0; c < plan.clips.size(); ++c) {
    const ImportedClip& clip = plan.clips[c];
    if (clip.there || is_made(job.folder / "clips" / clip_name(number[c]), clip)) continue;
    todo.push_back(c), progress.frames += clip.motion.frames.size();
  }
  std::mutex mutex;
  const auto frame_done = [&] {
    const std::lock_guard lock(mutex);
    ++progress.frames_done;
    if (job.report) job.report(progress);
  };
  const cloth::Sheet sheet = dress::sheet_of(job.garment);
  in_parallel(todo.size(), job.threads, [&](size_t i) {
    const size_t c = todo[i];
    beside_and_renamed(job.folder / "clips" / clip_name(number[c]), [&](const fs::path& folder) {
      make_clip(job, job.clips[c], plan.clips[c], sheet, folder, frame_done);
    });
  });
  // The head last: clips that it does not count are not there yet.
  write_manifest(job.folder, head_text(head), all.size());
  if (job.append) files::write_whole_file(job.folder / "head.json", head_text(head));
  return plan;
}

}  // namespace billow::dataset
