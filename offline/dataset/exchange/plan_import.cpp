// What an import will make: every cache and motion is read and compared.
#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>

#include "dataset/exchange/check_cache.h"
#include "dataset/exchange/import_caches.h"
#include "dataset/folder.h"
#include "dataset/in_parallel.h"
#include "files/checksum.h"

namespace billow::dataset {
namespace {

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

// What is wrong with a motion is said with its name.
motion::Clip motion_of(const ImportJob& job, const CacheClip& clip, size_t frames, double rate) {
  try {
    motion::Clip out = clip.motion(frames, rate);
    motion::validate(job.character_body.skeleton, out);
    return out;
  } catch (const std::invalid_argument& e) {
    throw std::runtime_error(clip.motion_name + ": " + e.what());
  }
}

// Looks at every frame of the cloth with its motion: is it finite, is its seam on the body, which clip is it?
void read_through(const ImportJob& job, const CacheClip& clip, cache::Reader& reader, ImportedClip& out) {
  SeamCheck seam(job.garment, job.character_body.skeleton);
  uint64_t sum = files::kChecksumStart;
  std::vector<V3> cloth(reader.info().topology.vertices);
  for (size_t f = 0; f < reader.info().frames; ++f) {
    reader.read(f, cloth);
    if (f < out.cloth_start) continue;
    const auto joints =
        body::joint_transforms(job.character_body.skeleton, out.motion.frames[f - out.cloth_start]);
    sum = files::add_to_checksum(sum, cloth.data(), cloth.size() * sizeof(V3));
    sum = files::add_to_checksum(sum, joints.data(), joints.size() * sizeof(Transform));
    const float gap = seam.gap(cloth, joints);
    out.attachment_gap = std::max(out.attachment_gap, gap);
    if (gap <= seam.most()) continue;
    std::ostringstream message;
    message << clip.cache.string() << ": frame " << f << ": expected the seam where " << clip.motion_name
            << " takes the body, found it " << gap
            << " m from there on average: look at --motion, --scale, --z-up, --fps and --offset";
    throw std::runtime_error(message.str());
  }
  out.source = hex(sum);
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
  const motion::Clip given =
      motion_of(job, clip, frames + static_cast<size_t>(std::max(0, clip.offset)), info.fps);
  out.motion = cut(given, clip, frames, info.fps, job.part_of_motion);

  read_through(job, clip, *reader, out);
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

// All clips of a data set have one rate; `rate` is that of those before, or 0.
void expect_same_rate(const ImportJob& job, const std::vector<double>& rates, double& rate) {
  for (size_t c = 0; c < rates.size(); ++c) {
    if (rate == 0) rate = rates[c];
    if (std::fabs(rate - rates[c]) <= 1e-3) continue;
    std::ostringstream message;
    message << job.clips[c].cache.string() << ": expected " << rate
            << " frames a second as the other clips have, found " << rates[c];
    throw std::runtime_error(message.str());
  }
}

// Finds clips that are there already, and deals out the frames of the others.
void deal_out_new(const ImportJob& job, ImportPlan& plan) {
  std::vector<ImportedClip>& clips = plan.clips;
  const std::vector<bool> unseen = unseen_of(job, clips);
  for (ImportedClip& c : clips)
    for (const ImportedClip& b : plan.before)
      if (c.source == b.source) c.there = true, c.name = b.name, c.parts = b.parts;
  give_names(clips, plan.before);
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
}

}  // namespace

ImportPlan plan_import(const ImportJob& job) {
  if (job.clips.empty()) throw std::invalid_argument("import: expected caches, found none");
  if (job.garment.rest.size() != job.garment.size())
    throw std::invalid_argument("import: expected a garment with its rest (the steady drape)");
  ImportPlan plan;
  if (job.append) {
    const DatasetInfo info = read_dataset(job.folder);
    if (!info.imported)
      throw std::runtime_error(job.folder.string() +
                               ": expected a data set that was imported, found one that was simulated");
    plan.frames_per_second = info.frames_per_second;
    plan.before = clips_of(info);
  }
  plan.clips.resize(job.clips.size());
  std::vector<double> rates(job.clips.size());
  std::mutex mutex;
  Progress progress{0, job.clips.size(), ""};
  in_parallel(job.clips.size(), job.threads, [&](size_t c) {
    plan.clips[c] = inspect(job, job.clips[c], rates[c]);
    const std::lock_guard lock(mutex);
    ++progress.frames_done;
    if (job.report) job.report(progress);
  });
  expect_same_rate(job, rates, plan.frames_per_second);
  deal_out_new(job, plan);
  return plan;
}

}  // namespace billow::dataset
