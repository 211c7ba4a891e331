// Chains that rest fall asleep, keep every bit while nothing moves, and wake without a jump.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "support/colliders.h"
#include "support/hanging.h"

namespace billow::sleep_test {
namespace {

using testing::kFrame;
using testing::Sheet;

bool asleep(const Chains& chains) { return chains.report().flags & BILLOW_FLAG_ASLEEP; }

Settings cloth() {
  Settings s = billow_settings_cape();
  s.collider_groups = BILLOW_ALL_GROUPS;
  return s;
}

Body beside_it(const std::vector<billow_collider>& colliders) { return Body::create(colliders).value(); }

// A curtain of five chains beside a sphere, whose roots have been pulled aside and let go.
struct Curtain {
  Sheet sheet = testing::hanging_sheet(5, 6, 0.1f, 0.1f, cloth());
  Body body = beside_it({testing::sphere({{0.2, -0.3, 0.2}}, 0.12)});
  Transform joint = translation(0, 0, 0);

  Curtain() {
    for (int k = 0; k < 20; ++k) move(0, 0, 0.02f), step();
  }
  void move(float x, float y, float z) {
    for (Transform& r : sheet.roots) r.position[0] += x, r.position[1] += y, r.position[2] += z;
  }
  void step(float dt = kFrame) {
    ASSERT_TRUE(body.pose({&joint, 1}));
    ASSERT_TRUE(sheet.chains.step(dt, sheet.roots, &body));
  }
  // Seconds until it sleeps; 0 if it does not.
  double fall_asleep(double most = 30) {
    for (int k = 1; k <= most / static_cast<double>(kFrame); ++k) {
      step();
      if (asleep(sheet.chains)) return k * static_cast<double>(kFrame);
    }
    return 0;
  }
  std::vector<float> places() const { return testing::positions_of(sheet.chains); }
};

TEST(Sleep, ComesAfterSwingingAndKeepsEveryBit) {
  Curtain curtain;
  const double seconds = curtain.fall_asleep();
  EXPECT_GT(seconds, 1) << "it cannot have swung out";
  const std::vector<float> places = curtain.places();
  for (int k = 0; k < 600; ++k) {
    curtain.step();
    ASSERT_TRUE(asleep(curtain.sheet.chains));
    EXPECT_EQ(curtain.sheet.chains.report().substeps, 0u);
  }
  EXPECT_EQ(curtain.places(), places);
}

TEST(Sleep, IsOffByTheSetting) {
  Curtain curtain;
  Settings s = cloth();
  s.sleep_after = 0;
  ASSERT_TRUE(curtain.sheet.chains.set(s));
  EXPECT_EQ(curtain.fall_asleep(), 0);
}

TEST(Sleep, DoesNotComeInWindNorWhileRootsOrCollidersMove) {
  Curtain in_wind;
  ASSERT_TRUE(in_wind.sheet.chains.set(Wind{{0.2f, 0, 0}, 0, 0.5f, 0, nullptr, nullptr}));
  EXPECT_EQ(in_wind.fall_asleep(), 0);
  for (const bool root : {false, true}) {
    Curtain curtain;
    for (int k = 0; k < 1800; ++k) {
      const float step = k / 60 % 2 ? 5e-5f : -5e-5f;  // 3 mm/s to and fro, as in breathing
      root ? curtain.move(step, 0, 0) : void(curtain.joint.position[1] += step);
      curtain.step();
      ASSERT_FALSE(asleep(curtain.sheet.chains)) << k;
    }
  }
}

TEST(Sleep, IsNotDisturbedByRounding) {
  Curtain curtain;
  ASSERT_GT(curtain.fall_asleep(), 0);
  for (int k = 0; k < 600; ++k) {
    curtain.move(k % 2 ? 4e-6f : -4e-6f, 0, 0);
    curtain.step();
    ASSERT_TRUE(asleep(curtain.sheet.chains));
  }
}

// Whatever changes the future wakes, in the same frame.
TEST(Sleep, EndsWhenAnythingChanges) {
  const std::vector<std::pair<const char*, std::function<void(Curtain&)>>> changes = {
      {"roots", [](Curtain& c) { c.move(0, 0.001f, 0); }},
      {"a root's turn", [](Curtain& c) { c.sheet.roots[0].rotation[1] = 0.001f; }},
      {"a collider", [](Curtain& c) { c.joint.position[2] += 0.001f; }},
      {"gravity",
       [](Curtain& c) {
         Settings s = cloth();
         s.gravity[1] = -5;
         ASSERT_TRUE(c.sheet.chains.set(s));
       }},
      {"wind",
       [](Curtain& c) {
         ASSERT_TRUE(c.sheet.chains.set(Wind{{2, 0, 0}, 0, 0.5f, 0, nullptr, nullptr}));
       }},
      {"bones",
       [](Curtain& c) {
         std::vector<float> v(3 * c.sheet.chains.bone_count(), 0.5f);
         ASSERT_TRUE(c.sheet.chains.set_bones({}, v)) << billow_last_error();
       }},
      {"a call", [](Curtain& c) { ASSERT_TRUE(c.sheet.chains.wake()); }},
      {"a teleport",
       [](Curtain& c) {
         c.move(1, 0, 0);
         ASSERT_TRUE(c.sheet.chains.teleport(BILLOW_TELEPORT_KEEP, c.sheet.roots));
       }},
      {"a reset",
       [](Curtain& c) { ASSERT_TRUE(c.sheet.chains.teleport(BILLOW_TELEPORT_RESET, c.sheet.roots)); }},
      {"another body", [](Curtain& c) {
         c.body = beside_it({testing::sphere({{0.2, -0.3, 0.2}}, 0.12), testing::sphere({{0, 0, 9}}, 0.1)});
       }}};
  for (const auto& [what, change] : changes) {
    Curtain curtain;
    ASSERT_GT(curtain.fall_asleep(), 0);
    change(curtain);
    curtain.step();
    EXPECT_FALSE(asleep(curtain.sheet.chains)) << what;
    EXPECT_GT(curtain.sheet.chains.report().substeps, 0u) << what;
  }
}

TEST(Sleep, EndsWithoutAJump) {
  Curtain curtain;
  ASSERT_GT(curtain.fall_asleep(), 0);
  for (int k = 0; k < 10; ++k) {
    const std::vector<float> before = curtain.places();
    curtain.move(0, 0, 0.001f);
    curtain.step();
    ASSERT_FALSE(asleep(curtain.sheet.chains));
    EXPECT_LT(testing::farthest_apart(curtain.places(), before), 0.0025) << k;
  }
}

TEST(Sleep, LastsInPausesAndFramesWithoutTime) {
  Curtain curtain;
  ASSERT_GT(curtain.fall_asleep(), 0);
  const std::vector<float> places = curtain.places();
  curtain.step(0);
  EXPECT_TRUE(asleep(curtain.sheet.chains));
  ASSERT_TRUE(curtain.sheet.chains.set_paused(true));
  curtain.step();
  ASSERT_TRUE(curtain.sheet.chains.set_paused(false));
  curtain.step();
  EXPECT_TRUE(asleep(curtain.sheet.chains));
  EXPECT_EQ(curtain.places(), places);
}

// Saved at any time around falling asleep and waking, it goes on with the same bits.
TEST(Sleep, IsPartOfTheSavedState) {
  Curtain curtain;
  const int frames = static_cast<int>(curtain.fall_asleep() * 60 + 0.5);
  for (const int at : {frames - 30, frames - 1, frames, frames + 10}) {
    Curtain original, restored;
    std::vector<std::byte> state(original.sheet.chains.state_size());
    for (int k = 1; k <= frames + 40; ++k) {
      if (k == frames + 20) original.move(0.02f, 0, 0), restored.move(0.02f, 0, 0);
      original.step();
      if (k == at) {
        ASSERT_TRUE(original.sheet.chains.save(state));
        ASSERT_TRUE(restored.body.teleport({&restored.joint, 1}));
        ASSERT_TRUE(restored.sheet.chains.restore(state));
      }
      if (k <= at) continue;
      restored.step();
      ASSERT_EQ(asleep(restored.sheet.chains), asleep(original.sheet.chains)) << at << " " << k;
      ASSERT_EQ(restored.places(), original.places()) << at << " " << k;
    }
  }
}

}  // namespace
}  // namespace billow::sleep_test
