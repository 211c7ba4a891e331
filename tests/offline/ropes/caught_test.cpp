// Arms do not hold a skirt on captured walks.
#include "ropes/caught.h"

#include <gtest/gtest.h>

#include "character/rope_chains.h"
#include "import/bvh.h"
#include "motion/retarget.h"
#include "offline/import/files.h"
#include "pack/garment_asset.h"

namespace billow::ropes {
namespace {

// The shipped skirt on a captured walk; the arms rigid, soft as the skirt has them by default, or not met at all.
class SkirtOnWalk : public ::testing::Test {
 protected:
  std::vector<Held> held(const motion::Clip& walk, const body::Contacts& contacts, float rate) const {
    billow_settings settings = character::rope_settings(skirt_);
    body::apply(contacts, settings);
    return held_on_ropes(skirt_, character::character_body(person_), settings, walk, rate);
  }

  garment::Garment skirt_ = pack::read_garment_asset("assets/skirt.billow").garment;
  body::Person person_ = body::make_person();
};

TEST_F(SkirtOnWalk, RigidArmsCatchItAndSoftArmsDoNot) {
  for (const char* name : {"02_01.bvh", "16_17.bvh"}) {
    const std::filesystem::path file = shared_data() / "motions/cmu" / name;
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "there is no " << file;
    const importer::Character actor = importer::read_bvh(file);
    // As a game would play it, without room made between the limbs.
    const motion::Clip walk = motion::retarget(actor.skeleton, actor.clips.at(0), person_.skeleton);
    body::Contacts handless;
    handless.groups &= ~(1u << BILLOW_COLLIDER_GROUP_FOREARM);
    for (const float rate : {30.0f, 60.0f}) {
      const auto free = held(walk, handless, rate);
      EXPECT_GT(caught(held(walk, {}, rate), free).size(), 10u) << name << rate;
      const auto soft = caught(held(walk, garment::default_contacts(skirt_), rate), free);
      EXPECT_LE(soft.size(), 2u) << name << rate;
      for (const Held& h : soft) {
        EXPECT_FALSE(h.lifted);
        EXPECT_LT(h.until - h.from, 0.65);
      }
    }
  }
}

}  // namespace
}  // namespace billow::ropes
