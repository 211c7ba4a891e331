// Lengths of the pattern: which distances are kept, and how stretched or crumpled cloth gets them back.
#include "decode/restore_lengths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "decode/point_pairs.h"

namespace billow::restore_lengths_test {
namespace {

constexpr uint32_t kSide = 30, kVertices = kSide * kSide;
constexpr float kCell = 0.01f;

LengthLevels find_levels(const LengthMesh& mesh, std::vector<unsigned char>& memory) {
  Arena measured;
  find_length_levels(mesh, measured);
  memory.resize(measured.used());
  Arena scratch(memory.data());
  return find_length_levels(mesh, scratch);
}

// A square of cloth in the xy plane that hangs on its first row, a tube of it whose columns close with a seam, or a ring that
// waves, and has no pattern: it is wider than any flat ring.
enum class Cut { square, tube, flared };
struct Sheet {
  explicit Sheet(Cut cut = Cut::square) {
    constexpr float kRadius = kSide * kCell / 6.2831853f;
    const bool closed = cut != Cut::square;
    for (uint32_t r = 0; r < kSide; ++r)
      for (uint32_t c = 0; c < kSide; ++c) {
        const float u = kCell * static_cast<float>(c), v = kCell * static_cast<float>(r);
        pattern.insert(pattern.end(), {u, v});
        const float angle = u / kRadius, reach = kRadius + 0.2f * v;
        if (cut == Cut::tube)
          rest.insert(rest.end(), {kRadius * std::cos(angle), -v, -kRadius * std::sin(angle)});
        else if (cut == Cut::flared)
          rest.insert(rest.end(),
                      {reach * std::cos(angle), 0.6f * v * std::cos(2 * angle), -reach * std::sin(angle)});
        else
          rest.insert(rest.end(), {u, -v, 0});
        const uint32_t a = r * kSide + c, b = r * kSide + (c + 1) % kSide;
        if (r + 1 < kSide && (closed || c + 1 < kSide))
          triangles.insert(triangles.end(), {a, a + kSide, b, b, a + kSide, b + kSide});
        if (r == 0) attached.push_back(a);
      }
    first.resize(kVertices + 1), corners.resize(2 * triangles.size());
    const auto count = static_cast<uint32_t>(triangles.size() / 3);
    NormalPolygons counted;
    find_normal_polygons(triangles.data(), count, kVertices, {first.data(), corners.data()}, counted);
    const LengthMesh mesh{.around = {first.data(), corners.data()},
                          .rest = rest.data(),
                          .pattern_uvs = cut == Cut::flared ? nullptr : pattern.data(),
                          .vertices = kVertices,
                          .triangles = count,
                          .attached = attached};
    levels = find_levels(mesh, memory);
    Arena measured;
    take_length_state(levels, measured, state);
    state_memory.resize(measured.used());
    Arena arena(state_memory.data());
    take_length_state(levels, arena, state);
  }

  // The cloth after some frames in which `decoded` does not change.
  std::vector<float> shown(const std::vector<float>& decoded, int frames, LengthInput in = {}) {
    in.dt = in.dt > 0 ? in.dt : 1.0f / 60;
    in.attached = attached;
    std::vector<float> positions;
    for (int k = 0; k < frames; ++k) {
      positions = decoded;
      positions.resize(decoded.size() + 3 * kLanes);
      restore_lengths(levels, in, positions.data(), {}, state);
    }
    positions.resize(decoded.size());
    return positions;
  }
  float mean_strain(const std::vector<float>& positions) const {
    double sum = 0, count = 0;
    for (size_t t = 0; t < triangles.size(); t += 3)
      for (size_t k = 0; k < 3; ++k) {
        const uint32_t a = triangles[t + k], b = triangles[t + (k + 1) % 3];
        const auto length = [&](const std::vector<float>& p) {
          return std::hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1], p[3 * a + 2] - p[3 * b + 2]);
        };
        sum += static_cast<double>(std::abs(length(positions) / length(rest) - 1)), ++count;
      }
    return static_cast<float>(sum / count);
  }

  std::vector<float> rest, pattern;
  std::vector<uint32_t> triangles, attached, first, corners;
  std::vector<unsigned char> memory, state_memory;
  LengthLevels levels;
  LengthState state;
};

template <class F> std::vector<float> mapped(std::vector<float> points, F place) {
  for (size_t i = 0; i < points.size(); i += 3) {
    const V3 p = place(V3{points[i], points[i + 1], points[i + 2]});
    points[i] = p.x, points[i + 1] = p.y, points[i + 2] = p.z;
  }
  return points;
}

// The pairs of a level, without those that pad groups.
template <class F> void for_each_pair(const LengthLevel& level, F take) {
  for (size_t g = 0; g < level.pairs.groups; ++g)
    for (size_t k = 0; k < kPairGroup; ++k) {
      const uint32_t* ends = level.pairs.ends + 2 * kPairGroup * g + k;
      const float* bounds = level.pairs.bounds + 3 * kPairGroup * g + k;
      const uint32_t a = ends[0] / kPointBytes, b = ends[kPairGroup] / kPointBytes;
      if (a != level.nodes) take(g, a, b, bounds[0], bounds[kPairGroup]);
    }
}

// Laid flat, its far side comes to lie on the near one. Pairs as short as that crumple the cloth.
TEST(LengthLevels, NoPairIsShorterThanTheStraightWay) {
  const Sheet sheet(Cut::flared);
  const auto at = [&](uint32_t v) {
    return V3{sheet.rest[3 * v], sheet.rest[3 * v + 1], sheet.rest[3 * v + 2]};
  };
  ASSERT_GE(sheet.levels.count, 4);
  for (int l = 1; l < sheet.levels.count; ++l) {
    const LengthLevel& level = sheet.levels.level[l];
    uint32_t pairs = 0;
    for_each_pair(level, [&](size_t, uint32_t a, uint32_t b, float longest, float) {
      EXPECT_GE(longest, 0.9f * length(at(level.vertex[a]) - at(level.vertex[b]))) << l;
      ++pairs;
    });
    EXPECT_GE(pairs + 1, level.nodes) << l;
  }
}

TEST(LengthLevels, PairsHaveTheDistancesOfThePattern) {
  for (const bool tube : {false, true}) {
    const Sheet sheet(tube ? Cut::tube : Cut::square);
    ASSERT_GE(sheet.levels.count, 4);
    for (int l = 0; l < sheet.levels.count; ++l) {
      const LengthLevel& level = sheet.levels.level[l];
      EXPECT_GT(level.nodes, 1u);
      if (l > 0) {
        EXPECT_LE(level.nodes, sheet.levels.level[l - 1].nodes / 2);
      }
      uint32_t pairs = 0, across_the_seam = 0;
      for_each_pair(level, [&](size_t, uint32_t a, uint32_t b, float longest, float shortest) {
        const uint32_t va = l == 0 ? a : level.vertex[a], vb = l == 0 ? b : level.vertex[b];
        float u = std::abs(sheet.pattern[2 * va] - sheet.pattern[2 * vb]);
        const float v = sheet.pattern[2 * va + 1] - sheet.pattern[2 * vb + 1];
        if (tube && u > kSide * kCell / 2) u = kSide * kCell - u, ++across_the_seam;
        // On the tube the cells of the seam are chords.
        EXPECT_NEAR(longest, std::hypot(u, v), tube ? 0.02f * longest : 1e-4f) << l << " " << va << " " << vb;
        EXPECT_LE(shortest, longest);
        EXPECT_GT(shortest, 0.15f * longest);
        ++pairs;
      });
      if (level.nodes > 8) {
        EXPECT_GT(pairs, level.nodes) << l;
      }
      if (tube && l < 4) {  // a fifth level has pairs of half the circumference
        EXPECT_GT(across_the_seam, 1u) << l;
      }
    }
  }
}

TEST(LengthLevels, PairsOfAGroupShareNoNode) {
  const Sheet sheet;
  for (int l = 0; l < sheet.levels.count; ++l) {
    std::set<std::pair<size_t, uint32_t>> seen;
    for_each_pair(sheet.levels.level[l], [&](size_t group, uint32_t a, uint32_t b, float, float) {
      EXPECT_TRUE(seen.insert({group, a}).second) << l;
      EXPECT_TRUE(seen.insert({group, b}).second) << l;
    });
  }
}

// Files are untrusted: a fan of very many triangles, and a long strip in a confused order, take no longer than other meshes.
TEST(LengthLevels, AreFoundForMeshesThatAreNoCloth) {
  constexpr uint32_t kMany = 100'000;
  const auto levels_of = [](std::vector<uint32_t> triangles, const std::vector<float>& rest) {
    const auto vertices = static_cast<uint32_t>(rest.size() / 3),
               count = static_cast<uint32_t>(triangles.size() / 3);
    std::vector<uint32_t> first(vertices + 1), corners(2 * triangles.size());
    NormalPolygons counted;
    find_normal_polygons(triangles.data(), count, vertices, {first.data(), corners.data()}, counted);
    const uint32_t attached[] = {0};
    std::vector<unsigned char> memory;
    return find_levels({.around = {first.data(), corners.data()},
                        .rest = rest.data(),
                        .vertices = vertices,
                        .triangles = count,
                        .attached = attached},
                       memory)
        .count;
  };
  std::vector<uint32_t> fan, strip;
  std::vector<float> circle{0, 0, 0}, line;
  for (uint32_t k = 1; k <= kMany; ++k) {
    const float angle = 6.28f * static_cast<float>(k) / kMany;
    circle.insert(circle.end(), {std::cos(angle), std::sin(angle), 0});
    if (k < kMany) fan.insert(fan.end(), {0, k, k + 1});
  }
  // Vertex k of the strip is number k * kStep % kMany.
  constexpr uint32_t kStep = 38'197;
  line.resize(3 * kMany);
  for (uint64_t k = 0; k < kMany; ++k) {
    const auto number = [&](uint64_t at) { return static_cast<uint32_t>(at * kStep % kMany); };
    line[3 * number(k)] = 0.01f * static_cast<float>(k / 2),
             line[3 * number(k) + 1] = 0.01f * static_cast<float>(k % 2);
    if (k + 2 < kMany) strip.insert(strip.end(), {number(k), number(k + 1 + k % 2), number(k + 2 - k % 2)});
  }
  EXPECT_GE(levels_of(fan, circle), 1);
  EXPECT_GE(levels_of(strip, line), 4);
}

// Flat cloth is straight: nodes are before and after a vertex, and their mean on the pattern is the vertex itself.
TEST(Fairing, NodesAreStraightAheadAndBehind) {
  for (const bool tube : {false, true}) {
    const Sheet sheet(tube ? Cut::tube : Cut::square);
    for (int p = 0; p < kFairingPasses; ++p) {
      uint32_t fair = 0;
      for (uint32_t v = 0; v < kVertices; ++v) {
        const size_t first = size_t{kFairingNodes} * (v - v % kFairingGroup) + v % kFairingGroup;
        float sum = 0, u = 0, w = 0, along = 0, across = 0;
        for (size_t j = 0; j < kFairingNodes; ++j) {
          const uint32_t node = sheet.levels.fairing.pass[p].nodes[first + j * kFairingGroup] / kPointBytes;
          const float weight = sheet.levels.fairing.pass[p].weights[first + j * kFairingGroup];
          float du = sheet.pattern[2 * node] - sheet.pattern[2 * v];
          const float dw = sheet.pattern[2 * node + 1] - sheet.pattern[2 * v + 1];
          if (tube && std::abs(du) > kSide * kCell / 2) du -= std::copysign(kSide * kCell, du);
          sum += weight, u += weight * du, w += weight * dw;
          along = std::max(along, std::abs(dw)), across = std::max(across, std::abs(du));
        }
        ASSERT_NEAR(sum, 1, 1e-5f);
        ASSERT_NEAR(u, 0, 2e-4f) << p << " " << v;
        ASSERT_NEAR(w, 0, 2e-4f) << p << " " << v;
        if (along == 0 && across == 0) continue;
        ++fair;
        if (p == 2)
          EXPECT_GE(across, along) << v;
        else
          EXPECT_GE(along, across) << v;
      }
      EXPECT_GT(fair, kVertices / 2) << p;
    }
  }
}

TEST(RestoreLengths, IronsOutCrumplesAndKeepsFolds) {
  Sheet crumpled, folded;
  // Crumples of 4 cm along the hang, and folds of 12 cm across it, by how far vertices are from the middle of two others.
  const auto bend = [](const std::vector<float>& z, uint32_t step) {
    double squares = 0;
    for (uint32_t v = step; v + step < kVertices; ++v) {
      const float off = z[3 * v + 2] - 0.5f * (z[3 * (v - step) + 2] + z[3 * (v + step) + 2]);
      if (v % kSide > 0 && v % kSide + 1 < kSide) squares += static_cast<double>(off * off);
    }
    return std::sqrt(squares / kVertices);
  };
  const auto crumples = mapped(crumpled.rest, [](V3 p) {
    return V3{p.x, p.y, 0.002f * std::sin(157 * p.y)};
  });
  const auto folds = mapped(folded.rest, [](V3 p) {
    return V3{0.8f * p.x, p.y, 0.02f * std::sin(52 * p.x)};
  });
  EXPECT_LT(bend(crumpled.shown(crumples, 30), kSide), 0.1 * bend(crumples, kSide));
  EXPECT_GT(bend(folded.shown(folds, 30), 1), 0.7 * bend(folds, 1));
}

TEST(RestoreLengths, LeavesClothThatHasThemAlone) {
  Sheet sheet;
  const std::vector<float> shown = sheet.shown(sheet.rest, 20);
  for (size_t i = 0; i < shown.size(); ++i) ASSERT_NEAR(shown[i], sheet.rest[i], 2e-4f);
}

TEST(RestoreLengths, ShortensStretchedCloth) {
  Sheet sheet;
  const auto stretched = mapped(sheet.rest, [](V3 p) { return V3{p.x, 1.4f * p.y, p.z}; });
  EXPECT_GT(sheet.mean_strain(stretched), 0.2f);
  EXPECT_LT(sheet.mean_strain(sheet.shown(stretched, 60)), 0.015f);
}

TEST(RestoreLengths, WidensFoldsThatAreTooShort) {
  Sheet sheet;
  // Folds of 12 cm with a fifth of the width missing.
  const auto flattened = mapped(sheet.rest, [](V3 p) {
    return V3{0.8f * p.x, p.y, 0.008f * std::sin(52.0f * p.x)};
  });
  EXPECT_GT(sheet.mean_strain(flattened), 0.05f);
  EXPECT_LT(sheet.mean_strain(sheet.shown(flattened, 60)), 0.03f);
}

TEST(RestoreLengths, StaysWithinItsBoundAndSurvivesAnything) {
  Sheet sheet;
  auto torn = mapped(sheet.rest, [](V3 p) { return p * 30.0f; });
  const std::vector<float> shown = sheet.shown(torn, 50);
  for (uint32_t v = 0; v < kVertices; ++v) {
    const float *a = &shown[3 * v], *b = &torn[3 * v];
    ASSERT_LT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 0.2001f);
  }
  torn[5] = std::numeric_limits<float>::quiet_NaN(), torn[100] = std::numeric_limits<float>::infinity();
  sheet.shown(torn, 5);
  // Folds over itself may last, within the bound; a fresh start has none.
  const auto expect_near_rest = [&](float most) {
    const std::vector<float> again = sheet.shown(sheet.rest, 60);
    for (size_t i = 0; i < again.size(); ++i) ASSERT_NEAR(again[i], sheet.rest[i], most);
  };
  expect_near_rest(0.2001f);
  sheet.state.fresh = 1;
  expect_near_rest(2e-4f);
}

TEST(RestoreLengths, ShowsTheSameClothAgainWithoutTime) {
  Sheet sheet;
  const auto stretched = mapped(sheet.rest, [](V3 p) { return V3{p.x, 1.2f * p.y, p.z}; });
  const std::vector<float> shown = sheet.shown(stretched, 3);
  std::vector<float> again = stretched;
  again.resize(stretched.size() + 3 * kLanes);
  restore_lengths(sheet.levels, {.dt = 0, .attached = sheet.attached}, again.data(), {}, sheet.state);
  again.resize(stretched.size());
  EXPECT_EQ(again, shown);
}

TEST(RestoreLengths, GoesWithTheKeyJointAndItsScale) {
  const Quat turn = normalized({0.2f, 0.7f, -0.1f, 0.6f});
  const Transform key{{100, -20, 50}, turn};
  const auto stretched = [](V3 p) { return V3{p.x, 1.2f * p.y, p.z}; };
  Sheet here, there;
  const std::vector<float> shown = here.shown(mapped(here.rest, stretched), 10),
                           moved = there.shown(
                               mapped(there.rest,
                                      [&](V3 p) { return rotate(turn, stretched(p) * 2.0f) + key.position; }),
                               10, {.scale = 2, .key = key});
  for (uint32_t v = 0; v < kVertices; ++v) {
    const V3 expected =
        rotate(turn, V3{shown[3 * v], shown[3 * v + 1], shown[3 * v + 2]} * 2.0f) + key.position;
    ASSERT_NEAR(moved[3 * v], expected.x, 5e-4f);
    ASSERT_NEAR(moved[3 * v + 1], expected.y, 5e-4f);
    ASSERT_NEAR(moved[3 * v + 2], expected.z, 5e-4f);
  }
}

TEST(RestoreLengths, IsTheSameAtAnyFrameRate) {
  Sheet slow, fast;
  const auto stretched = mapped(slow.rest, [](V3 p) { return V3{0.9f * p.x, 1.1f * p.y, 0.1f * p.x}; });
  const std::vector<float> at_30 = slow.shown(stretched, 30, {.dt = 1.0f / 30}),
                           at_120 = fast.shown(stretched, 120, {.dt = 1.0f / 120});
  double squares = 0;
  for (size_t i = 0; i < at_30.size(); ++i)
    squares += std::pow(static_cast<double>(at_30[i]) - static_cast<double>(at_120[i]), 2);
  EXPECT_LT(std::sqrt(squares / kVertices), 2e-3);  // m
}

}  // namespace
}  // namespace billow::restore_lengths_test
