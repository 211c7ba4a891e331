// The shipped garments on a walking person meet the world: a ground that is raised into the hem, walls, a chair, a partner. No
// vertex is inside, and what was held comes free.
#include <algorithm>
#include <string>

#include "support/colliders.h"
#include "support/walker.h"

namespace billow::world_test {
namespace {

using namespace billow::testing;

constexpr double kHz = 60;
constexpr float kRadius = 0.005f;  // m, of a bone

std::vector<float> distances(const billow_body* body, std::span<const float> points, uint32_t groups) {
  std::vector<float> out(points.size() / 3);
  EXPECT_EQ(billow_body_query(body, groups, points.data(), static_cast<uint32_t>(out.size()), BILLOW_NO_LIMIT,
                              out.data(), nullptr, nullptr),
            BILLOW_OK);
  return out;
}
float nearest(const billow_body* body, std::span<const float> points, uint32_t groups = BILLOW_ALL_GROUPS) {
  const auto all = distances(body, points, groups);
  return *std::min_element(all.begin(), all.end());
}

class WorldSlow : public ::testing::TestWithParam<const char*> {
 protected:
  Walker wear() const { return Walker(GetParam(), {}); }
};
INSTANTIATE_TEST_SUITE_P(Shipped, WorldSlow, ::testing::Values("cape", "skirt"));

TEST_P(WorldSlow, AGroundIsNotPassed) {
  Walker free = wear(), wearer = wear();
  free.settle();
  const float height = free.hem() + 0.12f;
  billow_body* ground = nullptr;
  ASSERT_EQ(billow_body_create_ground(height, nullptr, &ground), BILLOW_OK);
  const BodyHandle held(ground);
  wearer.meet({ground});
  wearer.settle();
  float lowest_free = 10;
  for (int k = 0; k < 200; ++k) {
    free.step(kHz), wearer.step(kHz);
    lowest_free = std::min(lowest_free, nearest(ground, free.mesh()));
    EXPECT_GE(nearest(ground, wearer.mesh()), 0) << "frame " << k;
    EXPECT_GE(nearest(ground, wearer.bones()), 0.5f * kRadius) << "frame " << k;
  }
  EXPECT_LT(lowest_free, -0.1f) << "the ground is meant to be in the way";
}

// Something that the walk leads past once, and who meets it.
struct Obstacle {
  const char* name;
  BodyHandle body;
  Walker wearer;
  float deepest_free = 1;  // m, of the cloth of somebody else, whom nothing stops
  int last_free = 0;       // frame in which that cloth was there
  uint32_t touching = 0, late = 0, inside = 0;

  Obstacle(const char* called, const billow_collider& collider, Walker walker)
      : name(called), body(make_body({collider})), wearer(std::move(walker)) {
    wearer.meet({body.get()});
    wearer.settle();
  }
  void step(int frame, const Walker& free) {
    wearer.step(kHz);
    const float of_free = nearest(body.get(), free.mesh());
    deepest_free = std::min(deepest_free, of_free);
    if (of_free < 0.02f) last_free = frame;
    EXPECT_GE(nearest(body.get(), wearer.mesh()), 0) << name << " in frame " << frame;
    billow_instance_report report;
    billow_instance_get_report(wearer.instance(), &report);
    inside += report.inside;
    const uint32_t contacts = wearer.touching();
    touching += contacts;
    if (frame > last_free + 30) late += contacts;
  }
};

TEST_P(WorldSlow, WhatStandsInTheWayLetsGo) {
  const double past = Walk::kRadius + (std::string(GetParam()) == "cape" ? 0.28 : 0.22);
  std::vector<Obstacle> obstacles;
  obstacles.emplace_back("wall", half_space({{1.5, 0, past}}, about_x(-1.5707963267948966)), wear());
  obstacles.emplace_back("thin wall", box({{1.5, 1, past + 0.03}}, {{0.6, 1.5, 0.03}}, 0.01), wear());
  obstacles.emplace_back("chair", box({{1.5, 0.3, past + 0.25}}, {{0.25, 0.6, 0.3}}, 0.02), wear());
  obstacles.emplace_back("post", capsule({{1.5, -0.5, past + 0.05}}, {{1.5, 2.5, past + 0.05}}, 0.06),
                         wear());
  Walker free = wear();
  free.settle();
  for (int k = 0; k < 230; ++k) {
    free.step(kHz);
    for (Obstacle& o : obstacles) o.step(k, free);
  }
  for (const Obstacle& o : obstacles) {
    SCOPED_TRACE(o.name);
    EXPECT_LT(o.deepest_free, -0.01f) << "it is meant to be in the way";
    EXPECT_GT(o.touching, 0u);
    EXPECT_EQ(o.late, 0u);
    EXPECT_EQ(o.inside, 0u);
    EXPECT_LT(o.last_free, 190) << "it is meant to be passed";
    // And the cloth hangs as that of the other.
    const std::vector<float> a = free.bones(), b = o.wearer.bones();
    float apart = 0;
    for (size_t i = 0; i < a.size(); ++i) apart = std::max(apart, std::fabs(a[i] - b[i]));
    EXPECT_LT(apart, 0.15f);
    std::printf("%s, %s: free cloth %.0f mm deep, %u contacts, gone in frame %d, %.0f mm apart in the end\n",
                GetParam(), o.name, static_cast<double>(-1000 * o.deepest_free), o.touching, o.last_free,
                static_cast<double>(1000 * apart));
  }
}

TEST_P(WorldSlow, APartnerWalksBy) {
  // The other walks in the next circle, and is nearest at the same time.
  const auto garment = Walker::load(GetParam());
  const Skeleton skeleton(garment.get());
  std::vector<billow_collider> colliders(billow_garment_collider_count(garment.get()));
  for (uint32_t c = 0; c < colliders.size(); ++c)
    ASSERT_EQ(billow_garment_get_collider(garment.get(), c, &colliders[c]), BILLOW_OK);
  std::vector<billow_transform> rest(billow_garment_joint_count(garment.get()));
  ASSERT_EQ(billow_garment_get_joint_rest(garment.get(), rest.data(), static_cast<uint32_t>(rest.size())),
            BILLOW_OK);
  const BodyHandle partner = make_body(colliders, rest);
  ASSERT_TRUE(partner) << billow_last_error();
  const Walk walk{{{1.5, 0, 2 * Walk::kRadius + (std::string(GetParam()) == "cape" ? 0.40 : 0.37)}},
                  3.141592653589793};
  Walker free = wear(), wearer = wear();
  const auto pose_partner = [&](double t) {
    const auto joints = skeleton.walking(walk, t);
    ASSERT_EQ(billow_body_pose(partner.get(), joints.data(), static_cast<uint32_t>(joints.size()), 1),
              BILLOW_OK);
  };
  pose_partner(0);
  wearer.meet({partner.get()});
  free.settle(), wearer.settle();
  const uint32_t rigid = wearer.rigid_groups();
  float deepest_free = 1, deepest = 1;
  uint32_t touching = 0, late = 0;
  int left = 1 << 20;
  for (int k = 0; k < 230; ++k) {
    pose_partner((k + 1) / kHz);
    free.step(kHz), wearer.step(kHz);
    const float of_free = nearest(partner.get(), free.mesh(), rigid);
    deepest_free = std::min(deepest_free, of_free);
    if (of_free < 0.02f) left = k;
    deepest = std::min(deepest, nearest(partner.get(), wearer.mesh(), rigid));
    const uint32_t contacts = wearer.touching();
    touching += contacts;
    if (k > left + 30) late += contacts;
  }
  std::printf(
      "%s, partner: free cloth %.0f mm deep, %.1f mm apart where they meet, %u contacts, gone in frame %d\n",
      GetParam(), static_cast<double>(-1000 * deepest_free), static_cast<double>(1000 * deepest), touching,
      left);
  EXPECT_LT(deepest_free, -0.01f);
  EXPECT_GE(deepest, 0);
  EXPECT_GT(touching, 0u);
  EXPECT_EQ(late, 0u);
}

// What is out of reach changes no bit, whether it is 3 cm below the hem or at the other end of the hall.
TEST_P(WorldSlow, WhatIsFarChangesNothing) {
  std::vector<billow_collider> crowd;
  Random random(4);
  for (int k = 0; k < 60; ++k) {
    crowd.push_back(random_collider(random, 1));
    crowd.back().position[0] += 8, crowd.back().end[0] += 8;
    if (k > 0) crowd.back().blend_with = k - 1, crowd.back().blend_radius = 0.1f;
  }
  const BodyHandle far = make_body(crowd),
                   wall = make_body({half_space({{0, 0, 9}}, about_x(-1.5707963267948966))}),
                   door = make_body({box({{1.5, 1, 4}}, {{1, 2, 0.05}})}),
                   lamp = make_body({sphere({{1.5, 3.2, 1}}, 0.2)});
  Walker alone = wear(), among = wear();
  alone.settle();
  billow_body* ground = nullptr;
  ASSERT_EQ(billow_body_create_ground(alone.hem() - 0.15f, nullptr, &ground), BILLOW_OK);
  const BodyHandle held(ground);
  among.meet({far.get(), wall.get(), door.get(), ground, lamp.get()});
  among.settle();
  for (int k = 0; k < 120; ++k) {
    alone.step(kHz), among.step(kHz);
    ASSERT_EQ(billow_instance_hash(among.instance()), billow_instance_hash(alone.instance()))
        << "frame " << k;
    ASSERT_EQ(billow_chains_hash(among.chains()), billow_chains_hash(alone.chains())) << "frame " << k;
  }
}

}  // namespace
}  // namespace billow::world_test
