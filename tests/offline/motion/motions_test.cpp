// The procedural motions: within human limits, deterministic by seed, and true to their kind.
#include "motion/motions.h"

#include <gtest/gtest.h>

#include <cmath>

#include "motion/measure.h"
#include "motion/rotation.h"

namespace billow::motion::motions_test {
namespace {

const body::Person& person() {
  static const body::Person average = body::make_person();
  return average;
}

bool same(const body::Pose& a, const body::Pose& b) {
  bool equal = a.root_position.x == b.root_position.x && a.root_position.y == b.root_position.y &&
               a.root_position.z == b.root_position.z;
  for (size_t j = 0; j < a.rotations.size(); ++j)
    equal &= a.rotations[j].x == b.rotations[j].x && a.rotations[j].w == b.rotations[j].w &&
             a.rotations[j].y == b.rotations[j].y && a.rotations[j].z == b.rotations[j].z;
  return equal;
}

// Checks the limits of every clip, at 120 frames per second.
void check_human(const body::Person& body, const Clip& clip) {
  const MotionMeasures f = measure(body, clip);
  const HumanLimits limits;
  EXPECT_GE(f.limit_margin, -0.5 * kDegree) << f.limit_angle << " at " << f.limit_seconds;
  const auto below = [](const char* what, const Peak& peak, double limit) {
    EXPECT_LE(peak.value, limit) << what << ": " << peak.where << " at " << peak.seconds;
  };
  below("joint speed", f.joint_speed, limits.joint_speed);
  below("joint acceleration", f.joint_acceleration, limits.joint_acceleration);
  below("pelvis speed", f.pelvis_speed, limits.pelvis_speed);
  below("pelvis acceleration", f.pelvis_acceleration, limits.pelvis_acceleration);
  below("hand speed", f.hand_speed, limits.hand_speed);
  below("hand acceleration", f.hand_acceleration, limits.hand_acceleration);
  below("foot speed", f.foot_speed, limits.foot_speed);
  below("foot acceleration", f.foot_acceleration, limits.foot_acceleration);
  below("slide", f.slide, 0.016);
  below("ground penetration", f.ground_penetration, 0.002);
  below("floating", f.floating, 0.012);
  below("self-penetration", f.self_penetration, 0.022);
}

class Motion : public ::testing::TestWithParam<std::string> {};

TEST_P(Motion, IsHuman) {
  for (const uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE(seed);
    check_human(person(), make_motion(person(), {GetParam(), seed, 10, 120, 0}));
  }
}

TEST_P(Motion, IsSeeded) {
  const MotionRequest request{GetParam(), 11, 6, 30, 0};
  const Clip one = make_motion(person(), request), again = make_motion(person(), request);
  MotionRequest next = request;
  next.seed = 12;
  const Clip other = make_motion(person(), next);
  ASSERT_EQ(one.frames.size(), 180u);
  ASSERT_EQ(other.frames.size(), 180u);
  EXPECT_EQ(one.name, GetParam());
  validate(person().skeleton, one);
  size_t different = 0;
  for (size_t k = 0; k < one.frames.size(); ++k) {
    ASSERT_TRUE(same(one.frames[k], again.frames[k])) << k;
    different += !same(one.frames[k], other.frames[k]);
  }
  EXPECT_GT(different, 150u);
}

TEST_P(Motion, DoesNotDependOnTheFrameRate) {
  const Clip coarse = make_motion(person(), {GetParam(), 4, 4, 30, 0}),
             fine = make_motion(person(), {GetParam(), 4, 4, 120, 0});
  for (size_t k = 0; k < coarse.frames.size(); ++k) {
    const body::Pose &a = coarse.frames[k], &b = fine.frames[4 * k];
    EXPECT_LT(length(a.root_position - b.root_position), 1e-4f) << k;
    for (size_t j = 0; j < a.rotations.size(); ++j)
      ASSERT_GT(std::fabs(dot(a.rotations[j], b.rotations[j])), 0.99999f) << k << ' ' << j;
  }
}

std::vector<std::string> kinds() {
  std::vector<std::string> out;
  for (const MotionKind& kind : motion_kinds()) out.push_back(kind.name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Kinds, Motion, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param; });

// More seeds, and other body shapes.
class MotionSlow : public ::testing::TestWithParam<std::string> {};

TEST_P(MotionSlow, IsHumanForEveryone) {
  for (const char* preset : {"slim", "average", "heavy"})
    for (const uint32_t seed : {21u, 22u, 23u, 24u}) {
      SCOPED_TRACE(std::string(preset) + " " + std::to_string(seed));
      const body::Person who = body::make_person(body::person_preset(preset));
      check_human(who, make_motion(who, {GetParam(), seed, 15, 120, 0}));
    }
  for (const float height : {1.5f, 1.95f}) {
    SCOPED_TRACE(height);
    const body::Person who = body::make_person({height, 0});
    check_human(who, make_motion(who, {GetParam(), 25, 15, 120, 0}));
  }
}
INSTANTIATE_TEST_SUITE_P(Kinds, MotionSlow, ::testing::ValuesIn(kinds()),
                         [](const auto& kind) { return kind.param; });

TEST(Motions, RefuseInvalidRequests) {
  const auto make = [](const MotionRequest& request) { make_motion(person(), request); };
  EXPECT_THROW(make({"fly", 1, 1, 30, 0}), std::invalid_argument);
  EXPECT_THROW(make({"walk", 1, -1, 30, 0}), std::invalid_argument);
  EXPECT_THROW(make({"walk", 1, std::nan(""), 30, 0}), std::invalid_argument);
  EXPECT_THROW(make({"walk", 1, 1, 0, 0}), std::invalid_argument);
  EXPECT_THROW(make({"walk", 1, 1, 30, 5}), std::invalid_argument);
  EXPECT_THROW(make({"dance", 1, 1, 30, 1}), std::invalid_argument);
  EXPECT_THROW(motion_mix("hat"), std::invalid_argument);
  EXPECT_THROW(make_sequence(person(), 1, 10, 30, {}), std::invalid_argument);
  EXPECT_THROW(make_sequence(person(), 1, 10, 30, {{"sequence", 1}}), std::invalid_argument);
  EXPECT_THROW(varied_motions(1, 10, 30, {{"walk", 0}}), std::invalid_argument);
  try {
    make({"fly", 1, 1, 30, 0});
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("pirouette"), std::string::npos) << e.what();
  }
}

TEST(Motions, HaveTheRequestedSpeed) {
  for (const auto& [kind, speed] : {std::pair{"walk", 1.0}, {"walk", 1.6}, {"run", 2.6}, {"run", 4.5}}) {
    const Clip clip = make_motion(person(), {kind, 5, 10, 30, speed});
    double distance = 0;
    for (size_t k = 120; k + 1 < clip.frames.size(); ++k) {
      const V3 step = clip.frames[k + 1].root_position - clip.frames[k].root_position;
      distance += std::hypot(static_cast<double>(step.x), static_cast<double>(step.z));
    }
    const double mean = distance * 30 / static_cast<double>(clip.frames.size() - 121);
    EXPECT_NEAR(mean, speed, 0.12 * speed) << kind;
  }
}

// Heights of the ankles above that of a flat foot, and of the pelvis.
struct Heights {
  double left, right, pelvis;
};
std::vector<Heights> heights_of(const Clip& clip) {
  const size_t left = static_cast<size_t>(person().skeleton.at("left_foot")),
               right = static_cast<size_t>(person().skeleton.at("right_foot"));
  std::vector<Heights> out;
  for (const body::Pose& pose : clip.frames) {
    const std::vector<Transform> joints = body::joint_transforms(person().skeleton, pose);
    out.push_back({static_cast<double>(joints[left].position.y) - 0.068,
                   static_cast<double>(joints[right].position.y) - 0.068,
                   static_cast<double>(pose.root_position.y)});
  }
  return out;
}

TEST(Motions, JumpersFallFreely) {
  const Clip clip = make_motion(person(), {"jump", 6, 12, 120, 0});
  const std::vector<Heights> h = heights_of(clip);
  size_t flying = 0;
  for (size_t k = 2; k + 2 < h.size(); ++k) {
    // Skip frames in which toes can still touch.
    if (std::min({h[k - 2].left, h[k - 2].right, h[k + 2].left, h[k + 2].right}) < 0.16) continue;
    const double fall = (h[k - 1].pelvis + h[k + 1].pelvis - 2 * h[k].pelvis) * 120 * 120;
    EXPECT_NEAR(fall, -kGravity, 0.06) << k;  // positions are single precision
    ++flying;
  }
  EXPECT_GT(flying, 60u);
}

TEST(Motions, RunnersFlyAndWalkersDoNot) {
  const auto share_up = [](const Clip& clip) {
    size_t up = 0;
    const std::vector<Heights> h = heights_of(clip);
    // Ankles of toes that touch are less than 14 cm above those of flat feet.
    for (size_t k = 400; k < h.size(); ++k) up += h[k].left > 0.02 && h[k].right > 0.02;
    return static_cast<double>(up) / static_cast<double>(h.size() - 400);
  };
  const double walking = share_up(make_motion(person(), {"walk", 3, 8, 120, 1.4})),
               running = share_up(make_motion(person(), {"run", 3, 8, 120, 4}));
  EXPECT_LT(walking, 0.45);
  EXPECT_GT(running, 0.6);
}

TEST(Motions, PirouettesAndSpinsTurn) {
  const auto turns = [](const char* kind) {
    const Clip clip = make_motion(person(), {kind, 2, 8, 120, 0});
    double total = 0, fastest = 0;
    for (size_t k = 12; k < clip.frames.size(); ++k) {
      const auto heading = [&](size_t frame) {
        const V3 z = rotate(clip.frames[frame].rotations[0], V3{0, 0, 1});
        return std::atan2(static_cast<double>(z.x), static_cast<double>(z.z));
      };
      total += std::fabs(std::remainder(heading(k) - heading(k - 1), 2 * kPi)) / (2 * kPi);
      fastest = std::max(fastest,
                         std::fabs(std::remainder(heading(k) - heading(k - 12), 2 * kPi)) / (2 * kPi) * 10);
    }
    return std::pair{total, fastest};
  };
  EXPECT_GT(turns("pirouette").first, 2);
  EXPECT_GT(turns("pirouette").second, 1.0);  // turns a second
  EXPECT_LT(turns("pirouette").second, 2.2);
  EXPECT_GT(turns("spin").first, 1.5);
  EXPECT_LT(turns("spin").second, 0.8);
}

}  // namespace
}  // namespace billow::motion::motions_test
