#include "dataset/simulate_batch.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "body/postures.h"
#include "character/clothed_batch.h"
#include "character/rope_chains.h"
#include "dataset/clip_writer.h"
#include "dataset/drift.h"
#include "parallel.h"

namespace billow::dataset {
namespace {

// Poses of a clip: its lead-in, of which the first is where it starts, then its frames.
class PosesOfClip {
 public:
  PosesOfClip(const OwnedCharacterBody& character, const PlannedClip& planned)
      : character_(character), clip_(planned.make(character)), lead_in_(lead_in(character.skeleton, clip_)) {
    count_ = lead_in_.size() + planned.frames;
  }
  size_t count() const { return count_; }
  float frames_per_second() const { return clip_.frames_per_second; }
  std::vector<Transform> at(size_t i) const {
    return i < lead_in_.size()
               ? lead_in_[i]
               : body::joint_transforms(character_.skeleton, clip_.frames[i - lead_in_.size()]);
  }
  // Frame of the clip, or none within the lead-in.
  std::optional<size_t> frame(size_t i) const {
    return i < lead_in_.size() ? std::nullopt : std::optional(i - lead_in_.size());
  }

 private:
  const OwnedCharacterBody& character_;
  motion::Clip clip_;
  std::vector<std::vector<Transform>> lead_in_;
  size_t count_ = 0;
};

// What happens to a clip besides its cloth.
class ClipConsumer {
 public:
  virtual ~ClipConsumer() = default;
  // A pose of the body and the cloth on it; `frame` is none within the lead-in.
  virtual void add(std::optional<size_t> frame, std::span<const Transform> pose,
                   std::span<const V3> cloth) = 0;
  virtual void finish() = 0;
};
using MakeConsumer = std::function<std::unique_ptr<ClipConsumer>(size_t clip, const PosesOfClip& poses,
                                                                 const cloth::Sheet& sheet)>;

struct ClipInBatch {
  std::optional<PosesOfClip> poses;
  std::vector<Transform> pose, next;
  std::unique_ptr<ClipConsumer> consumer;
};

// Simulates clips `first` to `last` of a task at the same time.
class BatchRun {
 public:
  BatchRun(const garment::Garment& garment, const OwnedCharacterBody& character, const BatchTask& task,
           size_t first, size_t last, size_t threads)
      : garment_(garment),
        character_(character),
        task_(task),
        first_(first),
        clips_(last - first),
        threads_(threads) {}

  void run(const cloth::Settings& settings, std::unique_ptr<cloth::Backend> backend,
           const MakeConsumer& make_consumer) {
    std::vector<character::ClothedBatch::Start> starts(clips_.size());
    each([&](size_t c) {
      clips_[c].poses.emplace(character_, *task_.clips[first_ + c]);
      starts[c].joints = clips_[c].poses->at(0);
      starts[c].vertices = drape_at(garment_, character_.skeleton, starts[c].joints);
    });
    character::ClothedBatch batch(garment_, character_, starts, settings, std::move(backend));
    each([&](size_t c) { clips_[c].consumer = make_consumer(first_ + c, *clips_[c].poses, batch.sheet()); });
    size_t longest = 0;
    for (const ClipInBatch& clip : clips_) longest = std::max(longest, clip.poses->count());
    for (size_t i = 1; i <= longest; ++i) {
      each([&](size_t c) { prepare(batch, c, i); });
      batch.start();
      // Meanwhile, the frame before.
      each([&](size_t c) { consume(batch, c, i - 1); });
      batch.finish();
    }
  }

 private:
  template <class F> void each(F f) const { for_each_in_parallel(clips_.size(), f, threads_); }

  void prepare(character::ClothedBatch& batch, size_t c, size_t i) {
    ClipInBatch& clip = clips_[c];
    clip.pose = std::move(clip.next);
    clip.next.clear();
    if (i >= clip.poses->count()) return;
    clip.next = clip.poses->at(i);
    batch.prepare(c, 1 / clip.poses->frames_per_second(), clip.next);
  }

  void consume(const character::ClothedBatch& batch, size_t c, size_t i) {
    ClipInBatch& clip = clips_[c];
    if (i == 0 || i >= clip.poses->count()) return;
    const std::optional<size_t> frame = clip.poses->frame(i);
    clip.consumer->add(frame, clip.pose, batch.vertices(c));
    if (frame) task_.frame_done();
    if (i + 1 < clip.poses->count()) return;
    clip.consumer->finish();
    clip.consumer.reset();
    if (task_.end) task_.end(first_ + c);
  }

  const garment::Garment& garment_;
  const OwnedCharacterBody& character_;
  const BatchTask& task_;
  size_t first_;
  std::vector<ClipInBatch> clips_;
  size_t threads_;
};

void run_in_batches(const garment::Garment& garment, const OwnedCharacterBody& character,
                    const BatchTask& task, const cloth::Settings& settings,
                    const BackendFactory& make_backend, size_t threads, const MakeConsumer& make_consumer) {
  for (size_t first = 0; first < task.clips.size();) {
    std::unique_ptr<cloth::Backend> backend = make_backend();
    const size_t last = std::min(task.clips.size(), first + std::max<size_t>(1, backend->clips_at_once()));
    BatchRun(garment, character, task, first, last, threads).run(settings, std::move(backend), make_consumer);
    first = last;
  }
}

// Steps the rope chains and writes both.
class WritingConsumer : public ClipConsumer {
 public:
  WritingConsumer(const std::filesystem::path& folder, const PlannedClip& planned,
                  const garment::Garment& garment, const garment::ChainCloth& chain_cloth,
                  const OwnedCharacterBody& character, const PosesOfClip& poses, const cloth::Sheet& sheet)
      : ropes_(garment, chain_cloth, character, poses.at(0), character::rope_settings(garment)),
        surface_(character.skeleton, character.colliders, garment.contacts.rigid_groups()),
        writer_(folder, {planned.name, planned.parts, ""}, garment, sheet, character.skeleton.size()),
        dt_(1 / poses.frames_per_second()) {}

  void add(std::optional<size_t> frame, std::span<const Transform> pose, std::span<const V3> cloth) override {
    ropes_.step(dt_, pose);
    if (!frame) return;
    surface_.pose(pose);
    writer_.add(cloth, ropes_.bones(), pose, surface_);
  }
  void finish() override { writer_.finish(); }

 private:
  character::RopeChains ropes_;
  body::Surface surface_;
  ClipWriter writer_;
  float dt_;
};

class DriftConsumer : public ClipConsumer {
 public:
  DriftConsumer(DriftSum sum, std::function<void(DriftSum&)> found)
      : sum_(std::move(sum)), found_(std::move(found)) {}
  void add(std::optional<size_t> frame, std::span<const Transform>, std::span<const V3> cloth) override {
    if (frame) sum_.add(*frame, cloth);
  }
  void finish() override { found_(sum_); }

 private:
  DriftSum sum_;
  std::function<void(DriftSum&)> found_;
};

}  // namespace

Device device_named(const std::string& name) {
  if (name == "cpu") return Device::kCpu;
  if (name == "cuda") return Device::kCuda;
  if (name == "auto") return Device::kAuto;
  throw std::invalid_argument("device: expected cpu, cuda or auto, found '" + name + "'");
}

BackendFactory backend_for(Device device, const garment::Garment& garment,
                           const OwnedCharacterBody& character, size_t threads) {
  if (device == Device::kCpu) return {};
  if (device == Device::kLoops) return [threads] { return cloth::make_loop_backend(threads); };
  std::string why = cloth::why_no_cuda();
  if (why.empty())
    why = cloth::why_not_in_batch(character::sheet_of(garment),
                                  body::Surface(character.skeleton, character.colliders));
  if (why.empty()) return cloth::make_cuda_backend;
  if (device == Device::kAuto) return {};
  throw std::runtime_error("cuda: " + why);
}

void make_in_batches(const garment::Garment& garment, const OwnedCharacterBody& character,
                     const BatchTask& task, const BackendFactory& backend, size_t threads) {
  const garment::ChainCloth chain_cloth = garment::chain_cloth(garment);
  run_in_batches(garment, character, task, {}, backend, threads,
                 [&](size_t i, const PosesOfClip& poses, const cloth::Sheet& sheet) {
                   return std::make_unique<WritingConsumer>(task.begin(i), *task.clips[i], garment,
                                                            chain_cloth, character, poses, sheet);
                 });
}

void drift_in_batches(const garment::Garment& garment, const OwnedCharacterBody& character,
                      const BatchTask& task, const BackendFactory& backend, size_t threads,
                      const std::function<void(size_t, const std::string&)>& found) {
  cloth::Settings settings;
  settings.air_density *= kChaosAirDensity;
  run_in_batches(garment, character, task, settings, backend, threads,
                 [&](size_t i, const PosesOfClip& poses, const cloth::Sheet&) {
                   return std::make_unique<DriftConsumer>(
                       DriftSum(task.begin(i), garment, task.clips[i]->frames, poses.frames_per_second()),
                       [&task, &found, i](DriftSum& sum) { found(i, sum.finish(task.clips[i]->name)); });
                 });
}

}  // namespace billow::dataset
