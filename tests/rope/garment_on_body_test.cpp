// Chains on a body: no jitter at rest, and no legs through the skirt.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "person.h"
#include "scenes.h"

namespace billow::scenes {
namespace {

struct Vec {
  double x, y, z;
};
Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Whether the segment p-q intersects the triangle a b c, by signed volumes.
bool crosses(Vec p, Vec q, Vec a, Vec b, Vec c) {
  auto side = [](Vec o, Vec u, Vec v, Vec w) { return dot(cross(u - o, v - o), w - o) > 0; };
  if (side(a, b, c, p) == side(a, b, c, q)) return false;
  return side(p, q, a, b) == side(p, q, b, c) && side(p, q, b, c) == side(p, q, c, a);
}

Vec bone(const std::vector<float>& x, size_t chain, size_t level) {
  const size_t b = 3 * (chain * 9 + level);
  return {static_cast<double>(x[b]), static_cast<double>(x[b + 1]), static_cast<double>(x[b + 2])};
}
Vec joint(const Scene& s, Joint j) {
  const float* p = s.joints[j].position;
  return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2])};
}

// Number of frames in which the axis of a thigh passes through a panel of the skirt.
int frames_with_a_leg_through(const Settings& settings, double hz) {
  Scene s = skirt_kicking(settings);
  const size_t chains = s.bone_counts.size();
  int frames = 0;
  for (int k = 0; k < static_cast<int>(6 * hz); ++k) {
    s.step(1 / hz);
    const std::vector<float> x = s.positions();
    const Vec legs[2][2] = {{joint(s, kLeftThigh), joint(s, kLeftCalf)},
                            {joint(s, kRightThigh), joint(s, kRightCalf)}};
    bool through = false;
    for (size_t c = 0; c < chains; ++c)
      for (size_t i = 1; i < 9; ++i) {
        const Vec a = bone(x, c, i - 1), b = bone(x, (c + 1) % chains, i - 1), d = bone(x, c, i),
                  e = bone(x, (c + 1) % chains, i);
        for (const auto& leg : legs)
          through |= crosses(leg[0], leg[1], a, b, e) || crosses(leg[0], leg[1], a, e, d);
      }
    frames += through;
  }
  return frames;
}

TEST(GarmentOnBody, RestingSkirtDoesNotJitter) {
  Scene s = skirt_standing();
  for (int k = 0; k < 300; ++k) s.step(1.0 / 60);
  double fastest_tip = 0, farthest_move = 0;
  for (int k = 0; k < 120; ++k) {
    const std::vector<float> before = s.positions();
    s.step(1.0 / 60);
    const std::vector<float> x = s.positions(), v = s.velocities();
    for (size_t c = 0; c < s.bone_counts.size(); ++c) {
      const size_t b = 3 * (9 * c + 8);
      fastest_tip = std::max(fastest_tip, static_cast<double>(std::hypot(v[b], v[b + 1], v[b + 2])));
      farthest_move =
          std::max(farthest_move, static_cast<double>(std::hypot(x[b] - before[b], x[b + 1] - before[b + 1],
                                                                 x[b + 2] - before[b + 2])));
    }
  }
  EXPECT_LT(fastest_tip, 1e-3);
  EXPECT_LT(farthest_move * 60, 1e-3);
}

TEST(GarmentOnBodySlow, LegsDoNotPassThroughTheSkirt) {
  for (double hz : {30.0, 60.0, 120.0})
    EXPECT_EQ(frames_with_a_leg_through(billow_settings_skirt(), hz), 0) << hz << " Hz";
}

TEST(GarmentOnBodySlow, WithoutSegmentsLegsPassThrough) {
  Settings bones_only = billow_settings_skirt();
  bones_only.solver.rope_samples = bones_only.solver.lateral_samples = 0;
  EXPECT_GT(frames_with_a_leg_through(bones_only, 60.0), 0);
}

TEST(GarmentOnBody, NoBoneInsideNoRopeTooLong) {
  for (auto make : {skirt_kicking, cape_running}) {
    Scene s = make(make == skirt_kicking ? billow_settings_skirt() : billow_settings_cape());
    for (int k = 0; k < 600; ++k) {
      s.step(1.0 / 60);
      const std::vector<float> x = s.positions();
      std::vector<float> phi(x.size() / 3);
      ASSERT_TRUE(s.body.query(x, phi));
      size_t b = 0;
      for (uint32_t n : s.bone_counts)
        for (uint32_t i = 0; i < n; ++i, ++b) {
          if (i == 0) continue;
          const double l = std::hypot(static_cast<double>(x[3 * b]) - static_cast<double>(x[3 * b - 3]),
                                      static_cast<double>(x[3 * b + 1]) - static_cast<double>(x[3 * b - 2]),
                                      static_cast<double>(x[3 * b + 2]) - static_cast<double>(x[3 * b - 1]));
          ASSERT_LE(l, static_cast<double>(s.max_lengths[b]) * (1 + 1e-6))
              << s.name << " frame " << k << " bone " << b;
          ASSERT_GE(phi[b], -1e-3f) << s.name << " frame " << k << " bone " << b;
        }
    }
  }
}

}  // namespace
}  // namespace billow::scenes
