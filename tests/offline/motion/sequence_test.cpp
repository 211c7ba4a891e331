// Long clips: no duplicate frames, transitions between motions; data sets have the requested size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "motion/measure.h"
#include "motion/motions.h"
#include "motion/rotation.h"

namespace billow::motion::sequence_test {
namespace {

const body::Person& person() {
  static const body::Person average = body::make_person();
  return average;
}

// Joint positions relative to the pelvis, rotated to face +z: equal for poses that look the same.
using Shape = std::vector<V3>;
std::vector<Shape> shapes_of(const Clip& clip) {
  std::vector<Shape> out;
  for (const body::Pose& pose : clip.frames) {
    const std::vector<Transform> joints = body::joint_transforms(person().skeleton, pose);
    const V3 z = rotate(pose.rotations[0], V3{0, 0, 1});
    const Quat back = body::rotation_about({0, 1, 0}, -std::atan2(z.x, z.z));
    Shape shape;
    for (const Transform& joint : joints) shape.push_back(rotate(back, joint.position - pose.root_position));
    shape.push_back({0, pose.root_position.y, 0});
    out.push_back(shape);
  }
  return out;
}
// Largest joint distance between two shapes; stops early above `limit` (squared).
float distance(const Shape& a, const Shape& b, float limit = 1e30f) {
  float squared = 0;
  for (size_t j = 0; j < a.size() && squared < limit; ++j) {
    const V3 d = a[j] - b[j];
    squared = std::max(squared, dot(d, d));
  }
  return std::sqrt(squared);
}

TEST(MotionSequence, FiveThousandFramesHaveNoDuplicates) {
  std::vector<SequencePart> parts;
  const Clip clip = make_sequence(person(), 3, 5000, 30, motion_mix("all"), &parts);
  ASSERT_EQ(clip.frames.size(), 5000u);
  validate(person().skeleton, clip);
  // All kinds of motion occur.
  std::set<std::string> kinds;
  for (const SequencePart& part : parts) kinds.insert(part.kind);
  EXPECT_EQ(kinds.size(), motion_kinds().size() - 1);
  EXPECT_GE(parts.size(), 20u);
  // Sort by one coordinate, so that only neighbours in it have to be compared.
  std::vector<Shape> shapes = shapes_of(clip);
  const size_t hand = static_cast<size_t>(person().skeleton.at("left_hand"));
  std::sort(shapes.begin(), shapes.end(),
            [&](const Shape& a, const Shape& b) { return a[hand].y < b[hand].y; });
  constexpr float kSame = 0.0001f;  // m
  size_t duplicates = 0;
  for (size_t i = 0; i < shapes.size(); ++i)
    for (size_t j = i + 1; j < shapes.size() && shapes[j][hand].y - shapes[i][hand].y < kSame; ++j)
      duplicates += distance(shapes[i], shapes[j], kSame * kSame) < kSame;
  EXPECT_EQ(duplicates, 0u);
}

TEST(MotionSequence, StaysNearTheOrigin) {
  const Clip clip = make_sequence(person(), 5, 5000, 30, motion_mix("cape"));
  for (const body::Pose& pose : clip.frames)
    ASSERT_LT(std::hypot(pose.root_position.x, pose.root_position.z), 40.0f);
}

// Any two one-second windows of a dance, at least a second apart, differ by more than a centimetre: the mean
// over their frames of the largest joint distance.
TEST(MotionSequence, DancesDoNotRepeat) {
  for (const uint32_t seed : {1u, 2u}) {
    const Clip clip = make_motion(person(), {"dance", seed, 40, 15, 0});
    const std::vector<Shape> shapes = shapes_of(clip);
    constexpr size_t kSecond = 15;
    double smallest = 1e30;
    for (size_t lag = kSecond; lag + kSecond < shapes.size(); ++lag) {
      std::vector<double> apart;
      for (size_t k = 0; k + lag < shapes.size(); ++k)
        apart.push_back(static_cast<double>(distance(shapes[k], shapes[k + lag])));
      double sum = 0;
      for (size_t k = 0; k < apart.size(); ++k) {
        sum += apart[k] - (k >= kSecond ? apart[k - kSecond] : 0);
        if (k + 1 >= kSecond) smallest = std::min(smallest, sum / kSecond);
      }
    }
    EXPECT_GT(smallest, 0.01) << seed;
    RecordProperty("nearest_seconds_m_" + std::to_string(seed), std::to_string(smallest));
  }
}

TEST(MotionSequence, DancesHaveKicksLungesHipTurnsAndPirouettes) {
  const Clip clip = make_motion(person(), {"dance", 1, 40, 60, 0});
  const auto at = [&](const char* joint) { return static_cast<size_t>(person().skeleton.at(joint)); };
  float kick = 0, low = 9, apart = 0, hips = 0;
  double turned = 0, fastest = 0;
  for (size_t k = 30; k < clip.frames.size(); ++k) {
    const std::vector<Transform> j = body::joint_transforms(person().skeleton, clip.frames[k]);
    kick = std::max({kick, j[at("left_foot")].position.y, j[at("right_foot")].position.y});
    low = std::min(low, j[0].position.y);
    apart = std::max(apart, length(j[at("left_foot")].position - j[at("right_foot")].position));
    const auto heading = [](const Transform& t) {
      const V3 x = rotate(t.rotation, V3{1, 0, 0});
      return std::atan2(-x.z, x.x);
    };
    hips = std::max(hips, std::fabs(std::remainder(heading(j[at("chest")]) - heading(j[0]), 6.2831853f)));
    const std::vector<Transform> before = body::joint_transforms(person().skeleton, clip.frames[k - 1]);
    const double turn =
        static_cast<double>(std::remainder(heading(j[0]) - heading(before[0]), 6.2831853f)) * 60;
    turned += std::fabs(turn) / 60;
    fastest = std::max(fastest, std::fabs(turn));
  }
  EXPECT_GT(kick, 0.45f);
  EXPECT_LT(low, 0.80f);
  EXPECT_GT(apart, 0.55f);
  EXPECT_GT(hips, 0.35f);
  EXPECT_GT(fastest, 6.0);  // rad/s
  EXPECT_GT(turned, 6.2);
}

TEST(MotionSequence, DataSetsHaveTheRequestedSize) {
  for (const char* garment : {"cape", "skirt"}) {
    const std::vector<MotionRequest> requests = varied_motions(9, 5000, 30, motion_mix(garment));
    EXPECT_GE(requests.size(), 47u);
    EXPECT_LE(requests.size(), 84u);
    size_t frames = 0;
    std::set<uint32_t> seeds;
    for (const MotionRequest& request : requests) {
      frames += static_cast<size_t>(std::lround(request.seconds * request.frames_per_second));
      seeds.insert(request.seed);
    }
    EXPECT_EQ(frames, 5000u);
    EXPECT_EQ(seeds.size(), requests.size());
    EXPECT_EQ(make_motion(person(), requests.back()).frames.size(),
              static_cast<size_t>(std::lround(requests.back().seconds * 30)));
  }
}

}  // namespace
}  // namespace billow::motion::sequence_test
