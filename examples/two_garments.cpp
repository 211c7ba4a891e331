// A cape over a skirt on one person: two garment files, one set of colliders, and the skirt's outside as a layer. Prints how far
// each stays from what it is worn over.
//
//     example_two_garments [CAPE.billow SKIRT.billow]
#include <algorithm>
#include <billow/billow.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

void check(billow::Status status) {
  if (status) return;
  std::fprintf(stderr, "billow: %s\n", status.message());
  std::exit(EXIT_FAILURE);
}

struct Playback {
  explicit Playback(const char* file) {
    auto loaded = billow::Garment::load(file);
    check(loaded.status());
    garment = std::move(loaded).value();
    auto made = billow::Instance::create(garment);
    check(made.status());
    instance = std::move(made).value();
  }
  // The joints that this garment asks for, by their names, in its order.
  std::vector<billow::Transform> joints_of(const std::map<std::string, billow::Transform>& person) const {
    std::vector<billow::Transform> joints;
    for (uint32_t j = 0; j < garment.joint_count(); ++j) joints.push_back(person.at(garment.joint_name(j)));
    return joints;
  }
  billow::Garment garment;
  billow::Instance instance;
};

// The person as it rests, which here is all that is known of it; an engine has a skeleton of its own.
std::map<std::string, billow::Transform> resting_person(const billow::Garment& garment) {
  std::vector<billow::Transform> rest(garment.joint_count());
  check(billow_garment_get_joint_rest(garment.get(), rest.data(), garment.joint_count()));
  std::map<std::string, billow::Transform> person;
  for (uint32_t j = 0; j < garment.joint_count(); ++j) person[garment.joint_name(j)] = rest[j];
  return person;
}

// The groups of colliders that the cloth stays outside of: those it meets, but for the soft ones.
uint32_t rigid_groups(const billow::Instance& playback) {
  billow_settings settings;
  check(billow_chains_get_settings(billow_instance_chains(playback.get()), &settings));
  uint32_t groups = settings.collider_groups;
  for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g)
    if (settings.softness[g] > 0) groups &= ~(1u << g);
  return groups;
}

float nearest(const billow_body* body, const billow::Instance& playback, uint32_t groups) {
  std::vector<float> distances(playback.positions().size() / 3);
  check(billow_body_query(body, groups, playback.positions().data(), static_cast<uint32_t>(distances.size()),
                          BILLOW_NO_LIMIT, distances.data(), nullptr, nullptr));
  return *std::min_element(distances.begin(), distances.end());
}

int main(int count, char** arguments) {
  Playback cape(count > 2 ? arguments[1] : "assets/cape.billow"),
      skirt(count > 2 ? arguments[2] : "assets/skirt.billow");
  const auto rest = resting_person(cape.garment);
  auto made = billow::Body::layer(skirt.instance.get());
  check(made.status());
  billow::Body layer = std::move(made).value();
  const billow_body* const under = layer.get();
  float skirt_nearest = 1, cape_nearest = 1, cape_nearest_layer = 1;
  for (int k = 0; k < 60; ++k) {
    // Sway, all joints together.
    auto person = rest;
    for (auto& [name, joint] : person) joint.position[0] += 0.2f * std::sin(0.1f * static_cast<float>(k));

    // From the inside out. The skirt's step poses the skirt's colliders; the cape meets the same ones, which are then posed once.
    check(skirt.instance.step(1.0f / 60, skirt.joints_of(person)));
    check(layer.pose_layer(skirt.instance.get()));
    const auto joints = cape.joints_of(person);
    billow_frame frame = billow_frame_default();
    frame.dt = 1.0f / 60;
    frame.joints = joints.data(), frame.joint_count = static_cast<uint32_t>(joints.size());
    frame.body = skirt.instance.body();
    frame.others = &under, frame.other_count = 1;
    check(cape.instance.step(frame));

    skirt_nearest =
        std::min(skirt_nearest, nearest(frame.body, skirt.instance, rigid_groups(skirt.instance)));
    cape_nearest = std::min(cape_nearest, nearest(frame.body, cape.instance, rigid_groups(cape.instance)));
    cape_nearest_layer = std::min(cape_nearest_layer, nearest(under, cape.instance, BILLOW_ALL_GROUPS));
  }
  std::printf(
      "nearest vertex: %.4f m of the skirt to the body, %.4f m of the cape to it, %.4f m to the skirt\n",
      static_cast<double>(skirt_nearest), static_cast<double>(cape_nearest),
      static_cast<double>(cape_nearest_layer));
  // The layer is a smooth surface over the crests of the skirt's folds: a little inside it, the cape is still outside the skirt.
  const bool outside = std::min(skirt_nearest, cape_nearest) >= 0 && cape_nearest_layer > -0.01f;
  return outside ? EXIT_SUCCESS : EXIT_FAILURE;
}
