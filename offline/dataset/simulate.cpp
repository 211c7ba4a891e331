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
#include "dataset/drift.h"
#include "files/checksum.h"
#include "files/npy.h"
#include "files/whole_file.h"
#include "garment/garment_file.h"
#include "garment/tailor.h"
#include "parallel.h"

namespace billow::dataset {
namespace {

namespace fs = std::filesystem;

constexpr size_t kChaosClips = 6;

// Reference cloth and rope chains, advanced to the start of a clip.
struct ClipStage {
  ClipStage(const garment::Garment& garment, const OwnedCharacterBody& character, const motion::Clip& clip,
            const cloth::Settings& settings)
      : lead_in_poses(lead_in(character.skeleton, clip)),
        cloth(garment, character, drape_at(garment, character.skeleton, lead_in_poses[0]), lead_in_poses[0],
              settings, 1),
        ropes(garment, character, lead_in_poses[0], character::rope_settings(garment)) {
    const float dt = 1 / clip.frames_per_second;
    for (size_t i = 1; i < lead_in_poses.size(); ++i)
      cloth.step(dt, lead_in_poses[i]), ropes.step(dt, lead_in_poses[i]);
  }

  std::vector<std::vector<Transform>> lead_in_poses;
  character::ClothedCharacter cloth;
  character::RopeChains ropes;
};

// Simulates one clip.
class ClipMaker {
 public:
  ClipMaker(const garment::Garment& garment, const OwnedCharacterBody& character, const PlannedClip& planned)
      : garment_(garment), character_(character), planned_(planned), clip_(planned.make(character)) {}

  template <class OnFrame> void make(const fs::path& folder, const OnFrame& frame_done) {
    ClipStage stage(garment_, character_, clip_, {});
    ClipWriter writer(folder, {planned_.name, planned_.parts, ""}, garment_, stage.cloth.cloth().sheet(),
                      character_.skeleton.size());
    const float dt = 1 / clip_.frames_per_second;
    for (size_t f = 0; f < planned_.frames; ++f) {
      const std::vector<Transform> pose = body::joint_transforms(character_.skeleton, clip_.frames[f]);
      stage.cloth.step(dt, pose);
      stage.ropes.step(dt, pose);
      writer.add(stage.cloth.vertices(), stage.ropes.bones(), pose, stage.cloth.surface());
      frame_done();
    }
    writer.finish();
  }

  // Chaos floor: simulates the clip again in slightly denser air and compares it with the one in `folder`.
  template <class OnFrame> std::string drift(const fs::path& folder, const OnFrame& frame_done) {
    cloth::Settings settings;
    settings.air_density *= kChaosAirDensity;
    ClipStage stage(garment_, character_, clip_, settings);
    DriftSum sum(folder, garment_, planned_.frames, clip_.frames_per_second);
    for (size_t f = 0; f < planned_.frames; ++f) {
      stage.cloth.step(1 / clip_.frames_per_second,
                       body::joint_transforms(character_.skeleton, clip_.frames[f]));
      frame_done();
      sum.add(f, stage.cloth.vertices());
    }
    return sum.finish(planned_.name);
  }

 private:
  const garment::Garment& garment_;
  const OwnedCharacterBody& character_;
  const PlannedClip& planned_;
  motion::Clip clip_;
};

// Checksum of all that determines the frames: names, splits, the user's own motions, captured clips and contacts, and the
// user's own garment and character.
uint64_t checksum_of(const Job& job, const garment::Garment& garment, const OwnedCharacterBody& character,
                     const std::vector<PlannedClip>& clips) {
  const Request& request = job.request;
  uint64_t sum = files::kChecksumStart;
  for (const PlannedClip& clip : clips) {
    sum = files::add_to_checksum(sum, clip.name.c_str(), clip.name.size() + 1);
    sum = files::add_to_checksum(sum, clip.parts.c_str(), clip.parts.size() + 1);
  }
  const auto add = [&sum](const motion::Clip& clip) {
    for (const body::Pose& pose : clip.frames) {
      sum = files::add_to_checksum(sum, &pose.root_position, sizeof pose.root_position);
      sum = files::add_to_checksum(sum, pose.rotations.data(), pose.rotations.size() * sizeof(Quat));
    }
  };
  for (const motion::Clip& clip : request.clips) add(clip);
  for (const PlannedClip& clip : clips)
    if (clip.captured) add(*clip.captured);
  if (request.contacts) {
    const std::string contacts = body::text_of(*request.contacts);
    sum = files::add_to_checksum(sum, contacts.data(), contacts.size());
  }
  for (const auto& [name, text] : job.own_files) sum = files::add_to_checksum(sum, text.data(), text.size());
  if (!job.own_garment) return sum;
  const std::string text = garment::garment_to_text(garment, character.skeleton, "", "");
  sum = files::add_to_checksum(sum, text.data(), text.size());
  for (const std::vector<V3>* positions : {&garment.shape, &garment.rest})
    sum = files::add_to_checksum(sum, positions->data(), positions->size() * sizeof(V3));
  return sum;
}

// The request as the first lines of a manifest. Clips belong together only if it is the same.
std::string head_of(const Job& job, const garment::Garment& garment, const OwnedCharacterBody& character,
                    const std::vector<PlannedClip>& clips) {
  const Request& request = job.request;
  std::ostringstream out;
  out << "\"format\": \"billow data set\",\n\"version\": 1,\n\"garment\": " << quoted(garment.name);
  if (character.preset.empty())
    out << ",\n\"character\": " << quoted(character.character);
  else
    out << ",\n\"preset\": " << quoted(character.preset);
  out << ",\n\"seed\": " << request.seed << ",\n\"mix\": " << quoted(request.mix)
      << ",\n\"frames_per_second\": " << request.frames_per_second << ",\n\"vertices\": " << garment.size()
      << ",\n\"bones\": " << garment.bones.size()
      << ",\n\"simulated_bones\": " << garment::simulated_bones(garment)
      << ",\n\"planned_clips\": " << clips.size() << ",\n\"plan\": \""
      << hex(checksum_of(job, garment, character, clips))
      << "\",\n\"made_by\": " << quoted(std::string("billow ") + billow_version());
  return out.str();
}

// How a finished clip fared.
ClipResult result_of(const Job& job, size_t vertices, const PlannedClip& clip, size_t index) {
  ClipResult r;
  r.index = index, r.name = clip.name, r.frames = clip.frames;
  r.unseen = clip.parts.find(static_cast<char>(Part::kUnseen)) != std::string::npos;
  r.quality = quality_in_clip_file(job.folder / "clips" / clip_name(index) / "clip.json");
  r.rejections = rejections(r.quality, vertices, static_cast<double>(job.request.frames_per_second));
  r.usable = r.rejections.empty();
  return r;
}

// Gives the garment its rest and writes its files, and those of the user's own character. A garment of the user's own may
// have its rest already.
void drape(garment::Garment& g, const Job& job, const OwnedCharacterBody& character) {
  // The JSON is written last, so its existence implies the other files.
  const fs::path file = job.folder / "garment.json";
  if (fs::exists(file) && g.rest.empty()) {
    const files::NpyMap rest(job.folder / "garment_rest.npy");
    if (rest.shape() != std::vector<size_t>{g.size(), 3})
      throw std::runtime_error(job.folder.string() + "/garment_rest.npy: expected " +
                               std::to_string(g.size()) + " x 3 values");
    for (size_t v = 0; v < g.size(); ++v)
      g.rest.push_back({rest.values()[3 * v], rest.values()[3 * v + 1], rest.values()[3 * v + 2]});
    return;
  }
  if (g.rest.empty()) {
    if (job.report) job.report({0, 0, "draping the " + g.name + " on the body at rest"});
    character::drape(g, character, job.threads);
  }
  if (fs::exists(file)) return;
  for (const auto& [name, text] : job.own_files) files::write_whole_file(job.folder / name, text);
  garment::write_garment_file(g, character.skeleton, file);
}

// The clips of this shard that are still to be simulated. Clips that were interrupted start again.
struct RemainingWork {
  std::vector<size_t> clips, chaos;
  size_t frames = 0;
};
RemainingWork remaining_work(const Job& job, const std::vector<PlannedClip>& clips) {
  RemainingWork work;
  for (size_t c = static_cast<size_t>(job.shard); c < clips.size(); c += static_cast<size_t>(job.shards)) {
    const bool unseen = clips[c].parts.find(static_cast<char>(Part::kUnseen)) != std::string::npos;
    if (!fs::exists(job.folder / "clips" / clip_name(c) / "clip.json"))
      work.clips.push_back(c), work.frames += clips[c].frames;
    const fs::path drift = job.folder / "chaos" / clip_name(c);
    if (unseen && c + kChaosClips >= clips.size() &&
        !(fs::exists(drift.string() + ".json") && fs::exists(drift.string() + ".npy")))
      work.chaos.push_back(c), work.frames += clips[c].frames;
  }
  return work;
}

// Passes progress on to the job from several threads.
class ProgressReport {
 public:
  ProgressReport(const Job& job, const RemainingWork& work) : job_(job), clips_(work.clips.size()) {
    progress_.frames = work.frames;
  }
  void frame_done() {
    const std::lock_guard lock(mutex_);
    ++progress_.frames_done;
    if (job_.report) job_.report(progress_);
  }
  void clip_done(const ClipResult& result) {
    const std::lock_guard lock(mutex_);
    Progress with_note = progress_;
    with_note.note = std::to_string(++clips_done_) + " of " + std::to_string(clips_) +
                     " clips: " + result.name + (result.usable ? " " : " rejected, ") + in_words(result);
    if (job_.report) job_.report(with_note);
  }

 private:
  const Job& job_;
  std::mutex mutex_;
  Progress progress_;
  size_t clips_, clips_done_ = 0;
};

// Inputs of simulate_clips().
struct Work {
  const Job& job;
  const garment::Garment& garment;
  const OwnedCharacterBody& character;
  const std::vector<PlannedClip>& clips;
  const RemainingWork& remaining;
};

void simulate_clips(const Work& work, const BackendFactory& backend, ProgressReport& report) {
  const std::vector<size_t>&pending = work.remaining.clips, &chaos = work.remaining.chaos;
  const auto frame_done = [&] { report.frame_done(); };
  const auto threads = static_cast<size_t>(std::max(1, work.job.threads));
  const auto folder_of = [&](size_t c) { return work.job.folder / "clips" / clip_name(c); };
  const auto begin_clip = [&](size_t c) {
    const fs::path part_folder = folder_of(c).string() + ".part";
    fs::remove_all(part_folder);
    fs::create_directories(part_folder);
    return part_folder;
  };
  const auto end_clip = [&](size_t c) {
    fs::rename(folder_of(c).string() + ".part", folder_of(c));
    report.clip_done(result_of(work.job, work.garment.size(), work.clips[c], c));
  };
  const auto end_drift = [&](size_t c, const std::string& text) {
    files::write_whole_file(work.job.folder / "chaos" / (clip_name(c) + ".json"), text);
  };
  if (backend) {
    const auto task = [&](const std::vector<size_t>& indices) {
      BatchTask t;
      for (const size_t c : indices) t.clips.push_back(&work.clips[c]);
      t.frame_done = frame_done;
      return t;
    };
    BatchTask make = task(pending), again = task(chaos);
    make.begin = [&](size_t i) { return begin_clip(pending[i]); };
    make.end = [&](size_t i) { end_clip(pending[i]); };
    make_in_batches(work.garment, work.character, make, backend, threads);
    again.begin = [&](size_t i) { return folder_of(chaos[i]); };
    drift_in_batches(work.garment, work.character, again, backend, threads,
                     [&](size_t i, const std::string& text) { end_drift(chaos[i], text); });
  } else {
    for_each_in_parallel(
        pending.size(),
        [&](size_t i) {
          ClipMaker(work.garment, work.character, work.clips[pending[i]])
              .make(begin_clip(pending[i]), frame_done);
          end_clip(pending[i]);
        },
        threads);
    for_each_in_parallel(
        chaos.size(),
        [&](size_t i) {
          ClipMaker maker(work.garment, work.character, work.clips[chaos[i]]);
          end_drift(chaos[i], maker.drift(folder_of(chaos[i]), frame_done));
        },
        threads);
  }
}

garment::Garment built_in_garment(const Job& job) {
  const body::Person person = body::make_person(body::person_preset(job.request.preset));
  return garment::make_garment(job.request.garment, person, job.skin ? *job.skin : body::make_skin(person),
                               job.request.vertices);
}

}  // namespace

std::vector<ClipResult> simulate(const Job& job) {
  if (job.shards < 1 || job.shard < 0 || job.shard >= job.shards)
    throw std::invalid_argument("data set: expected a shard from 0 to " + std::to_string(job.shards - 1) +
                                ", found " + std::to_string(job.shard));
  const std::vector<PlannedClip> clips = plan(job.request);
  const OwnedCharacterBody character =
      job.own_character ? *job.own_character : person_as_character_body(job.request.preset);
  garment::Garment garment = job.own_garment ? *job.own_garment : built_in_garment(job);
  if (job.request.contacts) garment.contacts = *job.request.contacts;
  const BackendFactory backend =
      backend_for(job.device, garment, character, static_cast<size_t>(std::max(1, job.threads)));
  claim_folder(job.folder, head_of(job, garment, character, clips));
  drape(garment, job, character);

  const RemainingWork remaining = remaining_work(job, clips);
  ProgressReport report(job, remaining);
  simulate_clips({job, garment, character, clips, remaining}, backend, report);
  if (job.shards == 1)
    write_manifest(job.folder, files::read_whole_file(job.folder / "head.json"), clips.size());
  std::vector<ClipResult> results;
  for (size_t c = static_cast<size_t>(job.shard); c < clips.size(); c += static_cast<size_t>(job.shards))
    results.push_back(result_of(job, garment.size(), clips[c], c));
  return results;
}

}  // namespace billow::dataset
