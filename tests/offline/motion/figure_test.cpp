// Inverse kinematics of legs, and soles that roll without slipping.
#include "motion/figure.h"

#include <gtest/gtest.h>

#include "body/surface.h"

namespace billow::motion {
namespace {

TEST(MotionFigure, RotationsAndQuaternionsAgree) {
  Random random(3);
  for (int k = 0; k < 200; ++k) {
    const AnglesXzy angles{random.uniform(-3, 3), random.uniform(-1.5, 1.5), random.uniform(-3, 3)};
    const Rotation r = from_xzy(angles), back = to_rotation(to_quat(r));
    const AnglesXzy again = angles_xzy(r);
    EXPECT_NEAR(again.x, angles.x, 1e-9);
    EXPECT_NEAR(again.z, angles.z, 1e-9);
    EXPECT_NEAR(again.y, angles.y, 1e-9);
    for (const D3 v : {D3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) EXPECT_LT(length(r * v - back * v), 1e-6);
    const D3 one = about({0, 0, 1}, 0.7) * D3{1, 0, 0}, other = about_z(0.7) * D3{1, 0, 0};
    EXPECT_LT(length(one - other), 1e-12);
  }
}

TEST(MotionFigure, SolvesLegsFromTheirFeet) {
  const Figure figure(body::make_person());
  Random random(5);
  for (int k = 0; k < 500; ++k) {
    const size_t side = static_cast<size_t>(k % 2);
    LegAngles angles{};
    angles[kHip] = random.uniform(-0.4, 1.2), angles[kAbduct] = random.uniform(-0.3, 0.5);
    angles[kHipTurn] = random.uniform(-0.5, 0.5), angles[kKnee] = random.uniform(0.02, 2);
    angles[kAnkle] = random.uniform(-0.6, 0.4), angles[kTilt] = random.uniform(-0.3, 0.3);
    const FootPose foot = figure.foot_of(side, angles);
    const LegAngles solved = figure.solve(side, foot);
    EXPECT_LT(length(figure.foot_of(side, solved).ankle - foot.ankle), 1e-9) << k;
    // The leg's rotation is undetermined if the foot points along it.
    if (length(cross(foot.rotation.z, unit(foot.ankle - figure.hip[side]))) < 0.5) continue;
    for (size_t a = 0; a < kToes; ++a) EXPECT_NEAR(solved[a], angles[a], 1e-6) << k << ' ' << a;
  }
}

TEST(MotionFigure, UnreachableFeetAreApproached) {
  const Figure figure(body::make_person());
  const FootPose far{figure.hip[0] + D3{0.1, -2, 0.3}, {}};
  const FootPose reached = figure.foot_of(0, figure.solve(0, far));
  const D3 wanted = unit(far.ankle - figure.hip[0]), got = unit(reached.ankle - figure.hip[0]);
  EXPECT_GT(dot(wanted, got), 0.9999);
  EXPECT_NEAR(length(reached.ankle - figure.hip[0]), figure.leg, 0.005);
}

// The foot rolled to a pitch: its lowest point is on the ground.
class MotionSole : public ::testing::TestWithParam<const char*> {};

TEST_P(MotionSole, RollsOnTheGround) {
  const body::Person person = body::make_person(body::person_preset(GetParam()));
  const Figure figure(person);
  body::Surface surface(person.skeleton, person.colliders);
  const size_t foot = static_cast<size_t>(person.skeleton.at("left_foot")),
               toes = static_cast<size_t>(person.skeleton.at("left_toes"));
  const std::vector<Transform> rest = body::rest_transforms(person.skeleton);
  for (int degrees = -25; degrees <= 75; degrees += 5) {
    const double pitch = degrees * kDegree;
    std::vector<Transform> joints = rest;
    const Rotation turn = about_x(pitch);
    joints[foot].position = to_float({0, figure.roll.height(pitch), figure.roll.forward(pitch)});
    joints[foot].rotation = to_quat(turn);
    joints[toes] = joints[foot] * Transform{rest[toes].position - rest[foot].position,
                                            to_quat(about_x(-FootRoll::toes(pitch)))};
    surface.pose(joints);
    float lowest = 1;
    for (int x = -8; x <= 8; ++x)
      for (int z = -12; z <= 32; ++z)
        lowest = std::min(
            lowest,
            surface.at({0.01f * static_cast<float>(x), -0.03f, 0.01f * static_cast<float>(z)}).distance);
    EXPECT_NEAR(lowest, 0.03f, 0.003f) << degrees;
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, MotionSole, ::testing::Values("slim", "average", "heavy"),
                         [](const auto& preset) { return std::string(preset.param); });

TEST(MotionFigure, SolesRollWithoutSlipping) {
  const Figure figure(body::make_person());
  const Sole& sole = figure.sole;
  constexpr double h = 0.2 * kDegree;
  for (int degrees = -20; degrees <= 70; degrees += 5) {
    if (degrees == 0 || degrees == 5) continue;  // the contact moves from heel to ball along the sole
    // Follow the contact point, on the heel or on the toes, over a small change of pitch.
    const double p = degrees * kDegree;
    const auto position = [&](double pitch) {
      const double flex = FootRoll::toes(p);  // the point is fixed to the toes' collider
      D3 local;
      if (degrees < 0) {
        const D3 down = about_x(-p) * D3{0, -1, 0};
        local = about_x(pitch) * (sole.spheres[0].centre + down * sole.spheres[0].radius);
      } else {
        const D3 touching = about_x(-p) * sole.lowest_of_toes(p, flex);  // in the frame of the foot
        const D3 on_toes = about_x(flex) * (touching - sole.toe_joint);  // skinned half to the toes
        const D3 moved = sole.toe_joint + about_x(-FootRoll::toes(pitch)) * on_toes;
        local = about_x(pitch) * ((touching + moved) * 0.5);
      }
      return D3{local.x, local.y + figure.roll.height(pitch), local.z + figure.roll.forward(pitch)};
    };
    const D3 moved = position(p + h) - position(p - h);
    EXPECT_LT(std::fabs(moved.z) / (2 * h), 0.012) << degrees;  // m per radian; 0.07 without rolling
  }
}

}  // namespace
}  // namespace billow::motion
