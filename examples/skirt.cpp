// A small skirt in C++: a ring of chains around two legs that walk on the spot. Prints how it goes.
#include <billow/billow.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

namespace {

void check(billow::Status status) {
  if (status) return;
  std::fprintf(stderr, "billow: %s\n", status.message());
  std::exit(EXIT_FAILURE);
}

// A leg hangs 0.8 m down from its joint, the hip.
billow::Collider leg(uint32_t joint) {
  billow::Collider c = billow_collider_default();
  c.shape = BILLOW_TAPERED_CAPSULE;
  c.joint[0] = joint;
  c.end[1] = -0.8f;
  c.radius = 0.09f;
  c.radius_end = 0.05f;
  return c;
}

// A hip at `x`, its leg swung forward by `angle`.
billow::Transform hip(float x, float angle) {
  return {{x, 0.9f, 0}, {std::sin(0.5f * angle), 0, 0, std::cos(0.5f * angle)}};
}

}  // namespace

int main() {
  constexpr uint32_t kChains = 16, kBones = 8;

  // Lay the ring out around the hips, wider at the hem; each chain's root is its first bone.
  std::vector<float> rest;
  std::vector<billow::Transform> roots;
  for (uint32_t c = 0; c < kChains; ++c) {
    const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(c) / kChains;
    for (uint32_t i = 0; i < kBones; ++i) {
      const float down = static_cast<float>(i) * 0.08f, radius = 0.22f + 0.4f * down;
      rest.insert(rest.end(), {radius * std::sin(angle), 1.0f - down, radius * std::cos(angle)});
      if (i == 0) roots.push_back(billow::translation(radius * std::sin(angle), 1.0f, radius * std::cos(angle)));
    }
  }
  const std::vector<uint32_t> bone_counts(kChains, kBones);
  billow_chains_desc description{};
  description.chain_count = kChains;
  description.bone_counts = bone_counts.data();
  description.rest_positions = rest.data();
  description.neighbours = description.closed = 1;

  auto made_skirt = billow::Chains::create(description);
  check(made_skirt.status());
  billow::Chains skirt = std::move(made_skirt).value();
  check(skirt.set(billow_settings_skirt()));

  const std::vector<billow::Collider> legs = {leg(0), leg(1)};
  auto made_body = billow::Body::create(legs, 2);
  check(made_body.status());
  billow::Body body = std::move(made_body).value();

  // Stand until it hangs, then walk for three seconds.
  std::vector<billow::Transform> hips = {hip(-0.1f, 0), hip(0.1f, 0)};
  check(body.teleport(hips));
  check(skirt.settle(2, roots, &body));
  std::vector<float> x(3 * skirt.bone_count()), distances(skirt.bone_count());
  float deepest = 1;
  std::puts("   time   contacts  front of the hem  least distance to the legs");
  for (int frame = 0; frame < 180; ++frame) {
    const float time = static_cast<float>(frame) / 60, swing = 0.6f * std::sin(6 * time);
    hips = {hip(-0.1f, swing), hip(0.1f, -swing)};
    check(body.pose(hips));
    check(skirt.step(1.0f / 60, roots, &body));

    check(skirt.positions(x));
    check(body.query(x, distances));
    float least = 1;
    for (float d : distances) least = std::min(least, d);
    deepest = std::min(deepest, least);
    if (frame % 20 == 0)
      std::printf("%5.2f s  %9u  %14.3f m  %23.4f m\n", static_cast<double>(time), skirt.report().contacts,
                  static_cast<double>(x[3 * (kBones - 1) + 2]), static_cast<double>(least));
  }
  if (deepest < 0) std::fprintf(stderr, "a bone went %g m into a leg\n", static_cast<double>(-deepest));
  return deepest < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
