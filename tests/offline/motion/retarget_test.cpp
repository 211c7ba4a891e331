// Retargeting: limbs keep their directions, feet stay on the ground, joints stay within their ranges.
#include "motion/retarget.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../import/files.h"
#include "body/person.h"
#include "body/postures.h"
#include "import/character.h"
#include "motion/actor.h"

namespace billow::motion {
namespace {

constexpr float kDegrees = 57.29578f;

float angle(V3 a, V3 b) {
  return std::acos(std::clamp(dot(unit_or_zero(a), unit_or_zero(b)), -1.0f, 1.0f)) * kDegrees;
}
float angle(Quat a, Quat b) { return 2 * std::acos(std::min(1.0f, std::fabs(dot(a, b)))) * kDegrees; }

// Sample poses that travel along x with feet on the ground, slow enough not to count as jumps.
Clip walk_of(const body::Person& person) {
  Clip clip{"poses", 1, {}, false};
  for (const body::NamedPose& p : body::sample_poses(person)) {
    clip.frames.push_back(p.pose);
    clip.frames.back().root_position.x += 0.1f * static_cast<float>(clip.frames.size());
  }
  return clip;
}

// The person with other joint names, size and facing direction, in a T-pose, with rotated joints at rest and
// a spine of two joints.
Skeleton other_person(const Skeleton& person, float size, float heading) {
  Pose t_pose = body::rest_pose(person);
  for (const auto& [side, sign] : {std::pair{"left_", 1.0f}, {"right_", -1.0f}})
    t_pose.rotations[index_of(person.at(side + std::string("upper_arm")))] =
        body::rotation_about({0, 0, 1}, sign * 0.78539816f);
  t_pose.rotations[0] = body::rotation_about({0, 1, 0}, heading);
  const std::vector<Transform> joints = body::joint_transforms(person, t_pose);
  Skeleton out;
  std::vector<int> new_index(person.size());
  std::vector<Transform> world;
  for (size_t j = 0; j < person.size(); ++j) {
    std::string name = person.joints[j].name;
    int parent = person.joints[j].parent;
    if (name == "spine_lower") {
      new_index[j] = new_index[index_of(parent)];
      continue;
    }
    for (const auto& [from, to] :
         {std::pair{"left_", "L "}, {"right_", "R "}, {"forearm", "Elbow"}, {"calf", "Shin"}})
      if (const size_t at = name.find(from); at != std::string::npos)
        name.replace(at, std::string(from).size(), to);
    if (parent != body::kNoJoint) parent = new_index[index_of(parent)];
    const Transform here{joints[j].position * size,
                         joints[j].rotation * body::rotation_about({1, 2, 3}, 0.3f * static_cast<float>(j))};
    const Transform above = parent == body::kNoJoint ? Transform{} : world[index_of(parent)];
    new_index[j] = static_cast<int>(out.size());
    out.joints.push_back({name, parent, inverse(above) * here});
    world.push_back(here);
  }
  return out;
}

const std::pair<Part, Part> kBones[] = {{Part::upper_arm, Part::forearm},
                                        {Part::forearm, Part::hand},
                                        {Part::thigh, Part::calf},
                                        {Part::calf, Part::foot}};

TEST(Retarget, APersonToItselfIsTheSame) {
  const body::Person person = body::make_person();
  const Clip clip = walk_of(person);
  const Clip same = retarget(person.skeleton, clip, person.skeleton, {.place_feet = false});
  for (size_t k = 0; k < clip.frames.size(); ++k) {
    EXPECT_NEAR(length(same.frames[k].root_position - clip.frames[k].root_position), 0, 0.07f) << k;
    const std::vector<Transform> a = body::joint_transforms(person.skeleton, clip.frames[k]);
    const std::vector<Transform> b = body::joint_transforms(person.skeleton, same.frames[k]);
    for (size_t j = 0; j < a.size(); ++j) {
      const std::string& name = person.skeleton.joints[j].name;
      // The neck is half way between chest and head, and the roll of feet is reduced.
      const float tolerance =
          name == "neck" || name.find("foot") != std::string::npos || name.find("toes") != std::string::npos
              ? 12.0f
              : 0.5f;
      EXPECT_LT(angle(a[j].rotation, b[j].rotation), tolerance) << name << " in pose " << k;
    }
  }
}

TEST(Retarget, LimbsPointAsTheSources) {
  const body::Person person = body::make_person();
  const Clip clip = walk_of(person);
  for (const float heading : {0.0f, 2.5f}) {
    const Skeleton other = other_person(person.skeleton, 0.6f, heading);
    RetargetReport report;
    const Clip there = retarget(person.skeleton, clip, other, {.place_feet = false}, &report);
    EXPECT_NEAR(report.scale, 0.6f, 1e-4f);
    EXPECT_EQ(report.mapped.size(), 21u);
    EXPECT_TRUE(report.kept.empty());
    const Clip back = retarget(other, there, person.skeleton, {.place_feet = false});
    const Human a = find_human(person.skeleton), b = find_human(other);
    for (size_t k = 0; k < clip.frames.size(); ++k) {
      const std::vector<Transform> from = body::joint_transforms(person.skeleton, clip.frames[k]);
      const std::vector<Transform> to = body::joint_transforms(other, there.frames[k]);
      const std::vector<Transform> again = body::joint_transforms(person.skeleton, back.frames[k]);
      for (const auto& [top, end] : kBones)
        for (const size_t side : {kLeft, kRight}) {
          const auto bone = [&, top = top, end = end](const std::vector<Transform>& joints, const Human& h) {
            return joints[index_of(h.of(end, side))].position - joints[index_of(h.of(top, side))].position;
          };
          EXPECT_LT(angle(bone(from, a), bone(to, b)), 0.1f) << part_name(top, side) << " in pose " << k;
          EXPECT_LT(angle(bone(from, a), bone(again, a)), 0.1f) << part_name(top, side) << " in pose " << k;
        }
      // Root motion is scaled by 0.6.
      const V3 hips =
          (from[0].position - body::joint_transforms(person.skeleton, clip.frames[0])[0].position) * 0.6f;
      const V3 moved = to[0].position - body::joint_transforms(other, there.frames[0])[0].position;
      EXPECT_NEAR(moved.x, hips.x, 0.01f) << k;
      EXPECT_NEAR(moved.y, hips.y, 0.01f) << k;
    }
  }
}

TEST(Retarget, KeepsLoopsAndRates) {
  const body::Person person = body::make_person();
  Clip clip = walk_of(person);
  clip.loops = true;
  const Clip same = retarget(person.skeleton, clip, person.skeleton);
  EXPECT_TRUE(same.loops);
  EXPECT_EQ(same.frames.size(), clip.frames.size());
  const Clip faster = retarget(person.skeleton, clip, person.skeleton, {.frames_per_second = 2});
  EXPECT_EQ(faster.frames.size(), 2 * clip.frames.size());
  EXPECT_FLOAT_EQ(faster.duration(), clip.duration());
}

TEST(Retarget, RefusesSkeletonsWithoutLegs) {
  const Skeleton person = body::make_person().skeleton;
  const Clip rest{"rest", 30, {body::rest_pose(person)}, false};
  const Skeleton stick{{{"stick", body::kNoJoint, {}}}};
  EXPECT_THROW(retarget(person, rest, stick), std::invalid_argument);
  EXPECT_NE(message_of([&] { retarget(person, rest, stick); }).find("hips"), std::string::npos);
  EXPECT_THROW(retarget(stick, rest, person), std::invalid_argument) << "the clip does not fit";
  EXPECT_THROW(retarget(person, rest, person, {.to_parts = {{"tail", "head"}}}), std::invalid_argument);
}

// The knee of a bent leg jumps about the line from hip to ankle, for some frames or permanently.
TEST(Retarget, FiltersJumps) {
  const body::Person person = body::make_person();
  const size_t thigh = index_of(person.skeleton.at("right_thigh")),
               calf = index_of(person.skeleton.at("right_calf"));
  Pose bent = body::posture(person.skeleton, {{"right_thigh", "flex", 1.0f}, {"right_calf", "flex", 1.2f}});
  Clip clip{"jump", 120, std::vector<Pose>(150, bent), false};
  const std::vector<Transform> joints = body::joint_transforms(person.skeleton, bent);
  const V3 line = joints[index_of(person.skeleton.at("right_foot"))].position - joints[thigh].position;
  const Quat flip = body::rotation_about(line, 2.5f);
  for (const size_t last : {30u, 150u}) {
    for (size_t k = 20; k < last; ++k)
      clip.frames[k].rotations[thigh] = normalized(flip * bent.rotations[thigh]);
    const Clip out = retarget(person.skeleton, clip, person.skeleton, {.place_feet = false});
    float fastest = 0, farthest = 0;
    for (size_t k = 1; k < out.frames.size(); ++k) {
      const std::vector<Transform> a = body::joint_transforms(person.skeleton, out.frames[k - 1]);
      const std::vector<Transform> b = body::joint_transforms(person.skeleton, out.frames[k]);
      for (const size_t j : {thigh, calf, calf + 1})
        fastest = std::max(fastest, angle(a[j].rotation, b[j].rotation) * 120);
      farthest = std::max(farthest, angle(out.frames[k].rotations[thigh], out.frames[0].rotations[thigh]));
    }
    // The jump has 17000 degrees per second. One that reverts is removed, a permanent one fades in.
    EXPECT_LT(fastest, last == 30 ? 1 : 2500);
    EXPECT_NEAR(farthest, last == 30 ? 0 : 2.5f * kDegrees, 3);
  }
}

// Degrees by which a joint is out of its range: the distance to the nearest rotation within, by pattern
// search.
float excess(const body::JointRange& range, Quat turn) {
  float best = 180;
  for (const float start : {0.25f, 0.75f}) {
    std::array<float, 3> angles{};
    for (size_t k = 0; k < 3; ++k) angles[k] = range.low[k] + (range.high[k] - range.low[k]) * start;
    const auto error = [&] {
      Quat q = kIdentity;
      for (size_t k = 0; k < 3; ++k)
        if (range.names[k]) q = q * body::rotation_about(range.axes[k], angles[k]);
      return angle(q, turn);
    };
    float smallest = error();
    for (float step = 0.5f; step > 0.01f;) {
      bool better = false;
      for (size_t k = 0; k < 3; ++k)
        for (const float by : {step, -step}) {
          const float before = angles[k];
          angles[k] = std::clamp(before + by, range.low[k], range.high[k]);
          if (const float now = error(); range.names[k] && now < smallest)
            smallest = now, better = true;
          else
            angles[k] = before;
        }
      if (!better) step *= 0.5f;
    }
    best = std::min(best, smallest);
  }
  return best;
}

struct Quality {
  double arms = 0, legs = 0;           // degrees between limbs of source and target, mean
  float worst_arm = 0, worst_leg = 0;  // degrees
  float lowest = 0, tenth = 0;         // m, height of the lower sole: minimum and tenth percentile
  float fastest = 0;                   // degrees per second, of any joint
  float hips = 0;                      // m/s2, maximum acceleration
  double elbows = 0, knees = 0;        // degrees out of range, mean
};

Quality quality_of(const Skeleton& from, const Clip& clip, const body::Person& person) {
  const Clip out = retarget(from, clip, person.skeleton);
  const Actor source(from, {}, "source"), target(person.skeleton, {}, "target");
  const std::vector<body::JointRange> ranges = body::joint_ranges(person.skeleton);
  Quality j;
  std::vector<float> soles;
  std::vector<Transform> before;
  std::vector<V3> hips;
  size_t ranged = 0;
  for (size_t k = 0; k < out.frames.size(); ++k) {
    const std::vector<Transform> a = body::joint_transforms(from, clip.frames[k]);
    const std::vector<Transform> b = body::joint_transforms(person.skeleton, out.frames[k]);
    for (size_t q = 0; q < 4; ++q)
      for (const size_t side : {kLeft, kRight}) {
        const auto& [top, end] = kBones[q];
        const float error = angle(a[source.joint(end, side)].position - a[source.joint(top, side)].position,
                                  b[target.joint(end, side)].position - b[target.joint(top, side)].position);
        (q < 2 ? j.arms : j.legs) += static_cast<double>(error) / 4 / static_cast<double>(out.frames.size());
        float& worst = q < 2 ? j.worst_arm : j.worst_leg;
        worst = std::max(worst, error);
      }
    soles.push_back(std::min(target.sole_height(b, kLeft), target.sole_height(b, kRight)));
    for (size_t i = 0; i < b.size() && !before.empty(); ++i)
      j.fastest = std::max(j.fastest, angle(b[i].rotation, before[i].rotation) * clip.frames_per_second);
    before = b;
    hips.push_back(b[target.joint(Part::hips)].position);
    if (const size_t n = hips.size(); n > 2) {
      const V3 change = hips[n - 1] - hips[n - 2] * 2.0f + hips[n - 3];
      j.hips = std::max(j.hips, length(change) * clip.frames_per_second * clip.frames_per_second);
    }
    if (k % 16 != 0) continue;
    ++ranged;
    for (const body::JointRange& range : ranges) {
      const std::string& name = person.skeleton.joints[index_of(range.joint)].name;
      const Quat turn = out.frames[k].rotations[index_of(range.joint)];
      if (name.ends_with("forearm")) j.elbows += static_cast<double>(excess(range, turn)) / 2;
      if (name.ends_with("calf")) j.knees += static_cast<double>(excess(range, turn)) / 2;
    }
  }
  j.elbows /= static_cast<double>(ranged), j.knees /= static_cast<double>(ranged);
  std::sort(soles.begin(), soles.end());
  j.lowest = soles.front(), j.tenth = soles[soles.size() / 10];
  return j;
}

TEST(RetargetSharedData, MotionsOfCmuOnThePerson) {
  BILLOW_NEEDS_SHARED_DATA();
  const body::Person person = body::make_person();
  for (const auto& entry : std::filesystem::directory_iterator(shared_data() / "motions/cmu")) {
    const importer::Character c = importer::read_character(entry.path());
    const Quality j = quality_of(c.skeleton, c.clips[0], person);
    std::printf(
        "%s: arms %.1f (%.0f), legs %.1f (%.0f) degrees off; soles from %.0f mm, a tenth below %.0f mm; "
        "at most %.0f degrees/s, hips %.0f m/s2; out of range: elbows %.1f, knees %.1f degrees\n",
        c.name.c_str(), j.arms, static_cast<double>(j.worst_arm), j.legs, static_cast<double>(j.worst_leg),
        1000 * static_cast<double>(j.lowest), 1000 * static_cast<double>(j.tenth),
        static_cast<double>(j.fastest), static_cast<double>(j.hips), j.elbows, j.knees);
    // Hands that would penetrate the ground are raised in 05_06; legs jump in 05_06, 05_08 and 05_17.
    const bool wild = c.name == "05_06" || c.name == "05_08" || c.name == "05_17";
    EXPECT_LT(j.arms, 1) << c.name;
    EXPECT_LT(j.worst_arm, c.name == "05_06" ? 35 : 9) << c.name;
    EXPECT_LT(j.legs, wild ? 5 : 2) << c.name;
    EXPECT_LT(j.worst_leg, wild ? 65 : 22) << c.name;
    EXPECT_GT(j.lowest, -0.005f) << c.name;
    EXPECT_LT(j.tenth, 0.005f) << c.name;
    EXPECT_LT(j.fastest, 2800) << c.name;
    EXPECT_LT(j.hips, 60) << c.name << ": recorded ones have up to 580 m/s2";
    EXPECT_LT(j.elbows, 4) << c.name;
    EXPECT_LT(j.knees, 2) << c.name;
  }
}

TEST(RetargetSharedData, CharactersOnThePerson) {
  BILLOW_NEEDS_SHARED_DATA();
  const body::Person person = body::make_person();
  for (const auto& [file, clips] :
       {std::pair{"RobotExpressive.glb", std::vector<std::string>{"Running", "Walking", "Dance"}},
        std::pair{"Knight.glb", std::vector<std::string>{"Running_A", "Walking_A", "Cheer"}}}) {
    const importer::Character c = importer::read_character(shared_data() / "characters" / file);
    for (const std::string& name : clips) {
      const Quality j = quality_of(c.skeleton, importer::clip_named(c, name), person);
      EXPECT_LT(j.worst_arm, 9) << file << " " << name;
      EXPECT_LT(j.legs, 6) << file << " " << name;
      EXPECT_GT(j.lowest, -0.005f) << file << " " << name;
      EXPECT_LT(j.elbows, 4) << file << " " << name;
    }
  }
}

TEST(RetargetSharedData, ADancerOnCharacters) {
  BILLOW_NEEDS_SHARED_DATA();
  const importer::Character dancer = importer::read_character(shared_data() / "motions/cmu/05_02.bvh");
  for (const char* file : {"RobotExpressive.glb", "Knight.glb"}) {
    const importer::Character c = importer::read_character(shared_data() / "characters" / file);
    const Clip out = retarget(dancer.skeleton, dancer.clips[0], c.skeleton);
    ASSERT_NO_THROW(validate(c.skeleton, out));
    const Actor source(dancer.skeleton, {}, "source"), target(c.skeleton, {}, "target");
    for (size_t k = 0; k < out.frames.size(); k += 50) {
      const std::vector<Transform> a = body::joint_transforms(dancer.skeleton, dancer.clips[0].frames[k]);
      const std::vector<Transform> b = body::joint_transforms(c.skeleton, out.frames[k]);
      for (const size_t side : {kLeft, kRight}) {
        // The robot's feet are children of its root: they stay attached to the calves.
        const V3 calf = b[target.joint(Part::calf, side)].position,
                 foot = b[target.joint(Part::foot, side)].position;
        const V3 at_rest = target.at_rest(Part::foot, side) - target.at_rest(Part::calf, side);
        EXPECT_NEAR(length(foot - calf), length(at_rest), 1e-3f) << file << " " << k;
        EXPECT_LT(angle(b[target.joint(Part::forearm, side)].position -
                            b[target.joint(Part::upper_arm, side)].position,
                        a[source.joint(Part::forearm, side)].position -
                            a[source.joint(Part::upper_arm, side)].position),
                  25)
            << file << " " << k;
      }
    }
  }
}

}  // namespace
}  // namespace billow::motion
