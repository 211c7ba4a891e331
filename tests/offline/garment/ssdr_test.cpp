// Smooth skinning decomposition of cloth that was moved by known bones.
#include "garment/ssdr.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "body/skeleton.h"
#include "cloths.h"
#include "offline/import/files.h"

namespace billow::garment {
namespace {

using billow::testing::make_sheet;
using billow::testing::Random;

struct AnimatedMesh {
  GarmentMesh mesh;
  std::vector<V3> frames;
};

// A sheet moved by random rigid motions of `bones` bones with smooth weights.
AnimatedMesh move_by_bones(uint32_t columns, uint32_t rows, size_t bones, size_t frames, uint32_t seed) {
  AnimatedMesh out;
  out.mesh = make_sheet(1, 1, {.columns = columns, .rows = rows});
  Random random(seed);
  std::vector<V3> centres;
  for (size_t b = 0; b < bones; ++b)
    centres.push_back(
        {random.uniform_float(0.05, 0.95), 1, (static_cast<float>(b) + 0.5f) / static_cast<float>(bones)});
  const size_t n = out.mesh.positions.size();
  std::vector<std::vector<double>> weights(n, std::vector<double>(bones, 0));
  for (size_t v = 0; v < n; ++v) {
    // Each vertex follows its two nearest bones.
    std::vector<std::pair<double, size_t>> order;
    for (size_t b = 0; b < bones; ++b)
      order.push_back({std::fabs(static_cast<double>(out.mesh.positions[v].z - centres[b].z)), b});
    std::sort(order.begin(), order.end());
    const double d0 = order[0].first, d1 = bones > 1 ? order[1].first : 1;
    const double share = std::clamp(1.5 * d1 / (d0 + d1) - 0.25, 0.0, 1.0);
    weights[v][order[0].second] = bones > 1 ? share : 1;
    if (bones > 1) weights[v][order[1].second] = 1 - share;
  }
  for (size_t f = 0; f < frames; ++f) {
    std::vector<Transform> animated;
    for (size_t b = 0; b < bones; ++b) {
      const auto axis = random.direction();
      const Quat turn =
          body::rotation_about({billow::testing::as_float(axis[0]), billow::testing::as_float(axis[1]),
                                billow::testing::as_float(axis[2])},
                               random.uniform_float(-0.7, 0.7));
      const V3 to = centres[b] + V3{random.uniform_float(-0.2, 0.2), random.uniform_float(-0.2, 0.2),
                                    random.uniform_float(-0.2, 0.2)};
      animated.push_back({to - rotate(turn, centres[b]), turn});
    }
    for (size_t v = 0; v < n; ++v) {
      V3 sum{0, 0, 0};
      for (size_t b = 0; b < bones; ++b)
        sum += apply(animated[b], out.mesh.positions[v]) * static_cast<float>(weights[v][b]);
      out.frames.push_back(sum);
    }
  }
  return out;
}

TEST(SsdrSlow, RecoversKnownBones) {
  const AnimatedMesh animated = move_by_bones(16, 24, 5, 24, 3);
  const Ssdr found = decompose(animated.mesh.positions, animated.mesh.triangles, animated.frames,
                               {.bones = 5, .rounds = 200, .tolerance = 1e-5});
  std::printf("5 bones recovered: rms %.4f mm\n", 1000 * found.rms);
  EXPECT_LT(found.rms, 0.001);
  ASSERT_EQ(found.embeddings.size(), 5u);
  ASSERT_EQ(found.transforms.size(), 5u * 24);
  // Weights are sparse and convex; bones and weights reproduce the frames.
  double sum = 0;
  for (size_t v = 0; v < animated.mesh.positions.size(); ++v) {
    float total = 0;
    for (size_t k = 0; k < kBonesPerVertex; ++k) {
      EXPECT_GE(found.weights[v][k], 0);
      total += found.weights[v][k];
    }
    EXPECT_NEAR(total, 1, 1e-5);
    V3 p{0, 0, 0};
    for (size_t k = 0; k < kBonesPerVertex; ++k)
      p += apply(found.transforms[5 * 23 + found.bones[v][k]], animated.mesh.positions[v]) *
           found.weights[v][k];
    const V3 d = p - animated.frames[23 * animated.mesh.positions.size() + v];
    sum += static_cast<double>(dot(d, d));
  }
  EXPECT_LT(std::sqrt(sum / static_cast<double>(animated.mesh.positions.size())), 3 * found.rms + 1e-5);
}

TEST(Ssdr, ARigidMotionNeedsOneBone) {
  const AnimatedMesh animated = move_by_bones(8, 8, 1, 10, 5);
  const Ssdr found =
      decompose(animated.mesh.positions, animated.mesh.triangles, animated.frames, {.bones = 1});
  EXPECT_LT(found.rms, 1e-6);
  const Embedding& centre = found.embeddings[0];
  const V3 middle = position_of(centre, animated.mesh.positions);
  EXPECT_NEAR(middle.x, 0.5, 1e-3);
  EXPECT_NEAR(middle.z, 0.5, 1e-3);
}

// A waving sheet of 2,000 vertices, 60 frames.
AnimatedMesh waving_sheet() {
  AnimatedMesh out;
  out.mesh = make_sheet(1, 1, {.columns = 44, .rows = 44});
  for (int f = 0; f < 60; ++f)
    for (const V3& p : out.mesh.positions) {
      const float t = 0.11f * static_cast<float>(f);
      const float wave = 0.12f * p.z * std::sin(5 * p.z - 3 * t) + 0.05f * p.z * std::sin(9 * p.x + 2 * t);
      out.frames.push_back({p.x + 0.03f * p.z * std::sin(2 * t), p.y + wave, p.z - 0.2f * wave * wave});
    }
  return out;
}

TEST(SsdrSlow, ErrorFallsWithMoreBonesInSeconds) {
  const AnimatedMesh animated = waving_sheet();
  double before = INFINITY;
  for (const size_t bones : {4, 10, 20, 40}) {
    const auto began = std::chrono::steady_clock::now();
    const Ssdr found =
        decompose(animated.mesh.positions, animated.mesh.triangles, animated.frames, {.bones = bones});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::printf("%zu vertices, 60 frames, %2zu bones: rms %.3f mm in %.2f s\n",
                animated.mesh.positions.size(), bones, 1000 * found.rms, seconds);
    EXPECT_LT(found.rms, 0.8 * before) << bones;
    before = found.rms;
  }
  EXPECT_LT(before, 0.002);
}

TEST(Ssdr, IsDeterministic) {
  const AnimatedMesh animated = move_by_bones(8, 10, 3, 8, 9);
  const auto once = [&] {
    return decompose(animated.mesh.positions, animated.mesh.triangles, animated.frames, {.bones = 3});
  };
  const Ssdr a = once(), b = once();
  EXPECT_EQ(a.rms, b.rms);
  EXPECT_EQ(a.weights, b.weights);
}

TEST(Ssdr, RefusesBadInput) {
  AnimatedMesh animated = move_by_bones(4, 4, 2, 3, 9);
  const auto message = [&](size_t bones) {
    return message_of([&] {
      decompose(animated.mesh.positions, animated.mesh.triangles, animated.frames, {.bones = bones});
    });
  };
  EXPECT_NE(message(0).find("expected 1 to 25 bones, found 0"), std::string::npos);
  EXPECT_NE(message(26).find("found 26"), std::string::npos);
  animated.frames.pop_back();
  EXPECT_NE(message(2).find("expected frames of 25 vertices each, found 74 positions"), std::string::npos);
  animated.frames.push_back({0, NAN, 0});
  EXPECT_NE(message(2).find("frame 2, vertex 24 is not finite"), std::string::npos) << message(2);
}

}  // namespace
}  // namespace billow::garment
