// A small skirt in C++: a ring of chains around two legs that walk on the spot. Prints how it goes.
#include <algorithm>
#include <billow/billow.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

void check(billow::Status status) {
  if (status) return;
  std::fprintf(stderr, "billow: %s\n", status.message());
  std::exit(EXIT_FAILURE);
}

// A leg of 0.8 m that hangs from its joint, the hip.
billow::Collider leg(uint32_t joint) {
  billow::Collider c = billow_collider_default();
  c.shape = BILLOW_SHAPE_TAPERED_CAPSULE;
  c.joint[0] = joint;
  c.end[1] = -0.8f;
  c.radius = 0.09f;
  c.radius_end = 0.05f;
  return c;
}

int main() {
  constexpr uint32_t kChains = 16, kBones = 8;

  // Lay the ring out around the hips, wider toward the hem. A chain's root is its first bone.
  std::vector<float> rest;
  std::vector<billow::Transform> roots;
  for (uint32_t c = 0; c < kChains; ++c) {
    const float angle = 6.2831853f * static_cast<float>(c) / kChains, sine = std::sin(angle),
                cosine = std::cos(angle);
    for (uint32_t i = 0; i < kBones; ++i) {
      const float down = 0.08f * static_cast<float>(i), radius = 0.22f + 0.4f * down;
      rest.insert(rest.end(), {radius * sine, 1 - down, radius * cosine});
    }
    roots.push_back(billow::translation(0.22f * sine, 1, 0.22f * cosine));
  }
  const std::vector<uint32_t> bone_counts(kChains, kBones);
  billow_chains_desc description{};
  description.chain_count = kChains;
  description.bone_counts = bone_counts.data();
  description.rest_positions = rest.data();
  description.neighbours = description.closed = 1;
  auto skirt = billow::Chains::create(description);
  check(skirt.status());
  check(skirt.value().set(billow_settings_skirt()));

  const std::vector<billow::Collider> legs = {leg(0), leg(1)};
  auto body = billow::Body::create(legs, 2);
  check(body.status());

  // Walk for three seconds, legs swinging about the x axis, and see how near the bones come to them.
  std::vector<float> x(3 * skirt.value().bone_count()), distances(skirt.value().bone_count());
  float nearest = 1;
  for (int frame = 0; frame < 180; ++frame) {
    const float half = 0.3f * std::sin(0.1f * static_cast<float>(frame)), sine = std::sin(half),
                cosine = std::cos(half);
    const billow::Transform hips[2] = {{{-0.1f, 0.9f, 0}, {sine, 0, 0, cosine}},
                                       {{0.1f, 0.9f, 0}, {-sine, 0, 0, cosine}}};
    check(body.value().pose(hips));
    check(skirt.value().step(1.0f / 60, roots, &body.value()));
    check(skirt.value().positions(x));
    check(body.value().query(x, distances));
    nearest = std::min(nearest, *std::min_element(distances.begin(), distances.end()));
    if (frame % 20 == 0)
      std::printf("frame %3d: %2u contacts, hem in front at z = %.3f m, nearest bone so far %.4f m\n", frame,
                  skirt.value().report().contacts, static_cast<double>(x[3 * (kBones - 1) + 2]),
                  static_cast<double>(nearest));
  }
  if (nearest < 0) std::fprintf(stderr, "a bone went into a leg\n");
  return nearest < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
