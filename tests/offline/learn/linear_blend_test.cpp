// The runtime's linear blend skinning equals the baseline of the evaluation.
#include <gtest/gtest.h>

#include "body/postures.h"
#include "learn/blend_weights.h"
#include "pack/garment_asset.h"
#include "pack/sample_garment.h"

namespace billow::learn {
namespace {

void expect_as_evaluated(const pack::SampleOptions& options, float scale) {
  const body::Person person = body::make_person();
  const pack::GarmentData p = pack::sample_garment(person, options);
  const std::string bytes = pack::pack_garment(p);
  const billow_garment_desc desc{bytes.data(), bytes.size(), 0, nullptr};
  billow_garment* garment = nullptr;
  billow_instance* instance = nullptr;
  ASSERT_EQ(billow_garment_create(&desc, &garment), BILLOW_OK) << billow_last_error();
  ASSERT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK) << billow_last_error();
  billow_instance_options set = billow_instance_options_default();
  set.linear_blend = 1, set.push_out = 0;
  ASSERT_EQ(billow_instance_set_options(instance, &set), BILLOW_OK) << billow_last_error();

  const BoneMotion motion(p.garment);
  const auto key = static_cast<size_t>(p.skeleton.at(p.garment.key_joint));
  std::vector<V3> bones(p.garment.bones.size());
  for (int k = 0; k < 12; ++k) {
    auto joints = body::joint_transforms(person.skeleton, body::random_pose(person, k / 4));
    for (Transform& j : joints) j.position = j.position * scale;
    const auto posed = body::to_api(joints);
    billow_frame frame{};
    frame.dt = 1 / 30.0f, frame.scale = scale;
    frame.joints = posed.data(), frame.joint_count = static_cast<uint32_t>(posed.size());
    ASSERT_EQ(billow_instance_step(instance, &frame), BILLOW_OK) << billow_last_error();
    billow_instance_get_bones(instance, &bones[0].x, static_cast<uint32_t>(bones.size()));

    // Compute the baseline from the instance's bones, in world space.
    const Transform rest = body::rest_transforms(p.skeleton)[key];
    const Transform world = joints[key] * inverse(Transform{rest.position * scale, rest.rotation});
    std::vector<float> displacements;
    for (size_t b = 0; b < bones.size(); ++b) {
      const V3 d = apply(inverse(world), bones[b]) * (1 / scale) - motion.rest()[b];
      displacements.insert(displacements.end(), {d.x, d.y, d.z});
    }
    const std::vector<V3> expected = linear_blend(p.blend, motion.from(displacements), p.garment.rest);
    const float* found = billow_instance_position_data(instance);
    for (size_t v = 0; v < expected.size(); ++v)
      ASSERT_LT(
          length(apply(world, expected[v] * scale) - V3{found[3 * v], found[3 * v + 1], found[3 * v + 2]}),
          0.005f * scale)
          << "frame " << k << ", vertex " << v << ": weights are quantised to 1/255";
  }
  billow_instance_destroy(instance);
  billow_garment_destroy(garment);
}

TEST(LinearBlend, IsWhatIsEvaluated) {
  expect_as_evaluated({}, 1);
  expect_as_evaluated({.closed = true, .patches = false}, 1.5f);
  // More bones than a byte can index.
  expect_as_evaluated({.closed = true, .across = 60, .chains = 48}, 1);
}

}  // namespace
}  // namespace billow::learn
