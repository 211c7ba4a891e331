// The built-in garments.
#include "garment/tailor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "body/surface.h"

namespace billow::garment {
namespace {

const body::Person& person() {
  static const body::Person p = body::make_person();
  return p;
}
const body::Skin& skin() {
  static const body::Skin s = body::make_skin(person().skeleton, person().colliders, {.vertices = 4000});
  return s;
}

class Tailor : public ::testing::TestWithParam<std::string> {};

TEST_P(Tailor, HasTheSizesOfThePaper) {
  const Garment g = make_garment(GetParam(), person(), skin());
  validate(g, person().skeleton.size());
  const bool cape = GetParam() == "cape";
  EXPECT_EQ(g.size(), cape ? 12690u : 18546u);
  EXPECT_EQ(g.chains.size(), cape ? 10u : 26u);
  EXPECT_EQ(g.closed, !cape);
  EXPECT_EQ(simulated_bones(g), cape ? 142u : 234u);
  for (const auto& chain : g.chains) {
    EXPECT_GE(chain.size(), cape ? 14u : 10u);
    EXPECT_LE(chain.size(), cape ? 16u : 10u);
  }
  // The initial shape is flat: edges have their rest lengths, and the outside faces up.
  for (const Triangle& t : g.triangles) {
    for (size_t k = 0; k < 3; ++k) {
      const float l = length(g.shape[t[k]] - g.shape[t[(k + 1) % 3]]);
      ASSERT_NEAR(rest_distance(g, t[k], t[(k + 1) % 3]) / l, 1, 1e-3f);
    }
    ASSERT_GT(cross(g.shape[t[1]] - g.shape[t[0]], g.shape[t[2]] - g.shape[t[0]]).y, 0);
  }
}

TEST_P(Tailor, SeamsLieOnTheBody) {
  for (const char* preset : {"slim", "average", "heavy"}) {
    SCOPED_TRACE(preset);
    const body::Person p = body::make_person(body::person_preset(preset));
    // Seam positions do not depend on the skin's weights.
    const Garment g = make_garment(GetParam(), p, skin(), 1500);
    const body::Surface surface(p.skeleton, p.colliders);
    float along = 0, on_pattern = 0;
    for (size_t i = 0; i < g.attachments.size(); ++i) {
      const float d = surface.at(g.attachments[i].rest).distance;
      EXPECT_GT(d, 0.002f);
      EXPECT_LT(d, 0.01f);
      if (i == 0) continue;
      along += length(g.attachments[i].rest - g.attachments[i - 1].rest);
      on_pattern += rest_distance(g, g.attachments[i].vertex, g.attachments[i - 1].vertex);
    }
    EXPECT_NEAR(along / on_pattern, 1, 0.02f);
  }
}

TEST_P(Tailor, BonesRunFromTheSeamToTheHem) {
  const Garment g = make_garment(GetParam(), person(), skin(), 2000);
  for (const auto& chain : g.chains) {
    float before = -1;
    for (const uint32_t b : chain) {
      float r = 0;
      for (size_t k = 0; k < 3; ++k) {
        const auto& f = g.pattern_uvs[g.bones[b].vertices[k]];
        r += g.bones[b].weights[k] * std::hypot(f[0], f[1]);
      }
      EXPECT_GT(r, before);
      before = r;
    }
    const auto& hem = g.pattern_uvs.back();
    EXPECT_NEAR(before, std::hypot(hem[0], hem[1]), 0.005f);
  }
}

INSTANTIATE_TEST_SUITE_P(Garments, Tailor, ::testing::Values("cape", "skirt"),
                         [](const auto& name) { return name.param; });

TEST(BuiltInGarments, UnknownNamesAreRefused) {
  try {
    make_garment("kilt", person(), skin());
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("expected cape or skirt"), std::string::npos);
  }
}

TEST(Garment, InvalidGarmentsAreRefused) {
  const Garment good = make_garment("cape", person(), skin(), 300);
  const size_t joints = person().skeleton.size();
  const auto message = [&](const Garment& g) -> std::string {
    try {
      validate(g, joints);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "(valid)";
  };
  EXPECT_EQ(message(good), "(valid)");
  Garment g = good;
  g.triangles[3][1] = 5000;
  EXPECT_NE(message(g).find("triangle 3"), std::string::npos);
  g = good;
  g.rest.resize(7);
  EXPECT_NE(message(g).find("found 7"), std::string::npos);
  g = good;
  g.attachments[2].joints[0] = 99;
  EXPECT_NE(message(g).find("attachment 2"), std::string::npos);
  g = good;
  g.bones[4].weights = {0.5f, 0.5f, 0.5f};
  EXPECT_NE(message(g).find("bone 4"), std::string::npos);
  g = good;
  g.chains[1][2] = g.chains[0][2];
  EXPECT_NE(message(g).find("chain 1"), std::string::npos);
  g = good;
  g.shape[9].y = std::nanf("");
  EXPECT_NE(message(g).find("vertex 9"), std::string::npos);
}

}  // namespace
}  // namespace billow::garment
