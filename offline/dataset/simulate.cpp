#include "dataset/simulate.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "body/postures.h"
#include "character/clothed_character.h"
#include "character/rope_chains.h"
#include "dataset/clip_writer.h"
#include "dataset/folder.h"
#include "dataset/in_parallel.h"
#include "files/checksum.h"
#include "files/npy.h"
#include "files/whole_file.h"
#include "garment/garment_file.h"
#include "garment/tailor.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;

constexpr float kDenser = 1.001f;  // times, the air of the chaos floor
constexpr float kDrift = 1.5f;     // s, after which the drift is measured
constexpr size_t kChaosClips = 6;

// A dressed person and its rope chains, where a clip begins.
struct Stage {
  Stage(const garment::Garment& garment, const body::Person& person, const motion::Clip& clip,
        const cloth::Settings& settings)
      : before(lead_in(person.skeleton, clip)),
        cloth(garment, character::character_body(person), drape_at(garment, person, before[0]), before[0],
              settings, 1),
        ropes(garment, character::character_body(person), before[0], character::rope_settings(garment)) {
    const float dt = 1 / clip.frames_per_second;
    for (size_t i = 1; i < before.size(); ++i) cloth.step(dt, before[i]), ropes.step(dt, before[i]);
  }
  static std::vector<V3> drape_at(const garment::Garment& garment, const body::Person& person,
                                  std::span<const Transform> joints) {
    const Transform moved = joints[0] * inverse(body::rest_transforms(person.skeleton)[0]);
    std::vector<V3> out;
    for (const V3& p : garment.rest) out.push_back(apply(moved, p));
    return out;
  }

  std::vector<std::vector<Transform>> before;
  character::ClothedCharacter cloth;
  character::RopeChains ropes;
};

// One clip from beginning to end, in a folder of its own.
class ClipMaker {
 public:
  ClipMaker(const garment::Garment& garment, const body::Person& person, const PlannedClip& planned)
      : garment_(garment), person_(person), planned_(planned), clip_(planned.make(person)) {}

  template <class Tell> void make(const fs::path& folder, const Tell& frame_done) {
    Stage stage(garment_, person_, clip_, {});
    ClipWriter writer(folder, {planned_.name, planned_.parts, ""}, garment_, stage.cloth.cloth().sheet(),
                      person_.skeleton.size());
    const float dt = 1 / clip_.frames_per_second;
    for (size_t f = 0; f < planned_.frames; ++f) {
      const std::vector<Transform> pose = body::joint_transforms(person_.skeleton, clip_.frames[f]);
      stage.cloth.step(dt, pose);
      stage.ropes.step(dt, pose);
      writer.add(stage.cloth.vertices(), stage.ropes.bones(), pose, stage.cloth.surface());
      frame_done();
    }
    writer.finish();
  }

  // The same clip in slightly denser air, against the one in `folder`.
  template <class Tell> std::string drift(const fs::path& folder, const Tell& frame_done) {
    cloth::Settings settings;
    settings.air_density *= kDenser;
    Stage stage(garment_, person_, clip_, settings);
    const files::NpyMap cloth_file(folder / "cloth.npy"), bones_file(folder / "bones.npy");
    std::vector<V3> bones(garment_.bones.size());
    const auto squares = [](std::span<const float> a, std::span<const float> b) {
      double sum = 0;
      for (size_t i = 0; i < a.size(); ++i)
        sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
      return 3 * sum / static_cast<double>(a.size());
    };
    double cloth_sum = 0, bone_sum = 0, count = 0;
    for (size_t f = 0; f < planned_.frames; ++f) {
      stage.cloth.step(1 / clip_.frames_per_second,
                       body::joint_transforms(person_.skeleton, clip_.frames[f]));
      frame_done();
      if (static_cast<float>(f) < kDrift * clip_.frames_per_second) continue;
      garment::places_of_bones(garment_, stage.cloth.vertices(), bones);
      cloth_sum += squares(floats(stage.cloth.vertices()), cloth_file.row(f));
      bone_sum += squares(floats(bones), bones_file.row(f));
      ++count;
    }
    std::ostringstream out;
    out << "{\"name\": " << quoted(planned_.name)
        << ", \"cloth_mm\": " << 1000 * std::sqrt(cloth_sum / std::max(1.0, count))
        << ", \"bones_mm\": " << 1000 * std::sqrt(bone_sum / std::max(1.0, count)) << "}";
    return out.str();
  }

 private:
  const garment::Garment& garment_;
  const body::Person& person_;
  const PlannedClip& planned_;
  motion::Clip clip_;
};

// Of all that decides which frames there are: names, lengths, what each frame is for, and the user's own motions.
uint64_t checksum_of(const Request& request, const std::vector<PlannedClip>& clips) {
  uint64_t sum = files::kChecksumStart;
  for (const PlannedClip& clip : clips) {
    sum = files::add_to_checksum(sum, clip.name.c_str(), clip.name.size() + 1);
    sum = files::add_to_checksum(sum, clip.parts.c_str(), clip.parts.size() + 1);
  }
  for (const motion::Clip& clip : request.clips)
    for (const body::Pose& pose : clip.frames) {
      sum = files::add_to_checksum(sum, &pose.root_position, sizeof pose.root_position);
      sum = files::add_to_checksum(sum, pose.rotations.data(), pose.rotations.size() * sizeof(Quat));
    }
  return sum;
}

// What was asked for, as the first lines of a manifest: it has to be the same for clips to belong together.
std::string head_of(const Request& request, const garment::Garment& garment,
                    const std::vector<PlannedClip>& clips) {
  std::ostringstream out;
  out << "\"format\": \"billow data set\",\n\"version\": 1,\n\"garment\": " << quoted(request.garment)
      << ",\n\"preset\": " << quoted(request.preset) << ",\n\"seed\": " << request.seed
      << ",\n\"mix\": " << quoted(request.mix) << ",\n\"frames_per_second\": " << request.frames_per_second
      << ",\n\"vertices\": " << garment.size() << ",\n\"bones\": " << garment.bones.size()
      << ",\n\"simulated_bones\": " << garment::simulated_bones(garment)
      << ",\n\"planned_clips\": " << clips.size() << ",\n\"plan\": \"" << hex(checksum_of(request, clips))
      << "\",\n\"made_by\": " << quoted(std::string("billow ") + billow_version());
  return out.str();
}

void drape(garment::Garment& g, const Job& job, const body::Person& person) {
  // The JSON is written last: where it is, all of it is there.
  const fs::path file = job.folder / "garment.json";
  if (fs::exists(file)) {
    const files::NpyMap rest(job.folder / "garment_rest.npy");
    if (rest.shape() != std::vector<size_t>{g.size(), 3})
      throw std::runtime_error(job.folder.string() + "/garment_rest.npy: expected " +
                               std::to_string(g.size()) + " x 3 values");
    for (size_t v = 0; v < g.size(); ++v)
      g.rest.push_back({rest.values()[3 * v], rest.values()[3 * v + 1], rest.values()[3 * v + 2]});
    return;
  }
  if (job.report) job.report({0, 0, "draping the " + g.name + " on the resting body"});
  character::drape(g, person, job.threads);
  garment::write_garment_file(g, person.skeleton, file);
}

}  // namespace

void simulate(const Job& job) {
  if (job.shards < 1 || job.shard < 0 || job.shard >= job.shards)
    throw std::invalid_argument("data set: expected a shard from 0 to " + std::to_string(job.shards - 1) +
                                ", found " + std::to_string(job.shard));
  const std::vector<PlannedClip> clips = plan(job.request);
  const body::Person person = body::make_person(body::person_preset(job.request.preset));
  garment::Garment garment = garment::make_garment(
      job.request.garment, person, job.skin ? *job.skin : body::make_skin(person), job.request.vertices);
  claim_folder(job.folder, head_of(job.request, garment, clips));
  drape(garment, job, person);

  // What is left to do; a clip that was being written is begun anew.
  std::vector<size_t> todo, chaos;
  Progress progress;
  for (size_t c = 0; c < clips.size(); ++c) {
    if (c % static_cast<size_t>(job.shards) != static_cast<size_t>(job.shard)) continue;
    const bool unseen = clips[c].parts.find(static_cast<char>(Part::kUnseen)) != std::string::npos;
    if (!fs::exists(job.folder / "clips" / clip_name(c) / "clip.json"))
      todo.push_back(c), progress.frames += clips[c].frames;
    if (unseen && c + kChaosClips >= clips.size() &&
        !fs::exists(job.folder / "chaos" / (clip_name(c) + ".json")))
      chaos.push_back(c), progress.frames += clips[c].frames;
  }
  std::mutex mutex;
  const auto frame_done = [&] {
    const std::lock_guard lock(mutex);
    ++progress.frames_done;
    if (job.report) job.report(progress);
  };
  in_parallel(todo.size(), job.threads, [&](size_t i) {
    const fs::path folder = job.folder / "clips" / clip_name(todo[i]), beside = folder.string() + ".part";
    fs::remove_all(beside);
    fs::create_directories(beside);
    ClipMaker(garment, person, clips[todo[i]]).make(beside, frame_done);
    fs::rename(beside, folder);
  });
  in_parallel(chaos.size(), job.threads, [&](size_t i) {
    const std::string name = clip_name(chaos[i]);
    ClipMaker maker(garment, person, clips[chaos[i]]);
    files::write_whole_file(job.folder / "chaos" / (name + ".json"),
                            maker.drift(job.folder / "clips" / name, frame_done));
  });
  if (job.shards == 1)
    write_manifest(job.folder, files::read_whole_file(job.folder / "head.json"), clips.size());
}

}  // namespace billow::dataset
