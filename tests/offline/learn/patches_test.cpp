#include "learn/patches.h"

#include <gtest/gtest.h>

#include "body/person.h"
#include "garment/tailor.h"
#include "learn/patch_model.h"

namespace billow::learn {
namespace {

// Person and skin are made once: the skin takes longer than the tests.
garment::Garment small_garment(const char* name, size_t vertices = 400) {
  static const body::Person person = body::make_person();
  static const body::Skin skin = body::make_skin(person.skeleton, person.colliders, {.vertices = 4000});
  garment::Garment g = garment::make_garment(name, person, skin, vertices);
  g.rest = g.shape;
  return g;
}

std::vector<V3> bones_of(const garment::Garment& g) {
  std::vector<V3> bones(g.bones.size());
  garment::bone_positions(g, g.rest, bones);
  return bones;
}

TEST(Patches, HaveVerticesInGarmentsOfAnyLegalSize) {
  for (const char* name : {"cape", "skirt"})
    for (size_t more = 0; more < 60; more += 3) {
      const garment::Garment g = small_garment(name, garment::kMinVertices + more);
      for (const Patch& p : make_patches(g)) EXPECT_GE(p.vertices.size(), 2u) << name << " " << g.size();
    }
}

TEST(Patches, SharesOfEveryVertexAddUpToOne) {
  for (const char* name : {"cape", "skirt"}) {
    const garment::Garment g = small_garment(name);
    const std::vector<Patch> patches = make_patches(g);
    std::vector<float> sum(g.size(), 0);
    for (const Patch& p : patches)
      for (size_t i = 0; i < p.vertices.size(); ++i) sum[p.vertices[i]] += p.shares[i];
    for (const float s : sum) EXPECT_NEAR(s, 1, 1e-5f);
    size_t bones = 0;
    for (const auto& chain : g.chains) bones += chain.size();
    EXPECT_EQ(patches.size(), bones);
  }
}

TEST(Patches, DistantChainsWeighLess) {
  const PatchOptions options{.chains = 2, .bones = 1, .far_weight = 0.25f};
  const std::vector<float> weights = feature_weights(options);
  const Patch patch = make_patches(small_garment("cape"), options)[0];
  ASSERT_EQ(weights.size(), feature_count(patch));
  // Three bones a chain without the patch's own bone, three values each; then the up direction.
  EXPECT_EQ(weights[0], 0.25f) << "two chains away";
  EXPECT_EQ(weights[9], 1) << "the next chain";
  EXPECT_EQ(weights[weights.size() - 4], 0.25f);
  EXPECT_EQ(weights.back(), 1) << "up";
  EXPECT_THROW(make_patches(small_garment("cape"), {.far_weight = 0}), std::invalid_argument);
}

TEST(Patches, DistantChainsHaveFewerInputBones) {
  const garment::Garment skirt = small_garment("skirt");
  const PatchOptions options{.chains = 2, .bones = 3, .far_bones = 1};
  const Patch patch = make_patches(skirt, options)[2];  // third bone of the first chain
  // Its own chain and both adjacent ones, without its own bone; then two chains with one bone either way.
  ASSERT_EQ(patch.input_bones.size(), 3u * 7 - 1 + 2 * 3);
  EXPECT_EQ(feature_weights(options).size(), feature_count(patch));
  const auto& two_over = skirt.chains[skirt.chains.size() - 2];
  for (size_t k = 0; k < 3; ++k) EXPECT_EQ(patch.input_bones[k], static_cast<int32_t>(two_over[1 + k]));
  EXPECT_EQ(patch.input_bones[3], kNoBone) << "three above the third bone of the next chain";
  EXPECT_THROW(make_patches(skirt, {.far_bones = -1}), std::invalid_argument);
}

TEST(Patches, ClosedGarmentsWrapAround) {
  const garment::Garment cape = small_garment("cape"), skirt = small_garment("skirt");
  const Patch first_of_cape = make_patches(cape)[0], first_of_skirt = make_patches(skirt)[0];
  EXPECT_EQ(first_of_cape.left, first_of_cape.bone);
  EXPECT_EQ(first_of_skirt.left, skirt.chains.back()[0]);
}

// Rotating and translating all bones and the up direction together changes no feature.
TEST(Patches, FeaturesAreRigidlyInvariant) {
  const garment::Garment g = small_garment("cape");
  const std::vector<Patch> patches = make_patches(g);
  const std::vector<V3> bones = bones_of(g);
  const Transform moved{{1, 2, -3}, normalized(Quat{0.3f, -0.5f, 0.2f, 0.7f})};
  std::vector<V3> moved_bones;
  for (const V3& b : bones) moved_bones.push_back(apply(moved, b));
  const V3 up{0, 1, 0};
  for (const Patch& p : patches) {
    std::vector<float> here(feature_count(p)), there(feature_count(p));
    features(p, frame_of(p, bones), bones, up, here);
    features(p, frame_of(p, moved_bones), moved_bones, rotate(moved.rotation, up), there);
    for (size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 1e-5f);
  }
}

TEST(Patches, FramesAreOrthonormal) {
  const garment::Garment g = small_garment("skirt");
  std::vector<V3> bones = bones_of(g);
  const std::vector<Patch> patches = make_patches(g);
  // Coincident bones leave the directions undefined.
  for (const bool degenerate : {false, true}) {
    if (degenerate) std::fill(bones.begin(), bones.end(), V3{1, 1, 1});
    for (const Patch& p : patches) {
      const PatchFrame f = frame_of(p, bones);
      EXPECT_NEAR(dot(f.along, f.normal), 0, 1e-5f);
      EXPECT_NEAR(length(f.along), 1, 1e-5f);
      EXPECT_NEAR(length(f.normal), 1, 1e-5f);
      EXPECT_NEAR(length(f.across), 1, 1e-5f);
      const V3 v{0.2f, -0.4f, 0.7f}, back = f.to_world(f.to_local(v));
      EXPECT_NEAR(length(back - v), 0, 1e-5f);
    }
  }
}

TEST(Patches, BuiltInGarmentsAreSymmetric) {
  for (const char* name : {"cape", "skirt"}) {
    garment::Garment g = small_garment(name);
    const auto mirror = find_mirror(g);
    ASSERT_TRUE(mirror) << name;
    for (uint32_t v = 0; v < g.size(); ++v)
      EXPECT_LT(length(mirrored(g.shape[v]) - g.shape[mirror->vertices[v]]), 1e-3f);
    g.shape[7].x += 0.01f;
    EXPECT_FALSE(find_mirror(g)) << name;
  }
}

// A patch and its mirror image share a network: one has in a frame the features that the other has in the mirrored frame, and
// the same local vector maps to mirrored world vectors.
TEST(Patches, MirrorImagesShareANetwork) {
  for (const char* name : {"cape", "skirt"}) {
    const garment::Garment g = small_garment(name);
    const auto mirror = find_mirror(g);
    ASSERT_TRUE(mirror) << name;
    const std::vector<Patch> patches = make_patches(g, {}, &*mirror);
    // Perturbed bones and their mirror images.
    std::vector<V3> bones = bones_of(g), images(bones.size());
    for (size_t b = 0; b < bones.size(); ++b) {
      const auto t = static_cast<float>(b);
      bones[b] += V3{0.03f * std::sin(t), 0.02f * std::cos(2 * t), 0.04f * std::sin(3 * t)};
    }
    for (size_t b = 0; b < bones.size(); ++b) images[b] = mirrored(bones[mirror->bones[b]]);
    const V3 up = unit_or({0.2f, 0.9f, -0.3f}, {0, 1, 0});

    size_t pairs = 0;
    std::vector<float> shares(g.size());
    for (const Patch& other : patches) {
      for (size_t i = 0; i < other.vertices.size(); ++i) shares[other.vertices[i]] += other.shares[i];
      if (!other.flipped) continue;
      ++pairs;
      const Patch& one = *std::ranges::find(patches, other.network, &Patch::network);
      ASSERT_FALSE(one.flipped);
      EXPECT_EQ(other.bone, mirror->bones[one.bone]);
      const PatchFrame here = frame_of(one, images), there = frame_of(other, bones);
      std::vector<float> a(feature_count(one)), b(feature_count(other));
      features(one, here, images, mirrored(up), a);
      features(other, there, bones, up, b);
      for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5f);
      const V3 local{0.3f, -0.2f, 0.5f};
      EXPECT_LT(length(mirrored(here.to_world(local)) - there.to_world(local)), 1e-5f);
      ASSERT_EQ(one.vertices.size(), other.vertices.size());
      for (size_t i = 0; i < one.vertices.size(); ++i) {
        const auto at = std::ranges::lower_bound(other.vertices, mirror->vertices[one.vertices[i]]);
        ASSERT_NE(at, other.vertices.end());
        EXPECT_EQ(one.shares[i], other.shares[static_cast<size_t>(at - other.vertices.begin())]);
      }
    }
    for (const float s : shares) EXPECT_NEAR(s, 1, 1e-5f);
    EXPECT_GE(pairs, patches.size() / 2 - g.chains[0].size())
        << name;  // chains in the middle are their own images
  }
}

// With zero coefficients and the rest cloth in the rest frames as mean, the cloth moves rigidly with its bones.
TEST(PatchModel, FollowsRigidMotionOfItsBones) {
  const garment::Garment g = small_garment("cape");
  const auto mirror = find_mirror(g);
  PatchModel model;
  model.patches = make_patches(g, {}, &*mirror);
  model.rest = g.rest;
  model.bone_rest = bones_of(g);
  for (const Patch& p : model.patches) {
    const PatchFrame frame = frame_of(p, model.bone_rest);
    PatchBasis& basis = model.bases.emplace_back();
    const auto vertices = static_cast<Eigen::Index>(p.vertices.size());
    basis.mean.resize(3 * vertices);
    basis.modes = Matrix::Zero(1, vertices);
    for (size_t i = 0; i < p.vertices.size(); ++i) {
      const V3 x = frame.to_local(g.rest[p.vertices[i]] - frame.origin) * std::sqrt(p.shares[i]);
      basis.mean.segment<3>(static_cast<Eigen::Index>(3 * i)) << x.x, x.y, x.z;
    }
    const auto count = static_cast<Eigen::Index>(feature_count(p));
    if (p.flipped) continue;
    Network& network = model.networks.emplace_back();
    network.mean = Vector::Zero(count), network.scale = Vector::Ones(count);
    network.linear = Matrix::Zero(3, count);
  }
  const Transform moved{{0.1f, 0.2f, -0.3f}, normalized(Quat{0.1f, 0.6f, 0.2f, 0.7f})};
  PatchInputs inputs{Matrix(2, static_cast<Eigen::Index>(3 * g.bones.size())), Matrix::Zero(2, 3)};
  inputs.bones.row(0).setZero();
  for (size_t b = 0; b < g.bones.size(); ++b) {
    const V3 d = apply(moved, model.bone_rest[b]) - model.bone_rest[b];
    inputs.bones.row(1).segment<3>(static_cast<Eigen::Index>(3 * b)) << d.x, d.y, d.z;
  }
  Matrix cloth(2, static_cast<Eigen::Index>(3 * g.size()));
  model(inputs, true, cloth);
  EXPECT_LT(cloth.row(0).cwiseAbs().maxCoeff(), 1e-5f);
  for (size_t v = 0; v < g.size(); ++v) {
    const V3 expected = apply(moved, g.rest[v]) - g.rest[v];
    const auto d = cloth.row(1).segment<3>(static_cast<Eigen::Index>(3 * v));
    EXPECT_LT(length(V3{d[0], d[1], d[2]} - expected), 1e-5f);
  }
}

}  // namespace
}  // namespace billow::learn
