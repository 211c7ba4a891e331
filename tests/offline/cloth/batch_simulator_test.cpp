// The batch of clips against the reference cloth and the SDF of the runtime. Plain loops stand in for the
// device.
#include "cloth/batch/batch_simulator.h"

#include <gtest/gtest.h>

#include <vector>

#include "api/handles.h"
#include "body/postures.h"
#include "character/batch_agreement.h"
#include "garment/tailor.h"
#include "motion/motions.h"
#include "support/random.h"

namespace billow::cloth {
namespace {

const body::Person& batch_person() {
  static const body::Person person = body::make_person(body::person_preset("average"));
  return person;
}

garment::Garment batch_garment(const char* name, size_t vertices) {
  static const body::Skin skin = body::make_skin(batch_person());
  return garment::make_garment(name, batch_person(), skin, vertices);
}

// The same arithmetic in the same order. Only the mean velocity is summed in another order, which could move
// the instant at which self-contact looks for candidates; here it does not.
TEST(BatchSimulatorSlow, HasTheBitsOfTheReferenceCloth) {
  for (const char* name : {"cape", "skirt"}) {
    garment::Garment g = batch_garment(name, 900);
    g.contacts.softness[BILLOW_COLLIDER_GROUP_UPPER_ARM] = 0.5f;
    g.contacts.yielding = 1u << BILLOW_COLLIDER_GROUP_FOREARM;
    const character::BatchAgreement found =
        character::compare_with_reference(g, batch_person(), 2, 12, make_loop_backend(2));
    EXPECT_EQ(found.equal, 1) << name << ": largest distance " << found.largest << " m, RMS " << found.rms;
  }
}

// The SDF of the runtime, of all colliders and of arms only, in poses of a moving person.
TEST(BatchSimulator, QueriesTheBodyOfTheRuntime) {
  constexpr float kLimit = 0.05f;
  const motion::Clip clip = motion::make_sequence(batch_person(), 3, 40, 30, motion::motion_mix("skirt"));
  body::Surface surface(batch_person().skeleton, batch_person().colliders);
  testing::Random random(5);
  constexpr uint32_t kArms = 1u << BILLOW_COLLIDER_GROUP_UPPER_ARM | 1u << BILLOW_COLLIDER_GROUP_FOREARM;
  size_t near = 0;
  for (const uint32_t groups : {kArms, BILLOW_ALL_GROUPS & ~kArms, uint32_t{BILLOW_ALL_GROUPS}})
    for (size_t f = 0; f < clip.frames.size(); f += 8) {
      surface.pose(body::joint_transforms(batch_person().skeleton, clip.frames[f]));
      const Body& body = surface.get()->body;
      const SetTables tables = collider_set(body, groups);
      std::vector<BatchCollider> colliders;
      std::vector<PlacedCollider> placed;
      for (int i = 0; i < body.collider_count; ++i) {
        colliders.push_back(batch_collider(body.colliders[i]));
        placed.push_back(place_collider(colliders.back(), body.now[i]));
      }
      BatchBody batch{};
      batch.count = static_cast<uint32_t>(colliders.size());
      batch.colliders = colliders.data();
      const ColliderSet set{static_cast<uint32_t>(tables.indices.size()),
                            static_cast<uint32_t>(tables.blends.size()), tables.indices.data(),
                            tables.blends.data()};
      for (int k = 0; k < 2000; ++k) {
        const Transform& at = body.now[k % body.collider_count];
        const auto offset = random.in_box(0.25);
        const V3 p = at.position + V3{static_cast<float>(offset[0]), static_cast<float>(offset[1]),
                                      static_cast<float>(offset[2])};
        float phi = 0;
        V3 gradient{0, 0, 0};
        int32_t nearest = 0;
        ASSERT_EQ(billow_body_query(surface.get(), groups, &p.x, 1, kLimit, &phi, &gradient.x, &nearest),
                  BILLOW_OK);
        const NearestSurface found = nearest_surface(batch, set, placed.data(), p, kLimit);
        ASSERT_EQ(found.phi, phi);
        ASSERT_EQ(found.first, nearest);
        ASSERT_LT(length(found.gradient - gradient), 1e-6f);
        near += nearest >= 0 ? 1 : 0;
      }
    }
  EXPECT_GT(near, 5'000u);
}

TEST(BatchSimulator, RefusesWhatItCannotSimulate) {
  Sheet large;
  large.mass.resize(kMaxBatchVertices + 1);
  const body::Surface surface(batch_person().skeleton, batch_person().colliders);
  EXPECT_NE(why_not_in_batch(large, surface).find("--device cpu"), std::string::npos);
  EXPECT_EQ(why_not_in_batch(Sheet{}, surface), "");
}

}  // namespace
}  // namespace billow::cloth
