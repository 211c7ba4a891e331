#include "character/batch_agreement.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "body/postures.h"
#include "character/clothed_batch.h"
#include "motion/motions.h"

namespace billow::character {
namespace {

constexpr double kAgreementRate = 30;  // frames per second

// Poses of a clip. The first is where it starts.
std::vector<std::vector<Transform>> poses_of_clip(const garment::Garment& g, const body::Person& person,
                                                  size_t clip, size_t frames) {
  const motion::Clip made = motion::make_sequence(person, static_cast<uint32_t>(clip + 1), frames + 1,
                                                  kAgreementRate, motion::motion_mix(g.name));
  std::vector<std::vector<Transform>> out;
  for (size_t f = 0; f <= frames; ++f) out.push_back(body::joint_transforms(person.skeleton, made.frames[f]));
  return out;
}

ClothedBatch::Start start_of_clip(const garment::Garment& g, const body::Person& person,
                                  const std::vector<Transform>& joints) {
  const Transform root_motion = joints[0] * inverse(body::rest_transforms(person.skeleton)[0]);
  ClothedBatch::Start out{{}, joints};
  for (const V3& p : g.shape) out.vertices.push_back(apply(root_motion, p));
  return out;
}

class AgreementSum {
 public:
  void add(std::span<const V3> one, std::span<const V3> other) {
    for (size_t v = 0; v < one.size(); ++v) {
      const V3 d = one[v] - other[v];
      const auto distance = static_cast<double>(length(d));
      // Written so that a vertex that is not finite counts.
      if (!(distance <= largest_)) largest_ = distance;
      sum_ += distance * distance;
      equal_ += d.x == 0 && d.y == 0 && d.z == 0 ? 1 : 0;
      ++count_;
    }
  }
  BatchAgreement result() const { return {largest_, std::sqrt(sum_ / count_), equal_ / count_}; }

 private:
  double largest_ = 0, sum_ = 0, equal_ = 0, count_ = 0;
};

}  // namespace

BatchAgreement compare_with_reference(const garment::Garment& g, const body::Person& person, size_t clips,
                                      size_t frames, std::unique_ptr<cloth::Backend> backend) {
  constexpr auto kStep = static_cast<float>(1 / kAgreementRate);
  std::vector<std::vector<std::vector<Transform>>> poses;
  std::vector<ClothedBatch::Start> starts;
  std::vector<std::unique_ptr<ClothedCharacter>> references;
  for (size_t c = 0; c < clips; ++c) {
    poses.push_back(poses_of_clip(g, person, c, frames - (c + 1 == clips ? 1 : 0)));
    starts.push_back(start_of_clip(g, person, poses[c][0]));
    references.push_back(std::make_unique<ClothedCharacter>(g, character_body(person), starts[c].vertices,
                                                            poses[c][0], cloth::Settings{}, 1));
  }
  ClothedBatch batch(g, character_body(person), starts, {}, std::move(backend));
  AgreementSum sum;
  for (size_t f = 1; f <= frames; ++f) {
    for (size_t c = 0; c < clips; ++c) {
      if (f >= poses[c].size()) continue;
      batch.prepare(c, kStep, poses[c][f]);
    }
    batch.start();
    for (size_t c = 0; c < clips; ++c)
      if (f < poses[c].size()) references[c]->step(kStep, poses[c][f]);
    batch.finish();
    for (size_t c = 0; c < clips; ++c) sum.add(references[c]->vertices(), batch.vertices(c));
  }
  return sum.result();
}

}  // namespace billow::character
