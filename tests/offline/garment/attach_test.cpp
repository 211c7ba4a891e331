// Attachment of garments by region, height and joint.
#include "garment/attach.h"

#include <gtest/gtest.h>

#include <cmath>

#include "body/person.h"
#include "cloths.h"
#include "garment/layout_chains.h"
#include "garment/tailor.h"
#include "offline/import/files.h"

namespace billow::garment {
namespace {

// The built-in person with a skin, created once.
struct CharacterBody {
  body::Person person = body::make_person();
  body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
};
const CharacterBody& character_body() {
  static const CharacterBody made;
  return made;
}

size_t count(const Region& region) {
  return static_cast<size_t>(std::count(region.begin(), region.end(), true));
}

TEST(Attach, ByGroupAndMaterial) {
  const GarmentMesh mesh = obj_from_text(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 0 0\nusemtl red\ng top\nf 1 2 3\nusemtl blue\ng low\nf 3 2 "
      "4\nf 2 5 4\n");
  EXPECT_EQ(region_of_group(mesh, "top"), (Region{true, true, true, false, false}));
  EXPECT_EQ(region_of_material(mesh, "blue"), (Region{false, true, true, true, true}));
  EXPECT_EQ(message_of([&] { region_of_group(mesh, "belt"); }),
            "garment: expected a group (top, low), found 'belt'");
  EXPECT_EQ(message_of([&] { region_of_material(mesh, "green"); }),
            "garment: expected a material (red, blue), found 'green'");
}

TEST(Attach, ByHeight) {
  const GarmentMesh dress = testing::make_dress(20, 16);
  const Region above = region_above(dress, 1.05f);
  for (size_t v = 0; v < above.size(); ++v) EXPECT_EQ(above[v], dress.positions[v].y > 1.05f);
  EXPECT_NE(message_of([&] { region_above(dress, 1.5f); }).find("found heights from 0.3"), std::string::npos);
  EXPECT_THROW(region_above(dress, 0.1f), std::invalid_argument);
}

TEST(Attach, SitesOfThePerson) {
  const body::Skeleton skeleton = body::make_person().skeleton;
  const std::vector<Transform> rest = body::rest_transforms(skeleton);
  const auto height = [&](const char* joint) {
    return rest[static_cast<size_t>(skeleton.at(joint))].position.y;
  };
  const float waist = attach_height(skeleton, "waist"), neck = attach_height(skeleton, "neck"),
              shoulders = attach_height(skeleton, "shoulders");
  EXPECT_GT(waist, height("pelvis") + 0.04f);
  EXPECT_LT(waist, height("spine_upper"));
  EXPECT_LT(neck, height("neck"));
  EXPECT_GT(shoulders, height("left_upper_arm"));
  EXPECT_NE(message_of([&] { attach_height(skeleton, "knee"); }).find("expected waist, neck or shoulders"),
            std::string::npos);
  body::Skeleton stick;
  stick.joints.push_back({"stick", body::kNoJoint, {}});
  EXPECT_NE(message_of([&] { attach_height(stick, "waist"); }).find("expected a character with"),
            std::string::npos);
}

TEST(Attach, OwnWeightsAreThoseOfJointsOfTheSameNames) {
  const auto skeleton_of = [](std::initializer_list<const char*> names) {
    body::Skeleton s;
    for (const char* name : names) s.joints.push_back({name, s.joints.empty() ? body::kNoJoint : 0, {}});
    return s;
  };
  const body::Skeleton from = skeleton_of({"root", "arm", "chest"}),
                       to = skeleton_of({"hips", "chest", "leg"});
  body::Skin mesh;
  mesh.mesh.positions = {{0, 0, 0}};
  mesh.joints = {{2, 1, 0, 0}};
  mesh.weights = {{1, 0, 0, 0}};
  const auto own = own_weights(mesh, from, to);
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->joints[0][0], 1u);
  EXPECT_EQ(own->joint_rest.size(), to.size());
  mesh.weights = {{0.5f, 0.5f, 0, 0}};
  EXPECT_FALSE(own_weights(mesh, from, to).has_value());
}

TEST(AttachSlow, NearAJoint) {
  const GarmentMesh dress = testing::make_dress(20, 30);
  const auto& [person, skin] = character_body();
  const Region region = region_near_joint(dress, person.skeleton, skin, "chest", 0.06f);
  EXPECT_GT(count(region), 0u);
  for (size_t v = 0; v < region.size(); ++v) EXPECT_TRUE(!region[v] || dress.positions[v].y > 1.0f) << v;
  EXPECT_THROW(region_near_joint(dress, person.skeleton, skin, "left_toes"), std::invalid_argument);
  EXPECT_THROW(region_near_joint(dress, person.skeleton, skin, "tail"), std::invalid_argument);
}

TEST(AttachSlow, AttachesADress) {
  const GarmentMesh dress = testing::make_dress(40, 30);
  const auto& [person, skin] = character_body();
  Garment g;
  g.name = "dress", g.key_joint = "pelvis", g.shape = dress.positions, g.triangles = dress.triangles;
  attach_region(g, region_above(dress, attach_height(person.skeleton, "waist")), skin);
  layout_chains(g, {.chains = 12, .bones = 8});
  validate(g, person.skeleton.size());
  EXPECT_TRUE(g.closed);
  // Neighbouring vertices have similar weights.
  std::vector<std::vector<float>> weights(g.size());
  for (const Attachment& a : g.attachments) {
    weights[a.vertex].assign(person.skeleton.size(), 0);
    for (size_t k = 0; k < a.joints.size(); ++k) weights[a.vertex][a.joints[k]] += a.weights[k];
    EXPECT_EQ(a.rest.y, g.shape[a.vertex].y);
  }
  float largest = 0;
  for (const Triangle& t : g.triangles)
    for (size_t k = 0; k < 3; ++k) {
      const auto &a = weights[t[k]], &b = weights[t[(k + 1) % 3]];
      float difference = 0;
      for (size_t j = 0; j < std::min(a.size(), b.size()); ++j) difference += std::fabs(a[j] - b[j]);
      largest = std::max(largest, difference);
    }
  EXPECT_LT(largest, 0.8f);
  Garment none = g;
  EXPECT_THROW(attach_region(none, Region(g.size(), false), skin), std::invalid_argument);
  EXPECT_THROW(attach_region(none, Region(g.size(), true), skin), std::invalid_argument);
  EXPECT_THROW(attach_region(none, Region(g.size(), true), body::Skin{}), std::invalid_argument);
}

// The general layout of chains reproduces that of the built-in garments.
TEST(AttachSlow, ChainsMatchThoseOfTheBuiltInGarments) {
  const auto& [person, skin] = character_body();
  for (const char* name : {"cape", "skirt"}) {
    const Garment made = make_garment(name, person, skin, 3000);
    Garment g = made;
    layout_chains(g, {.chains = made.chains.size(), .bones = 9});
    EXPECT_EQ(g.closed, made.closed) << name;
    ASSERT_EQ(g.chains.size(), made.chains.size());
    for (size_t c = 0; c < g.chains.size(); ++c) {
      // Each chain ends near the end of a built-in chain.
      const V3 end = position_of(g.bones[g.chains[c].back()], g.shape);
      float nearest = INFINITY;
      for (const auto& chain : made.chains)
        nearest = std::min(nearest, length(position_of(made.bones[chain.back()], made.shape) - end));
      EXPECT_LT(nearest, std::string(name) == "cape" ? 0.03f : 0.09f) << name << " " << c;
    }
  }
}

}  // namespace
}  // namespace billow::garment
