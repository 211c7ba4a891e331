// The paper's toy (Figure toy_coll): a sphere moves into six particles at 3 m/s for a second, then stops. Red
// particles use the gradient for push-out and velocity, purple ones the history for push-out only, green ones
// the history for both.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "scenes.h"

namespace billow::scenes {
namespace {

struct Colour {
  std::vector<double> angle;  // from the sphere's direction of travel, just before it stops
  std::vector<double> gap;    // to its surface
  double sideways = 0;        // largest vertical displacement of a particle
};

Colour run(billow_contact_direction push, billow_contact_direction velocity) {
  Scene s = sphere_and_particles(push, velocity);
  const std::vector<float> start = [&] {
    s.step(1.0 / 60);
    return s.positions();
  }();
  while (s.time < 0.95) s.step(1.0 / 60);
  const std::vector<float> x = s.positions();
  Colour c;
  for (size_t n = 0; n < 6; ++n) {
    const double dx = static_cast<double>(x[6 * n + 3]) - static_cast<double>(s.joints[0].position[0]),
                 dy = static_cast<double>(x[6 * n + 4]);
    c.angle.push_back(std::atan2(std::fabs(dy), dx));
    c.gap.push_back(std::hypot(dx, dy) - 1);
    c.sideways = std::max(c.sideways, std::fabs(dy - static_cast<double>(start[6 * n + 4])));
  }
  return c;
}

TEST(PushDirection, GreenParticlesKeepContact) {
  const Colour green = run(BILLOW_CONTACT_DIRECTION_HISTORY, BILLOW_CONTACT_DIRECTION_HISTORY);
  for (double gap : green.gap) EXPECT_LT(gap, 0.01);
  EXPECT_LT(green.sideways, 0.05);
}

TEST(PushDirection, RedAndPurpleSlideAroundTheSphere) {
  for (billow_contact_direction push :
       {BILLOW_CONTACT_DIRECTION_GRADIENT, BILLOW_CONTACT_DIRECTION_HISTORY}) {
    const Colour c = run(push, BILLOW_CONTACT_DIRECTION_GRADIENT);
    EXPECT_GT(c.sideways, 0.5);
    // The outer particles have left the front of the sphere.
    EXPECT_GT(c.angle[0], 1.2);
    EXPECT_GT(c.angle[5], 1.2);
  }
}

TEST(PushDirection, PurpleIsSlowerThanRed) {
  EXPECT_LT(run(BILLOW_CONTACT_DIRECTION_HISTORY, BILLOW_CONTACT_DIRECTION_GRADIENT).sideways,
            run(BILLOW_CONTACT_DIRECTION_GRADIENT, BILLOW_CONTACT_DIRECTION_GRADIENT).sideways);
}

}  // namespace
}  // namespace billow::scenes
