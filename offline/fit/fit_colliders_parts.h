// A skin cut into parts that one collider each can stand for.
#pragma once

#include <billow/billow.h>

#include <span>
#include <vector>

#include "fit/fit_colliders_samples.h"

namespace billow::fit {

// Everything that does not change while colliders are fitted.
struct FitSubject {
  FitSubject(const body::Skeleton& of_skeleton, const body::Skin& of_skin,
             std::span<const body::Pose> in_poses, size_t sample_count, bool with_boxes);

  const body::Skeleton& skeleton;
  const body::Skin& skin;
  SkinSamples samples;
  std::vector<PosedSkin> poses;  // the first is the rest pose
  std::vector<uint32_t> mirror;  // of each joint
  mutable InsideSkin inside;     // at rest
  bool boxes;                    // whether boxes may stand for parts
};

struct SkinPart {
  std::vector<uint32_t> joints;  // whose skin it is, the one with the most first
  std::vector<uint32_t> samples;
  // The best collider of each kind: capsule, ellipsoid, box.
  struct Candidate {
    billow_collider collider;
    double cost;    // m2: squares of distances, over the samples' shares of the skin
    double judged;  // the same with a handicap for what is less welcome
  };
  std::vector<Candidate> candidates;
  size_t chosen = 0;

  const billow_collider& collider() const { return candidates[chosen].collider; }
  double cost() const { return candidates[chosen].cost; }
};

// Fits a single collider to samples, and chooses the kind that comes nearest.
void fit_part(const FitSubject& subject, SkinPart& part);
// Gives two parts that mirror each other the same kind.
void choose_together(SkinPart& a, SkinPart& b);

// Parts of the skin that move mostly with one joint and hang together, not fitted yet. Those with little
// skin, such as fingers and rivets, are part of what they touch.
std::vector<SkinPart> pieces_of(const FitSubject& subject);
// The part on the other side of each: its own number for one in the middle, SIZE_MAX where there is none.
std::vector<size_t> mirrored_parts(const FitSubject& subject, std::span<const SkinPart> parts);

// Parts to fit single colliders to: pieces of the skin, of which those that fit badly are cut; then
// neighbours are put together while that costs less than `worth` (m2, as SkinPart::cost) each, or there are
// more than `most`. What is done on one side is done on the other.
struct PartsFound {
  std::vector<SkinPart> parts;
  std::vector<size_t> mirror;  // as of mirrored_parts
};
PartsFound find_parts(const FitSubject& subject, size_t most, double worth);

// Halves of a part, cut across one of its main axes: the one where the two colliders fit best, or the one
// given.
struct Halves {
  SkinPart parts[2];
  int axis = -1;  // -1: there is too little to cut
};
Halves halves_of(const FitSubject& subject, const std::vector<uint32_t>& samples, int axis = -1);

// How many samples of each group are near the other, in all poses: [a * groups + b].
std::vector<size_t> contacts_between(const FitSubject& subject,
                                     std::span<const std::vector<uint32_t>> groups);

}  // namespace billow::fit
