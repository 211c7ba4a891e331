// A cape and a skirt on one person: two garment files, one set of colliders. Prints how far each stays from the body.
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

float nearest(const billow_body* body, const billow::Instance& playback) {
  std::vector<float> distances(playback.positions().size() / 3);
  check(billow_body_query(body, rigid_groups(playback), playback.positions().data(),
                          static_cast<uint32_t>(distances.size()), BILLOW_NO_LIMIT, distances.data(), nullptr,
                          nullptr));
  return *std::min_element(distances.begin(), distances.end());
}

int main(int count, char** arguments) {
  Playback cape(count > 2 ? arguments[1] : "assets/cape.billow"),
      skirt(count > 2 ? arguments[2] : "assets/skirt.billow");
  const auto rest = resting_person(cape.garment);
  float cape_nearest = 1, skirt_nearest = 1;
  for (int k = 0; k < 60; ++k) {
    // Sway, all joints together.
    auto person = rest;
    for (auto& [name, joint] : person) joint.position[0] += 0.3f * std::sin(0.15f * static_cast<float>(k));

    // The cape's step poses the cape's colliders; the skirt meets the same ones, which are then posed once.
    const auto cape_joints = cape.joints_of(person), skirt_joints = skirt.joints_of(person);
    check(cape.instance.step(1.0f / 60, cape_joints));
    const billow_body* body = billow_instance_body(cape.instance.get());
    billow_frame frame{};
    frame.dt = 1.0f / 60;
    frame.joints = skirt_joints.data(), frame.joint_count = static_cast<uint32_t>(skirt_joints.size());
    frame.body = body;
    check(skirt.instance.step(frame));

    cape_nearest = std::min(cape_nearest, nearest(body, cape.instance));
    skirt_nearest = std::min(skirt_nearest, nearest(body, skirt.instance));
  }
  std::printf("nearest vertex to the body: %.4f m of the cape, %.4f m of the skirt\n",
              static_cast<double>(cape_nearest), static_cast<double>(skirt_nearest));
  return cape_nearest >= 0 && skirt_nearest >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
