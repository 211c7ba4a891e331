// Chains from seam to hem: evenly spread and never crossing, on regular and irregular meshes.
#include "garment/layout_chains.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cloths.h"
#include "garment/cloth_mesh.h"
#include "garment/seam.h"
#include "offline/import/files.h"

namespace billow::garment {
namespace {

using billow::testing::as_garment;
using billow::testing::make_dress;
using billow::testing::make_sheet;
using billow::testing::make_tube;
using billow::testing::without;

std::vector<V3> bone_positions_of(const Garment& g, size_t chain) {
  std::vector<V3> out;
  for (const uint32_t b : g.chains[chain]) out.push_back(position_of(g.bones[b], g.shape));
  return out;
}

// Largest relative deviation of gaps from their mean.
double unevenness(const std::vector<double>& gaps) {
  double mean = 0, largest = 0;
  for (const double g : gaps) mean += g / static_cast<double>(gaps.size());
  for (const double g : gaps) largest = std::max(largest, std::fabs(g / mean - 1));
  return largest;
}

double angle(V3 p) { return std::atan2(static_cast<double>(p.x), static_cast<double>(p.z)); }
double angle_between(V3 a, V3 b) {
  const double pi = std::numbers::pi;
  double turn = angle(b) - angle(a);
  while (turn > pi) turn -= 2 * pi;
  while (turn <= -pi) turn += 2 * pi;
  return turn;
}

TEST(LayChains, StraightDownASheet) {
  for (const bool mess : {false, true}) {
    Garment g = as_garment(make_sheet(1, 0.8f, {.columns = 24, .rows = 20, .mess = mess}),
                           [](V3 p) { return p.z == 0; });
    EXPECT_TRUE(layout_chains(g, {.chains = 6, .bones = 5}).empty());
    validate(g, 1);
    ASSERT_EQ(g.chains.size(), 6u);
    EXPECT_FALSE(g.closed);
    EXPECT_EQ(g.bones.size(), 6u * 6 + 5);
    // The sheet's seam runs in the direction of -x.
    for (size_t c = 0; c < 6; ++c) {
      const std::vector<V3> p = bone_positions_of(g, c);
      ASSERT_EQ(p.size(), 6u);
      const float x = 0.03f + 0.94f * static_cast<float>((p[0].x < 0.5f) == (c < 3) ? c : 5 - c) / 5;
      for (size_t b = 0; b < 6; ++b) {
        EXPECT_NEAR(p[b].x, x, mess ? 0.01 : 1e-4) << "chain " << c << ", bone " << b;
        EXPECT_NEAR(p[b].z, 0.16f * static_cast<float>(b), mess ? 0.002 : 1e-4);
      }
    }
    // The midpoints of the roots are on the seam.
    for (size_t b = 36; b < 41; ++b) EXPECT_NEAR(position_of(g.bones[b], g.shape).z, 0, 1e-6);
    EXPECT_NEAR(position_of(g.bones[36], g.shape).x,
                0.5f * (bone_positions_of(g, 0)[0].x + bone_positions_of(g, 1)[0].x), 1e-4);
  }
}

TEST(LayChains, RoundASkirtInARing) {
  Garment g = as_garment(make_tube(
                             {.columns = 60, .rows = 30}, [](double, double v) { return 0.12 + 0.4 * v; },
                             [](double, double v) { return 1.1 - 0.4 * v; }),
                         [](V3 p) { return p.y > 1.099f; });
  EXPECT_TRUE(layout_chains(g, {.chains = 13, .bones = 9}).empty());
  validate(g, 1);
  EXPECT_TRUE(g.closed);
  EXPECT_EQ(g.bones.size(), 13u * 10 + 13);
  EXPECT_EQ(simulated_bones(g), 13u * 9);
  for (size_t c = 0; c < 13; ++c) {
    const std::vector<V3> p = bone_positions_of(g, c);
    for (size_t b = 1; b < p.size(); ++b) EXPECT_NEAR(angle_between(p[0], p[b]), 0, 0.02) << c << " " << b;
    EXPECT_NEAR(std::fabs(angle_between(p[0], bone_positions_of(g, (c + 1) % 13)[0])),
                2 * std::numbers::pi / 13, 0.02);
    EXPECT_NEAR(p.back().y, 0.7f, 1e-4);
  }
}

// The dress is attached above its waist. Its hem is folded and uneven, its triangles irregular.
TEST(LayChains, OnAnIrregularDress) {
  Garment g = as_garment(make_dress(), [](V3 p) { return p.y > 1.05f; });
  const std::vector<std::string> notes = layout_chains(g, {.chains = 20, .bones = 12});
  EXPECT_TRUE(notes.empty()) << notes[0];
  validate(g, 1);
  EXPECT_TRUE(g.closed);
  std::vector<double> at_hem;
  double steepest = 0;
  for (size_t c = 0; c < 20; ++c) {
    const std::vector<V3> p = bone_positions_of(g, c), q = bone_positions_of(g, (c + 1) % 20);
    std::vector<double> spacing;
    for (size_t b = 0; b < p.size(); ++b) {
      // Neighbouring chains keep their order all the way down: no crossing.
      EXPECT_GT(
          angle_between(q[b], p[b]) * angle_between(bone_positions_of(g, 1)[0], bone_positions_of(g, 0)[0]),
          0)
          << "chains " << c << " and " << c + 1 << " at bone " << b;
      steepest = std::max(steepest, std::fabs(angle_between(p[0], p[b])));
      if (b > 0) {
        EXPECT_LT(p[b].y, p[b - 1].y);
        spacing.push_back(static_cast<double>(length(p[b] - p[b - 1])));
      }
    }
    EXPECT_LT(unevenness(spacing), 0.1);
    at_hem.push_back(std::fabs(angle_between(p.back(), q.back())));
    EXPECT_NEAR(p.back().y, 1.32 - 0.92, 0.08) << "ends at the hem";
  }
  // Folds make angles differ from arc lengths.
  EXPECT_LT(unevenness(at_hem), 0.35);
  EXPECT_LT(steepest, 0.2) << "chains do not spiral round the body";
}

TEST(LayChains, BySpacing) {
  Garment g = as_garment(make_sheet(1, 0.8f, {.columns = 24, .rows = 20}), [](V3 p) { return p.z == 0; });
  layout_chains(g, {.chains = 3, .bones = 1, .spacing = 0.1f});
  for (const auto& chain : g.chains) EXPECT_EQ(chain.size(), 9u);
}

TEST(LayChains, PassesOverAHole) {
  const GarmentMesh holed = without(make_sheet(1, 1, {.columns = 24, .rows = 24}), [](V3 c) {
    return std::fabs(c.x - 0.5f) < 0.15f && std::fabs(c.z - 0.5f) < 0.12f;
  });
  Garment g = as_garment(holed, [](V3 p) { return p.z == 0; });
  const std::vector<std::string> notes = layout_chains(g, {.chains = 5, .bones = 8});
  ASSERT_FALSE(notes.empty());
  EXPECT_NE(notes[0].find("passes over a hole"), std::string::npos) << notes[0];
  for (size_t c = 0; c < 5; ++c) EXPECT_NEAR(bone_positions_of(g, c).back().z, 1, 1e-4) << c;
}

TEST(LayChains, FromExplicitVertices) {
  const GarmentMesh sheet = make_sheet(1, 1, {.columns = 4, .rows = 4});
  Garment g = as_garment(sheet, [](V3 p) { return p.z == 0; });
  EXPECT_TRUE(layout_chains(g, {{1, 6, 11, 16}, {3, 13, 23}}).empty());
  validate(g, 1);
  EXPECT_EQ(g.bones.size(), 8u);
  EXPECT_EQ(position_of(g.bones[5], g.shape).x, sheet.positions[13].x);
  EXPECT_NEAR(position_of(g.bones[7], g.shape).x, 0.5f, 1e-5) << "half way between the roots";
  EXPECT_FALSE(g.closed);
}

TEST(LayChains, RefusesInvalidExplicitChains) {
  const auto message = [](const GarmentMesh& mesh, const std::vector<std::vector<uint32_t>>& chains) {
    return message_of([&] {
      Garment g = as_garment(mesh, [](V3 p) { return p.z == 0; });
      layout_chains(g, chains);
    });
  };
  const GarmentMesh sheet = make_sheet(1, 1, {.columns = 4, .rows = 4});
  EXPECT_NE(message(sheet, {}).find("expected 1 to 1000 chains"), std::string::npos);
  EXPECT_NE(message(sheet, {{1}}).find("chain 1: expected 2 to 1000 vertices, found 1"), std::string::npos);
  EXPECT_NE(message(sheet, {{1, 25}}).find("chain 1: expected vertices below 25, found 25"),
            std::string::npos);
  EXPECT_NE(message(sheet, {{6, 11}}).find("expected its first vertex, 6, to be attached"),
            std::string::npos);
  EXPECT_NE(message(sheet, {{1, 6}, {2, 6}}).find("chain 2: vertex 6 has a bone already"), std::string::npos);
  EXPECT_NE(message(sheet, {{1, 6}, {3, 8}, {2, 7}}).find("in their order along the seam"),
            std::string::npos);
  // A slit between columns 2 and 3 from the hem nearly up to the seam.
  GarmentMesh slit = make_sheet(1, 1, {.columns = 9, .rows = 9});
  std::erase_if(slit.triangles, [&](const Triangle& t) {
    const V3 c = (slit.positions[t[0]] + slit.positions[t[1]] + slit.positions[t[2]]) * (1.0f / 3);
    return c.x > 4 / 9.0f && c.x < 5 / 9.0f && c.z > 0.2f;
  });
  const std::string found = message(slit, {{4, 14, 44, 45 + 20}});
  EXPECT_NE(found.find("there is a hole or a slit between them"), std::string::npos) << found;
}

std::string message_for(const Garment& garment, const ChainOptions& options = {}) {
  return message_of([&] {
    Garment g = garment;
    layout_chains(g, options);
  });
}

TEST(LayChains, ReportsInvalidGarments) {
  const GarmentMesh sheet = make_sheet(1, 1, {.columns = 6, .rows = 6});
  const auto top = [](V3 p) { return p.z == 0; };
  const Garment good = as_garment(sheet, top);

  EXPECT_NE(
      message_for(as_garment(sheet, [](V3) { return false; })).find("expected attached vertices, found none"),
      std::string::npos);
  EXPECT_NE(
      message_for(as_garment(sheet, [](V3) { return true; })).find("expected free cloth next to attached"),
      std::string::npos);
  EXPECT_NE(message_for(good, {.chains = 0}).find("1 to 1000 chains, found 0"), std::string::npos);
  EXPECT_NE(message_for(good, {.bones = 0}).find("1 to 1000 bones per chain, found 0"), std::string::npos);
  EXPECT_NE(message_for(good, {.spacing = NAN}).find("expected a spacing"), std::string::npos);

  // An edge of three triangles; a triangle the wrong way round.
  Garment bad = good;
  bad.shape.push_back({0, 2, 0});
  bad.triangles.push_back({8, 9, 49});
  std::string found = message_for(bad);
  EXPECT_NE(found.find("the edge from vertex 8 to 9: expected one or two triangles, found 3"),
            std::string::npos)
      << found;
  bad = good;
  std::swap(bad.triangles[20][0], bad.triangles[20][1]);
  EXPECT_NE(message_for(bad).find("facing opposite sides"), std::string::npos);
  bad = good;
  bad.triangles[5][1] = bad.triangles[5][0];
  EXPECT_NE(message_for(bad).find("triangle 5: expected three vertices"), std::string::npos);

  // A loose piece; a vertex in no triangle.
  bad = good;
  bad.shape.insert(bad.shape.end(), {{3, 1, 3}, {3, 1, 4}, {4, 1, 3}});
  EXPECT_NE(message_for(bad).find("vertex 49 is in no triangle"), std::string::npos);
  bad.triangles.push_back({49, 50, 51});
  found = message_for(bad);
  EXPECT_NE(found.find("that of vertex 49 without attachments; there are 2 pieces"), std::string::npos)
      << found;
}

TEST(LayChains, RefusesTwoHems) {
  // Attached along its outer border, with two holes as hems, like trousers.
  const GarmentMesh sheet = without(make_sheet(1, 1, {.columns = 30, .rows = 30}), [](V3 c) {
    return std::min(std::fabs(c.x - 0.28f), std::fabs(c.x - 0.72f)) < 0.18f && std::fabs(c.z - 0.5f) < 0.4f;
  });
  const auto rim = [](V3 p) { return std::min({p.x, p.z, 0.999f - p.x, 0.999f - p.z}) <= 0; };
  const std::string found = message_for(as_garment(sheet, rim));
  EXPECT_NE(found.find("expected one hem, found 2"), std::string::npos) << found;
}

TEST(LayChains, SucceedsOrThrowsForRandomAttachments) {
  billow::testing::Random random(11);
  const GarmentMesh dress = make_dress(24, 20);
  int succeeded = 0;
  for (int k = 0; k < 200; ++k) {
    // Attach above a slope, with random gaps, or isolated vertices.
    const float height = random.uniform_float(0.35, 1.35), slope = random.uniform_float(-0.5, 0.5);
    const double share = k % 3 == 0 ? random.uniform(0, 0.3) : k % 3 == 1 ? 1 : random.uniform(0.5, 1);
    const float top = k % 5 == 0 ? -9.0f : height;
    Garment g =
        as_garment(dress, [&](V3 p) { return p.y > top + slope * p.x && random.uniform(0, 1) < share; });
    if (k % 7 == 0) {
      const float at = random.uniform_float(-0.2, 0.2);
      const GarmentMesh holed = without(dress, [&](V3 c) { return std::fabs(c.x - at) < 0.05f && c.z > 0; });
      g = as_garment(holed, [&](V3 p) { return p.y > height; });
    }
    try {
      layout_chains(g, {.chains = 1 + random.bits() % 12, .bones = 1 + random.bits() % 8});
      validate(g, 1);
      ++succeeded;
      for (const Embedding& bone : g.bones)
        for (const float w : bone.weights) ASSERT_TRUE(w >= 0 && w <= 1.0001f) << k;
    } catch (const std::invalid_argument& e) {
      ASSERT_NE(std::string(e.what()).find("garment"), std::string::npos) << e.what();
    }
  }
  EXPECT_GT(succeeded, 60);
  std::printf("chains laid out on %d of 200 random garments\n", succeeded);
}

TEST(LayChains, RefusesTwoLayers) {
  // The tube runs down the outside and up the inside.
  const GarmentMesh tube = make_tube(
      {.columns = 30, .rows = 24}, [](double, double v) { return v < 0.5 ? 0.3 : 0.29; },
      [](double, double v) { return 0.4 + std::fabs(v - 0.5); });
  const std::string found = message_for(as_garment(tube, [](V3 p) { return p.y > 0.88f; }));
  EXPECT_NE(found.find("found no hem"), std::string::npos) << found;
  EXPECT_NE(found.find("use one layer"), std::string::npos) << found;
}

TEST(LayChains, HangsFromARowInTheMiddle) {
  const GarmentMesh ring = make_tube(
      {.columns = 40, .rows = 20}, [](double, double v) { return 0.1 + v; },
      [](double, double) { return 1.0; });
  Garment g = as_garment(ring, [](V3 p) { return std::fabs(std::hypot(p.x, p.z) - 0.6f) < 0.03f; });
  const std::vector<std::string> notes = layout_chains(g, {.chains = 8, .bones = 4});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("gets no chains"), std::string::npos) << notes[0];
  for (size_t c = 0; c < 8; ++c) {
    EXPECT_NEAR(std::hypot(bone_positions_of(g, c)[0].x, bone_positions_of(g, c)[0].z), 0.6, 0.01);
    EXPECT_NEAR(std::hypot(bone_positions_of(g, c)[4].x, bone_positions_of(g, c)[4].z), 1.1, 0.01)
        << "the larger part";
  }
}

}  // namespace
}  // namespace billow::garment
