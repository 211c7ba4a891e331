// Mapping of joints to human parts, with the names of many tools and without known names.
#include "motion/human.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "body/person.h"

namespace billow::motion {
namespace {

TEST(Human, ParsesJointNames) {
  const struct {
    const char* name;
    const char* word;
    int side, number;
  } cases[] = {{"mixamorig:LeftUpLeg", "upleg", kLeft, 0},
               {"LHipJoint", "hip", kLeft, 0},
               {"thigh.R", "thigh", kRight, 0},
               {"Bip01 L UpperArm", "upperarm", kLeft, 1},
               {"upperleg01.L", "upperleg", kLeft, 1},
               {"rShldr", "shldr", kRight, 0},
               {"RightToeBase", "toe", kRight, 0},
               {"hand_r", "hand", kRight, 0},
               {"Spine2", "spine", -1, 2},
               {"leftforearm", "forearm", kLeft, 0},
               {"lfoot", "foot", kLeft, 0},
               {"CC_Base_L_Calf", "calf", kLeft, 0},
               {"left_clavicle", "clavicle", kLeft, 0},
               {"Armature|Hips", "hips", -1, 0},
               {"LEFT_FOOT", "foot", kLeft, 0},
               {"root", "root", -1, 0},
               {"", "", -1, 0},
               {"toe1-1.L", "toe", kLeft, 1}};
  for (const auto& c : cases) {
    const JointName found = parse_joint_name(c.name);
    EXPECT_EQ(found.word, c.word) << c.name;
    EXPECT_EQ(found.side, c.side) << c.name;
    EXPECT_EQ(found.number, c.number) << c.name;
  }
}

// A human skeleton with the given joint names in a T-pose, facing +z with the left at +x.
body::Skeleton human(const std::vector<std::string>& limbs, const std::vector<std::string>& spine,
                     const std::string& hips) {
  body::Skeleton s;
  const auto add = [&s](const std::string& name, int parent, V3 offset) {
    s.joints.push_back({name, parent, {offset, {0, 0, 0, 1}}});
    return static_cast<int>(s.size()) - 1;
  };
  int chest = add(hips, body::kNoJoint, {0, 1, 0});
  for (const std::string& name : spine) chest = add(name, chest, {0, 0.15f, 0});
  add(limbs.back(), chest, {0, 0.3f, 0});  // the head
  for (const bool left : {true, false}) {
    const float side = left ? 1.0f : -1.0f;
    const auto name = [&](size_t k) {
      std::string n = limbs[k];
      for (size_t at; (at = n.find('*')) != std::string::npos;) n.replace(at, 1, left ? "Left" : "Right");
      for (size_t at; (at = n.find('?')) != std::string::npos;) n.replace(at, 1, left ? "L" : "R");
      return n;
    };
    int j = chest;
    for (size_t k = 0; k < 4; ++k)
      j = add(name(k), j, {side * (k == 0 ? 0.05f : k == 1 ? 0.12f : 0.28f), 0, 0});
    j = 0;
    for (size_t k = 4; k < 8; ++k)
      j = add(name(k), j, k == 4 ? V3{side * 0.1f, 0, 0} : k == 7 ? V3{0, -0.06f, 0.13f} : V3{0, -0.44f, 0});
  }
  return s;
}

TEST(Human, KnowsTheNamesOfManyTools) {
  const std::vector<std::vector<std::string>> tools = {
      {"*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase", "Head"},
      {"*Collar", "*Shoulder", "*Elbow", "*Wrist", "*Hip", "*Knee", "*Ankle", "*Toe", "Head"},
      {"Bip01 ? Clavicle", "Bip01 ? UpperArm", "Bip01 ? Forearm", "Bip01 ? Hand", "Bip01 ? Thigh",
       "Bip01 ? Calf", "Bip01 ? Foot", "Bip01 ? Toe0", "Bip01 Head"},
      {"shoulder.?", "upper_arm.?", "forearm.?", "hand.?", "thigh.?", "shin.?", "foot.?", "toe.?", "head"},
      {"clavicle_?", "upperarm_?", "lowerarm_?", "hand_?", "thigh_?", "calf_?", "foot_?", "ball_?", "head"},
      {"j0?", "j1?", "j2?", "j3?", "j4?", "j5?", "j6?", "j7?", "top"}};
  for (const std::vector<std::string>& names : tools) {
    const body::Skeleton s = human(names, {"a", "b", "c"}, "start");
    const Human h = find_human(s);
    EXPECT_EQ(h.of(Part::hips), 0) << names[0];
    EXPECT_EQ(h.of(Part::chest), 3) << names[0];
    EXPECT_EQ(h.spine, (std::vector<int>{0, 1, 2, 3})) << names[0];
    const int first = 5;
    for (size_t side = 0; side < 2; ++side)
      for (size_t k = 0; k < 8; ++k)
        EXPECT_EQ(h.of(kLimbs[k], side), first + static_cast<int>(8 * side + k))
            << names[k] << " side " << side;
    EXPECT_NEAR(h.leg_length(s), 0.88f, 1e-5f);
  }
}

TEST(Human, FindsAllPartsOfTheBuiltInPerson) {
  const body::Skeleton s = body::make_person().skeleton;
  const Human h = find_human(s);
  const auto name = [&](Part part, size_t side) {
    return s.joints[static_cast<size_t>(h.of(part, side))].name;
  };
  EXPECT_EQ(name(Part::hips, kLeft), "pelvis");
  EXPECT_EQ(name(Part::chest, kLeft), "chest");
  EXPECT_EQ(name(Part::upper_arm, kRight), "right_upper_arm");
  EXPECT_EQ(name(Part::toes, kLeft), "left_toes");
  EXPECT_EQ(h.spine.size(), 4u);
}

TEST(Human, PartsCanBeMappedExplicitly) {
  const body::Skeleton s = human({"a?", "b?", "c?", "d?", "e?", "f?", "g?", "h?", "i"}, {"x"}, "y");
  const Human h = find_human(s, {{"left upper arm", "dL"}, {"head", "x"}});
  EXPECT_EQ(h.of(Part::upper_arm, kLeft), s.at("dL"));
  EXPECT_EQ(h.of(Part::head), s.at("x"));
  EXPECT_THROW(find_human(s, {{"left wing", "dL"}}), std::invalid_argument);
  EXPECT_THROW(find_human(s, {{"head", "nobody"}}), std::invalid_argument);
}

TEST(Human, MissingPartsHaveNoJoint) {
  const Human h = find_human({{{"stick", body::kNoJoint, {}}, {"end", 0, {{0, 1, 0}, {0, 0, 0, 1}}}}});
  EXPECT_EQ(h.of(Part::thigh, kLeft), body::kNoJoint);
  EXPECT_EQ(h.leg_length({{{"stick", body::kNoJoint, {}}}}), 0);
}

}  // namespace
}  // namespace billow::motion
