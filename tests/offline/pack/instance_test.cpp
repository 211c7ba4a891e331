// The runtime's frame against the trained model, and its mesh against the body.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "asset/garment_view.h"
#include "body/postures.h"
#include "character/rope_chains.h"
#include "motion/motions.h"
#include "pack/pack_matrix.h"
#include "pack/sample_garment.h"
#include "support/random.h"

namespace billow::pack {
namespace {

struct Playback {
  Playback(const GarmentData& packed, Precision precision) {
    const std::string bytes = pack_garment(packed, {precision});
    const billow_garment_desc desc{bytes.data(), bytes.size(), 0, nullptr};
    EXPECT_EQ(billow_garment_create(&desc, &garment), BILLOW_OK) << billow_last_error();
    EXPECT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK) << billow_last_error();
  }
  ~Playback() {
    billow_instance_destroy(instance);
    billow_garment_destroy(garment);
  }
  void step(float dt, std::span<const Transform> joints) {
    const auto posed = body::to_api(joints);
    billow_frame frame{};
    frame.dt = dt;
    frame.joints = posed.data();
    frame.joint_count = static_cast<uint32_t>(posed.size());
    ASSERT_EQ(billow_instance_step(instance, &frame), BILLOW_OK) << billow_last_error();
  }
  billow_garment* garment = nullptr;
  billow_instance* instance = nullptr;
};

GarmentData read_back(const GarmentData& packed) {
  const auto file = std::filesystem::temp_directory_path() / ("billow_read_back_" + std::to_string(getpid()));
  write_garment_asset(packed, file);
  const GarmentData back = read_garment_asset(file);
  std::filesystem::remove(file);
  return back;
}

// Joint transforms of the first `count` frames of a motion.
std::vector<std::vector<Transform>> frames_of(const body::Person& person, const char* motion, size_t count) {
  const motion::Clip clip = motion::make_motion(person, {motion, 3, static_cast<float>(count) / 30, 30, 5});
  std::vector<std::vector<Transform>> out;
  for (size_t f = 0; f < count && f < clip.frames.size(); ++f)
    out.push_back(body::joint_transforms(person.skeleton, clip.frames[f]));
  return out;
}

// Displacements of the trained model for the bones of an instance. `rigid`: motion of the key joint.
learn::Matrix expected(const GarmentData& p, const Playback& playback, const Transform& rigid, bool shape) {
  std::vector<V3> bones(p.garment.bones.size()), rest(bones.size());
  billow_instance_get_bones(playback.instance, &bones[0].x, static_cast<uint32_t>(bones.size()));
  garment::bone_positions(p.garment, p.garment.rest, rest);
  learn::Matrix d(1, static_cast<Eigen::Index>(3 * bones.size()));
  for (size_t b = 0; b < bones.size(); ++b) {
    const V3 difference = apply(inverse(rigid), bones[b]) - rest[b];
    d.block<1, 3>(0, static_cast<Eigen::Index>(3 * b)) << difference.x, difference.y, difference.z;
  }
  if (const auto* model = std::get_if<learn::Model>(&p.model)) return shape ? (*model)(d) : model->skinned(d);
  const V3 up = rotate(conjugate(rigid.rotation), V3{0, 1, 0});
  learn::PatchInputs inputs{d, learn::Matrix(1, 3)};
  inputs.up << up.x, up.y, up.z;
  learn::Matrix out(1, static_cast<Eigen::Index>(3 * p.garment.size()));
  std::get<learn::PatchModel>(p.model)(inputs, shape, out);
  return out;
}

void expect_as_trained(const body::Person& person, const GarmentData& p, Precision precision,
                       double max_error_mm, bool shape = true) {
  Playback playback(p, precision);
  billow_instance_options o = billow_instance_options_default();
  o.push_out = 0, o.lengths = BILLOW_LENGTHS_OFF;
  o.shape = shape;
  billow_instance_set_options(playback.instance, &o);
  const auto key = static_cast<size_t>(p.skeleton.at(p.garment.key_joint));
  const Transform back = inverse(body::rest_transforms(p.skeleton)[key]);
  double squares = 0, count = 0;
  for (const auto& joints : frames_of(person, "run", 20)) {
    playback.step(1 / 30.0f, joints);
    const Transform rigid = joints[key] * back;
    const learn::Matrix expected_cloth = expected(p, playback, rigid, shape);
    const float* found = billow_instance_position_data(playback.instance);
    for (size_t v = 0; v < p.garment.size(); ++v) {
      const auto at = static_cast<Eigen::Index>(3 * v);
      const V3 position =
          apply(rigid, p.garment.rest[v] +
                           V3{expected_cloth(0, at), expected_cloth(0, at + 1), expected_cloth(0, at + 2)});
      const V3 error = position - V3{found[3 * v], found[3 * v + 1], found[3 * v + 2]};
      squares += static_cast<double>(dot(error, error)), ++count;
    }
  }
  EXPECT_LT(1000 * std::sqrt(squares / count), max_error_mm);
}

void expect_as_trained(const SampleOptions& options, Precision precision, double max_error_mm,
                       bool shape = true) {
  const body::Person person = body::make_person();
  expect_as_trained(person, sample_garment(person, options), precision, max_error_mm, shape);
}

TEST(InstanceFrame, MatchesTheWholeClothModel) {
  const SampleOptions small{
      .across = 20, .down = 25, .patches = false, .skinning_components = 12, .shape_components = 9};
  expect_as_trained(small, Precision::kFloat32, 0.01);
  expect_as_trained(small, Precision::kFloat32, 0.01, false);
  expect_as_trained(small, Precision::kInt16, 0.1);
  expect_as_trained(small, Precision::kMixed, 0.3);
  SampleOptions other = small;
  other.activation = learn::Activation::kGelu, other.linear = false, other.shape_components = 0;
  expect_as_trained(other, Precision::kFloat32, 0.01);
  other.activation = learn::Activation::kRelu, other.closed = true;
  expect_as_trained(other, Precision::kFloat32, 0.01);
}

TEST(InstanceFrameSlow, MatchesThePatchModel) {
  const SampleOptions small{.across = 20, .down = 25, .components = 10};
  expect_as_trained(small, Precision::kFloat32, 0.01);
  expect_as_trained(small, Precision::kFloat32, 0.01, false);
  expect_as_trained(small, Precision::kInt16, 0.05);
  expect_as_trained(small, Precision::kMixed, 0.3);
  SampleOptions other = small;
  other.activation = learn::Activation::kGelu, other.linear = false, other.hidden = 1, other.units = 33;
  expect_as_trained(other, Precision::kFloat32, 0.01);
  other.activation = learn::Activation::kRelu, other.closed = true, other.hidden = 3, other.linear = true;
  expect_as_trained(other, Precision::kFloat32, 0.01);
  // More components than some patches have vertices.
  expect_as_trained({.across = 5, .down = 6, .components = 24}, Precision::kFloat32, 0.01);
}

TEST(InstanceFrame, MatchesPatchesThatShareANetwork) {
  const body::Person person = body::make_person();
  GarmentData p = sample_garment(person, {.across = 20, .down = 25, .components = 10});
  std::vector<learn::Patch>& patches = std::get<learn::PatchModel>(p.model).patches;
  for (size_t k = 1; k < patches.size(); k += 2) {
    patches[k].network = patches[k - 1].network;
    patches[k].flipped = true;
  }
  expect_as_trained(person, p, Precision::kFloat32, 0.01);
}

// Displacements of the bones from rest, without the key joint's motion.
learn::Vector bones_of(const GarmentData& p, const Playback& playback, const std::vector<Transform>& joints) {
  const auto key = static_cast<size_t>(p.skeleton.at(p.garment.key_joint));
  const Transform back = inverse(joints[key] * inverse(body::rest_transforms(p.skeleton)[key]));
  std::vector<V3> bones(p.garment.bones.size()), rest(bones.size());
  billow_instance_get_bones(playback.instance, &bones[0].x, static_cast<uint32_t>(bones.size()));
  garment::bone_positions(p.garment, p.garment.rest, rest);
  learn::Vector d(static_cast<Eigen::Index>(3 * bones.size()));
  for (size_t b = 0; b < bones.size(); ++b) {
    const V3 difference = apply(back, bones[b]) - rest[b];
    d.segment<3>(static_cast<Eigen::Index>(3 * b)) << difference.x, difference.y, difference.z;
  }
  return d;
}

TEST(InstanceFrame, AppliesTheCorrectionOfItsBones) {
  const body::Person person = body::make_person();
  const GarmentData plain = sample_garment(person, {});
  const auto values = static_cast<Eigen::Index>(3 * plain.garment.bones.size());
  testing::Random random(7);
  GarmentData corrected = plain, unbounded = plain;
  learn::Network& n = corrected.correction;
  n.mean = learn::Vector::Zero(values), n.scale = learn::Vector::Constant(values, 4);
  n.activation = learn::Activation::kGelu;
  for (const auto& [rows, columns] : {std::pair{Eigen::Index{24}, values}, {values, Eigen::Index{24}}}) {
    learn::Layer layer{learn::Matrix(rows, columns), learn::Vector(rows)};
    for (Eigen::Index i = 0; i < layer.weights.size(); ++i)
      layer.weights.data()[i] = static_cast<float>(random.uniform(-0.05, 0.05));
    for (float& bias : layer.bias) bias = static_cast<float>(random.uniform(-0.02, 0.02));
    n.layers.push_back(layer);
  }
  unbounded.correction = n;
  unbounded.correction.layers[1].bias.setConstant(5);
  Playback a(plain, Precision::kFloat32), b(corrected, Precision::kFloat32),
      c(unbounded, Precision::kFloat32);
  std::vector<Transform> last;
  for (const auto& joints : frames_of(person, "run", 20)) {
    for (Playback* playback : {&a, &b, &c}) playback->step(1 / 30.0f, joints);
    last = joints;
  }
  const learn::Vector d = bones_of(plain, a, last);
  const learn::Vector difference = n(d.transpose()).row(0);
  EXPECT_LT((bones_of(plain, b, last) - d - difference).cwiseAbs().maxCoeff(), 2e-4f);
  EXPECT_GT(difference.cwiseAbs().maxCoeff(), 0.02f);
  // The correction is clamped.
  EXPECT_NEAR((bones_of(plain, c, last) - d).head<3>().norm(), 0.3f, 1e-4f);

  const learn::Network back = read_back(corrected).correction;
  EXPECT_LT((back(d.transpose()) - n(d.transpose())).cwiseAbs().maxCoeff(), 1e-4f);
  EXPECT_TRUE(read_back(plain).correction.layers.empty());
  n.scale.resize(2);
  EXPECT_THROW(pack_garment(corrected), std::invalid_argument);
}

TEST(InstanceFrame, RopeBonesMatchThoseOfDataSets) {
  const body::Person person = body::make_person();
  const GarmentData p = sample_garment(person, {});
  Playback playback(p, Precision::kFloat32);
  const auto frames = frames_of(person, "run", 20);
  character::RopeChains ropes(p.garment, character::character_body(person), frames[0], p.settings);
  playback.step(0, frames[0]);
  std::vector<V3> bones(p.garment.bones.size());
  for (const auto& joints : frames) {
    ropes.step(1 / 30.0f, joints);
    playback.step(1 / 30.0f, joints);
    billow_instance_get_bones(playback.instance, &bones[0].x, static_cast<uint32_t>(bones.size()));
    for (size_t b = 0; b < bones.size(); ++b) ASSERT_LT(length(bones[b] - ropes.bones()[b]), 1e-4f) << b;
  }
}

TEST(InstanceFrameSlow, LeavesNoVertexInsideForAnyMotionAndModel) {
  const body::Person person = body::make_person();
  for (const bool closed : {false, true})
    for (const uint32_t seed : {1u, 2u}) {
      SampleOptions o{.closed = closed, .across = 40, .down = 50, .amplitude = 0.25f, .seed = seed};
      const GarmentData p = sample_garment(person, o);
      Playback playback(p, Precision::kMixed);
      std::vector<float> phi(p.garment.size());
      uint32_t pushed = 0;
      for (int k = 0; k < 150; ++k) {
        // Jump from one pose to another within a frame.
        playback.step(1 / 30.0f, body::joint_transforms(person.skeleton,
                                                        body::random_pose(person, seed * 1000 + k / 2)));
        ASSERT_EQ(billow_body_query(billow_instance_body(playback.instance), BILLOW_ALL_GROUPS,
                                    billow_instance_position_data(playback.instance),
                                    static_cast<uint32_t>(phi.size()), BILLOW_NO_LIMIT, phi.data(), nullptr,
                                    nullptr),
                  BILLOW_OK);
        for (size_t v = 0; v < phi.size(); ++v) ASSERT_GE(phi[v], 0) << "frame " << k << ", vertex " << v;
        billow_instance_report report;
        billow_instance_get_report(playback.instance, &report);
        pushed += report.pushed;
        EXPECT_EQ(report.inside, 0u);
      }
      EXPECT_GT(pushed, 1000u);
    }
}

TEST(Multiply, MatchesTheProductWithTheStoredMatrix) {
  for (const Format format : {Format::kInt8, Format::kInt16, Format::kFloat16, Format::kFloat32})
    for (const Eigen::Index rows : {1, 7, 8, 33, 41, 200, 9001}) {
      constexpr uint32_t columns = 37;
      srand(5);
      const learn::Matrix dense = learn::Matrix::Random(rows, Eigen::Index{columns});
      const std::string section = pack_matrix(dense, std::vector<Format>(columns, format));
      const AlignedBytes bytes(section);
      asset::MatrixRecord m;
      std::memcpy(&m, bytes.data(), sizeof m);
      const auto* at = static_cast<const std::byte*>(bytes.data());
      PackedMatrix packed;
      packed.rows = m.rows, packed.columns = m.columns;
      packed.float32 = m.float32, packed.float16 = m.float16, packed.int8 = m.int8;
      packed.panels = at + asset::matrix_panels_at(m);
      packed.sources = reinterpret_cast<const uint32_t*>(at + sizeof m);
      packed.scales = reinterpret_cast<const float*>(packed.sources + packed.stored_count());
      if (m.row_scales) packed.row_scales = packed.scales + packed.stored_count();
      precompute(packed);
      const learn::Matrix stored = unpack_matrix(packed);
      EXPECT_LT((stored - dense).norm(), 0.01f * dense.norm());
      learn::Vector x = learn::Vector::Zero(Eigen::Index{columns} + 8);
      x.head(columns).setRandom();
      const size_t stored_count = packed.stored_count();
      std::vector<float> scaled(stored_count), out(static_cast<size_t>(rows) + kPanelRows);
      std::vector<int16_t> q16(stored_count);
      std::vector<int8_t> bytes8(2 * stored_count);
      multiply(packed, find_range(x.data(), columns), {scaled.data(), q16.data(), bytes8.data()}, out.data());
      const learn::Vector expected = stored * x.head(columns);
      for (Eigen::Index r = 0; r < rows; ++r)
        EXPECT_NEAR(out[static_cast<size_t>(r)], expected[r], 2e-3)
            << kFormatNames[static_cast<size_t>(format)];
    }
}

}  // namespace
}  // namespace billow::pack
