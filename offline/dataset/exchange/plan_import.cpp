// Plans an import: reads every cache and motion, checks that they match, and splits the frames.
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>

#include "cache/cache.h"
#include "character/clothed_character.h"
#include "dataset/clip_writer.h"
#include "dataset/exchange/caches.h"
#include "files/checksum.h"
#include "garment/garment.h"
#include "parallel.h"

namespace billow::dataset {
namespace {

using Edge = std::pair<uint32_t, uint32_t>;

Edge edge(uint32_t a, uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

// The garment's edges, and the other diagonals of adjacent triangles.
std::set<Edge> edges_with_flips(const std::vector<garment::Triangle>& triangles) {
  std::set<Edge> edges;
  std::map<Edge, uint32_t> opposite;
  for (const garment::Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      const Edge e = edge(t[k], t[(k + 1) % 3]);
      edges.insert(e);
      const auto [other, first] = opposite.insert({e, t[(k + 2) % 3]});
      if (!first) edges.insert(edge(other->second, t[(k + 2) % 3]));
    }
  return edges;
}

// Expects the vertices of the garment and, if the cache has any, its triangles; quads may be split along the
// other diagonal. Throws std::runtime_error.
void expect_same_cloth(const garment::Garment& garment, const cache::Info& info, const std::string& file) {
  const auto refuse = [&](const std::string& message) { throw std::runtime_error(file + ": " + message); };
  const auto text_of = [](size_t n) { return std::to_string(n); };
  if (info.topology.vertices != garment.size())
    refuse("expected " + text_of(garment.size()) + " vertices as in the garment, found " +
           text_of(info.topology.vertices));
  const std::vector<garment::Triangle>& triangles = info.topology.triangles;
  if (triangles.empty() || triangles == garment.triangles) return;
  if (triangles.size() != garment.triangles.size())
    refuse("expected " + text_of(garment.triangles.size()) + " triangles as in the garment, found " +
           text_of(triangles.size()));
  const std::set<Edge> edges = edges_with_flips(garment.triangles);
  for (size_t t = 0; t < triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const uint32_t a = triangles[t][k], b = triangles[t][(k + 1) % 3];
      if (!edges.contains(edge(a, b)))
        refuse("triangle " + text_of(t) + ": expected an edge of the garment, found one from vertex " +
               text_of(a) + " to " + text_of(b) +
               ": it is another mesh, or its vertices are in another order");
    }
}

// Compares the seam of the cloth with the body's motion.
class SeamCheck {
 public:
  SeamCheck(const garment::Garment& garment, const body::Skeleton& skeleton);
  // Mean distance of attached vertices from their skinned positions, m.
  float gap(std::span<const V3> cloth, std::span<const Transform> joints);
  // Largest gap for which cloth and motion are taken to match, m.
  float max_gap() const { return max_gap_; }

 private:
  const garment::Garment& garment_;
  std::vector<Transform> rest_inverse_, skinning_;
  std::vector<V3> attachment_points_;
  float max_gap_ = 0;
};

SeamCheck::SeamCheck(const garment::Garment& garment, const body::Skeleton& skeleton)
    : garment_(garment),
      rest_inverse_(character::inverses(body::rest_transforms(skeleton))),
      skinning_(rest_inverse_.size()),
      attachment_points_(garment.attachments.size()) {
  V3 low = garment.rest[0], high = low;
  for (const V3& p : garment.rest) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  max_gap_ = 0.1f * std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

float SeamCheck::gap(std::span<const V3> cloth, std::span<const Transform> joints) {
  for (size_t j = 0; j < skinning_.size(); ++j) skinning_[j] = joints[j] * rest_inverse_[j];
  garment::follow_body(garment_, skinning_, attachment_points_);
  float sum = 0;
  for (size_t i = 0; i < attachment_points_.size(); ++i)
    sum += length(cloth[garment_.attachments[i].vertex] - attachment_points_[i]);
  return sum / static_cast<float>(std::max<size_t>(1, attachment_points_.size()));
}

std::string text_of(size_t n) { return std::to_string(n); }

// Cuts and resamples the motion to the frames of the cloth.
motion::Clip cut_motion(const motion::Clip& source, const CacheClip& clip, size_t frames, double rate,
                        bool part) {
  const size_t start = static_cast<size_t>(std::max(0, clip.offset)), end = start + frames;
  // The duration of a looping clip includes a repetition of its first frame.
  const auto available =
      static_cast<size_t>(std::floor(static_cast<double>(source.duration()) * rate + 1e-3) + 1);
  const auto refuse = [&](const std::string& how, const std::string& remedy) {
    std::ostringstream out;
    out << clip.motion_name << ": expected " << how << end << " frames at " << rate << " a second for the "
        << frames << " of " << clip.cache.string();
    if (start > 0) out << " from frame " << start << " on";
    out << ", found " << available << ": " << remedy;
    throw std::runtime_error(out.str());
  };
  if (available < end) refuse("at least ", "it is shorter than its cloth");
  // Tools differ in whether they include the last frame.
  if (available > end + 1 && !part)
    refuse("", "the rate or the offset differs, or the cloth is only a part of its motion (--part)");
  motion::Clip out{source.name, static_cast<float>(rate), {}, false};
  const bool same_rate = std::fabs(static_cast<double>(source.frames_per_second) - rate) < 1e-6;
  for (size_t f = start; f < end; ++f)
    out.frames.push_back(same_rate && f < source.frames.size()
                             ? source.frames[f]
                             : motion::pose_at(source, static_cast<float>(static_cast<double>(f) / rate)));
  return out;
}

// Gets and validates the motion; errors name it.
motion::Clip motion_of(const ImportJob& job, const CacheClip& clip, size_t frames, double rate) {
  try {
    motion::Clip out = clip.motion(frames, rate);
    motion::validate(job.character_body.skeleton, out);
    return out;
  } catch (const std::invalid_argument& e) {
    throw std::runtime_error(clip.motion_name + ": " + e.what());
  }
}

// Reads every frame of the cloth: checks that its seam is on the body, and computes the checksum of cloth and
// motion.
void check_frames(const ImportJob& job, const CacheClip& clip, cache::Reader& reader, ImportedClip& out) {
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
    if (gap <= seam.max_gap()) continue;
    std::ostringstream message;
    message << clip.cache.string() << ": frame " << f << ": expected the seam on the body as moved by "
            << clip.motion_name << ", found it " << gap
            << " m away on average: check --motion, --scale, --z-up, --fps and --offset";
    throw std::runtime_error(message.str());
  }
  out.source = hex(sum);
}

// Opens a cache, gets its motion, and checks every frame.
ImportedClip inspect(const ImportJob& job, const CacheClip& clip, double& rate) {
  const std::string file = clip.cache.string();
  const auto reader = cache::open_cache(clip.cache, job.open);
  const cache::Info& info = reader->info();
  expect_same_cloth(job.garment, info, file);
  if (info.fps == 0)
    throw std::runtime_error(file + ": expected a frame rate, which its format does not store: give --fps");
  if (!(info.fps >= 1 && info.fps <= 240)) {
    std::ostringstream out;
    out << file << ": expected 1 to 240 frames per second, found " << info.fps;
    throw std::runtime_error(out.str());
  }
  rate = info.fps;
  ImportedClip out;
  out.name = info.name;
  out.cloth_start = static_cast<size_t>(std::max(0, -clip.offset));
  if (info.frames < out.cloth_start + 2)
    throw std::runtime_error(file + ": expected at least " + text_of(out.cloth_start + 2) +
                             " frames, found " + text_of(info.frames));
  const size_t frames = info.frames - out.cloth_start;
  const motion::Clip source =
      motion_of(job, clip, frames + static_cast<size_t>(std::max(0, clip.offset)), info.fps);
  out.motion = cut_motion(source, clip, frames, info.fps, job.part_of_motion);

  check_frames(job, clip, *reader, out);
  return out;
}

// Numbers clips with equal names.
void make_names_unique(std::vector<ImportedClip>& clips, const std::vector<ImportedClip>& before) {
  std::set<std::string> names;
  for (const ImportedClip& c : before) names.insert(c.name);
  for (ImportedClip& c : clips) {
    if (c.already_imported) continue;
    std::string name = c.name;
    for (int k = 2; !names.insert(name).second; ++k) name = c.name + " " + std::to_string(k);
    c.name = name;
  }
}

// Finds the clips that are left out of learning.
std::vector<bool> find_unseen(const ImportJob& job, const std::vector<ImportedClip>& clips) {
  std::vector<bool> out(clips.size(), false);
  if (job.unseen.size() == 1 && job.unseen[0].find_first_not_of("0123456789") == std::string::npos) {
    const std::string& text = job.unseen[0];
    const size_t n = text.empty() || text.size() > 9 ? clips.size() + 1 : std::stoul(text);
    if (n > clips.size())
      throw std::invalid_argument("unseen: expected at most " + text_of(clips.size()) + " clips, found " +
                                  text);
    std::fill(out.end() - static_cast<std::ptrdiff_t>(n), out.end(), true);
    return out;
  }
  for (const std::string& name : job.unseen) {
    std::string edges;
    bool found = false;
    for (size_t c = 0; c < clips.size(); ++c) {
      if (clips[c].name == name) out[c] = found = true;
      edges += (c > 0 ? ", " : "") + clips[c].name;
    }
    if (!found)
      throw std::invalid_argument("unseen: expected a number or some of " + edges + ", found " + name);
  }
  return out;
}

// The clips of an existing data set.
std::vector<ImportedClip> clips_of(const DatasetInfo& info) {
  std::vector<ImportedClip> out;
  for (const ClipInfo& c : info.clips) out.push_back({c.name, c.parts, c.source, 0, {}, 0, true});
  return out;
}

// All clips of a data set have one frame rate. `rate`: that of existing clips, or 0.
void expect_same_rate(const ImportJob& job, const std::vector<double>& rates, double& rate) {
  for (size_t c = 0; c < rates.size(); ++c) {
    if (rate == 0) rate = rates[c];
    if (std::fabs(rate - rates[c]) <= 1e-3) continue;
    std::ostringstream message;
    message << job.clips[c].cache.string() << ": expected " << rate
            << " frames per second as in the other clips, found " << rates[c];
    throw std::runtime_error(message.str());
  }
}

// Finds clips that are already imported, and splits the frames of the others.
void split_new_clips(const ImportJob& job, ImportPlan& plan) {
  std::vector<ImportedClip>& clips = plan.clips;
  const std::vector<bool> unseen = find_unseen(job, clips);
  for (ImportedClip& c : clips)
    for (const ImportedClip& b : plan.before)
      if (c.source == b.source) c.already_imported = true, c.name = b.name, c.parts = b.parts;
  make_names_unique(clips, plan.before);
  std::vector<size_t> frames;
  for (size_t c = 0; c < clips.size(); ++c)
    if (!clips[c].already_imported && !unseen[c]) frames.push_back(clips[c].motion.frames.size());
  const std::vector<std::string> parts = split_frames(frames, job.seed);
  size_t next = 0;
  for (size_t c = 0; c < clips.size(); ++c) {
    if (clips[c].already_imported) continue;
    clips[c].parts = unseen[c] ? std::string(clips[c].motion.frames.size(), static_cast<char>(Part::kUnseen))
                               : parts[next++];
  }
}

}  // namespace

ImportPlan plan_import(const ImportJob& job) {
  if (job.clips.empty()) throw std::invalid_argument("import: expected caches, found none");
  if (job.garment.rest.size() != job.garment.size())
    throw std::invalid_argument("import: expected a draped garment, with its rest");
  ImportPlan plan;
  if (job.append) {
    const DatasetInfo info = read_dataset(job.folder);
    if (!info.imported)
      throw std::runtime_error(job.folder.string() +
                               ": expected an imported data set, found a simulated one");
    plan.frames_per_second = info.frames_per_second;
    plan.before = clips_of(info);
  }
  plan.clips.resize(job.clips.size());
  std::vector<double> rates(job.clips.size());
  std::mutex mutex;
  Progress progress{0, job.clips.size(), ""};
  const auto threads = static_cast<size_t>(std::max(1, job.threads));
  for_each_in_parallel(
      job.clips.size(),
      [&](size_t c) {
        plan.clips[c] = inspect(job, job.clips[c], rates[c]);
        const std::lock_guard lock(mutex);
        ++progress.frames_done;
        if (job.report) job.report(progress);
      },
      threads);
  expect_same_rate(job, rates, plan.frames_per_second);
  split_new_clips(job, plan);
  return plan;
}

}  // namespace billow::dataset
