// Two people in capes on a ground: one steps up behind the other, into the cape, and both sink to their knees. Prints how far
// each cape stays from what it meets.
//
//     example_world [CAPE.billow]
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

struct Person {
  explicit Person(const billow::Garment& garment) : joints(garment.joint_count()) {
    auto made = billow::Instance::create(garment);
    check(made.status());
    cape = std::move(made).value();
  }
  billow::Instance cape;
  std::vector<billow::Transform> joints;
};

// The groups of colliders that the cloth stays outside of: those it meets, but for the soft ones.
uint32_t rigid_groups(const billow::Instance& cape) {
  billow_settings settings;
  check(billow_chains_get_settings(cape.chains(), &settings));
  uint32_t groups = settings.collider_groups;
  for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g)
    if (settings.softness[g] > 0) groups &= ~(1u << g);
  return groups;
}

float nearest(const billow_body* body, const billow::Instance& cape) {
  std::vector<float> distances(cape.positions().size() / 3);
  check(billow_body_query(body, rigid_groups(cape), cape.positions().data(),
                          static_cast<uint32_t>(distances.size()), BILLOW_NO_LIMIT, distances.data(), nullptr,
                          nullptr));
  return *std::min_element(distances.begin(), distances.end());
}

int main(int count, char** arguments) {
  auto loaded = billow::Garment::load(count > 1 ? arguments[1] : "assets/cape.billow");
  check(loaded.status());
  const billow::Garment garment = std::move(loaded).value();
  std::vector<billow::Transform> rest(garment.joint_count());
  check(garment.joint_rest(rest));
  Person front(garment), behind(garment);

  auto ground = billow::Body::ground(0);
  check(ground.status());
  const billow_body* const world[] = {ground.value().get(), front.cape.body(), behind.cape.body()};

  float of_ground = 1, of_partner = 1;
  for (int k = 0; k < 180; ++k) {
    // All joints together: an engine has motions.
    const float share = 0.5f - 0.5f * std::cos(6.2831853f * static_cast<float>(k) / 180);
    for (size_t j = 0; j < rest.size(); ++j) {
      front.joints[j] = behind.joints[j] = rest[j];
      front.joints[j].position[1] -= 0.4f * share;
      behind.joints[j].position[1] -= 0.4f * share;
      behind.joints[j].position[2] -= 0.9f - 0.6f * share;
    }

    // Everybody meets the same list, and passes over the own body in it.
    billow_frame frames[2] = {billow_frame_default(), billow_frame_default()};
    const Person* people[2] = {&front, &behind};
    for (int p = 0; p < 2; ++p) {
      frames[p].dt = 1.0f / 60;
      frames[p].joints = people[p]->joints.data();
      frames[p].joint_count = garment.joint_count();
      frames[p].others = world, frames[p].other_count = 3;
    }
    billow_instance* const instances[2] = {front.cape.get(), behind.cape.get()};
    check(billow_crowd_step(instances, frames, 2, nullptr));

    for (const Person* p : people) of_ground = std::min(of_ground, nearest(ground.value().get(), p->cape));
    of_partner = std::min(of_partner, nearest(behind.cape.body(), front.cape));
  }
  std::printf("nearest vertex: %.4f m from the ground, %.4f m from the partner\n",
              static_cast<double>(of_ground), static_cast<double>(of_partner));
  return of_ground >= 0 && of_partner >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
