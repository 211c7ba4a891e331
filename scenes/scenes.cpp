#include "scenes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "person.h"

namespace billow::scenes {
namespace {

constexpr double kPi = 3.14159265358979;

void require(Status status) {
  if (status) return;
  std::fprintf(stderr, "scene: %s\n", status.message());
  std::abort();
}

// Rounds to 2^-20: C libraries differ in the last bit of a sine, and states are compared bit by bit.
float rounded(float v) { return std::nearbyint(v * 1048576.0f) / 1048576.0f; }

// A point in a transform's frame to the world.
void place(const Transform& t, const float* local, float* world) {
  const float *q = t.rotation, x = local[0], y = local[1], z = local[2];
  const float tx = 2 * (q[1] * z - q[2] * y), ty = 2 * (q[2] * x - q[0] * z), tz = 2 * (q[0] * y - q[1] * x);
  world[0] = t.position[0] + x + q[3] * tx + q[1] * tz - q[2] * ty;
  world[1] = t.position[1] + y + q[3] * ty + q[2] * tx - q[0] * tz;
  world[2] = t.position[2] + z + q[3] * tz + q[0] * ty - q[1] * tx;
}

void finish(Scene& s, std::vector<float> rest, const Settings& settings) {
  for (float& v : rest) v = rounded(v);
  s.chains = make_chains(s.bone_counts, rest, s.neighbours, s.closed, settings);
  size_t bone = 0;
  for (uint32_t n : s.bone_counts) {
    for (uint32_t i = 0; i < n; ++i, ++bone) {
      const float* p = rest.data() + 3 * bone;
      s.max_lengths.push_back(i == 0 ? 0 : std::hypot(p[0] - p[-3], p[1] - p[-2], p[2] - p[-1]));
    }
  }
  auto body = Body::create(s.colliders, static_cast<uint32_t>(std::max<size_t>(1, s.joints.size())));
  require(body.status());
  s.body = std::move(body).value();
  s.roots.resize(s.bone_counts.size());
  s.rest = std::move(rest);
}

Scene single_chain(const char* name, const char* about, int ropes, double length, double below_horizontal,
                   const Settings& settings) {
  Scene s;
  s.name = name;
  s.about = about;
  std::vector<float> rest;
  for (int i = 0; i <= ropes; ++i) {
    rest.push_back(static_cast<float>(i * length * std::cos(below_horizontal)));
    rest.push_back(static_cast<float>(-i * length * std::sin(below_horizontal)));
    rest.push_back(0);
  }
  s.bone_counts = {static_cast<uint32_t>(ropes + 1)};
  s.joints = {translation(0, 0, 0)};
  finish(s, rest, settings);
  s.pose = [](Scene& scene, double) { scene.roots[0] = translation(0, 0, 0); };
  return s;
}

// Chains on the person, with roots fixed in the frame of one joint.
Scene chains_on_person(std::vector<float> rest, std::vector<float> root_local, Joint joint,
                       const Settings& settings, Scene s,
                       std::function<std::vector<Transform>(double)> motion) {
  s.colliders = person_colliders();
  s.joints = motion(0);
  finish(s, rest, settings);
  s.pose = [root_local = std::move(root_local), joint, motion = std::move(motion)](Scene& scene, double t) {
    scene.joints = motion(t);
    const Transform& frame = scene.joints[joint];
    for (size_t c = 0; c < scene.roots.size(); ++c) {
      scene.roots[c] = frame;
      place(frame, root_local.data() + 3 * c, scene.roots[c].position);
    }
  };
  return s;
}

Scene skirt(const char* name, const char* about, const Settings& settings,
            std::function<std::vector<Transform>(double)> motion) {
  constexpr int kChains = 26, kBones = 9;
  constexpr double kWaist = 0.145, kHem = 0.46, kLength = 0.62, kUp = 0.10;
  Scene s;
  s.name = name;
  s.about = about;
  s.neighbours = s.closed = true;
  s.bone_counts.assign(kChains, kBones);
  std::vector<float> rest, root_local;
  for (int c = 0; c < kChains; ++c) {
    const double angle = 2 * kPi * c / kChains, sine = std::sin(angle), cosine = std::cos(angle);
    for (int i = 0; i < kBones; ++i) {
      const double depth = static_cast<double>(i) / (kBones - 1), r = kWaist + (kHem - kWaist) * depth;
      // The pelvis is wider than deep.
      const float p[3] = {static_cast<float>(1.25 * r * sine), static_cast<float>(kUp - kLength * depth),
                          static_cast<float>(r * cosine)};
      rest.insert(rest.end(), p, p + 3);
      if (i == 0) root_local.insert(root_local.end(), p, p + 3);
    }
  }
  return chains_on_person(rest, root_local, kPelvis, settings, std::move(s), std::move(motion));
}

}  // namespace

void Scene::place() {
  pose(*this, time);
  for (auto* transforms : {&roots, &joints})
    for (Transform& t : *transforms) {
      for (float& v : t.position) v = rounded(v);
      for (float& v : t.rotation) v = rounded(v);
    }
}

void Scene::step(double dt) {
  time += dt;
  place();
  require(body.pose(joints));
  require(chains.step(static_cast<float>(dt), roots, colliders.empty() ? nullptr : &body));
}

std::vector<float> Scene::positions() const {
  std::vector<float> p(3 * chains.bone_count());
  require(chains.positions(p));
  return p;
}

std::vector<float> Scene::velocities() const {
  std::vector<float> v(3 * chains.bone_count());
  require(chains.velocities(v));
  return v;
}

Chains make_chains(const std::vector<uint32_t>& bone_counts, const std::vector<float>& rest, bool neighbours,
                   bool closed, const Settings& settings, const float* mass_factors) {
  billow_chains_desc d{};
  d.chain_count = static_cast<uint32_t>(bone_counts.size());
  d.bone_counts = bone_counts.data();
  d.rest_positions = rest.data();
  d.neighbours = neighbours;
  d.closed = closed;
  d.mass_factors = mass_factors;
  auto created = Chains::create(d);
  require(created.status());
  Chains chains = std::move(created).value();
  require(chains.set(settings));
  return chains;
}

Scene pendulum(const Settings& settings) {
  return single_chain("pendulum", "one rope of 1 m released at 60 degrees", 1, 1.0, kPi / 6, settings);
}

Scene swing(const Settings& settings) {
  return single_chain("swing", "14 ropes of 0.1 m released straight, 30 degrees below horizontal", 14, 0.1,
                      kPi / 6, settings);
}

Scene sphere_and_particles(billow_contact_direction push, billow_contact_direction velocity) {
  Scene s;
  s.name = "sphere_and_particles";
  s.about = "a sphere moves into six free particles and stops (paper, Figure toy_coll)";
  Settings settings = billow_settings_default();
  settings.gravity[1] = 0;
  settings.friction = 0;
  settings.radius.value = 0;
  settings.solver.push_direction = push;
  settings.solver.velocity_direction = velocity;
  settings.solver.push_iterations = 1;  // enough for a sphere, whose distance is exact
  settings.solver.rope_samples = settings.solver.lateral_samples = 0;
  // Free particles are bones on ropes too long to matter, in a column in front of the sphere.
  std::vector<float> rest;
  for (int i = 0; i < 6; ++i) {
    const float y = -0.75f + 0.3f * static_cast<float>(i);
    rest.insert(rest.end(), {100.0f, y, 0.0f, 1.3f, y, 0.0f});
  }
  s.bone_counts.assign(6, 2);
  Collider sphere = billow_collider_default();
  sphere.radius = 1;
  s.colliders = {sphere};
  s.joints = {translation(0, 0, 0)};
  finish(s, rest, settings);
  s.pose = [rest](Scene& scene, double t) {
    for (size_t c = 0; c < 6; ++c) scene.roots[c] = translation(rest[6 * c], rest[6 * c + 1], 0);
    scene.joints[0] = translation(3.0f * static_cast<float>(std::min(t, 1.0)), 0, 0);
  };
  return s;
}

Scene flag(const Settings& settings) {
  constexpr int kChains = 5, kBones = 9;
  constexpr double kSpacing = 0.1, kSlant = kPi / 4;
  Scene s;
  s.name = "flag";
  s.about = "a flag of 5 chains of 9 bones on a slanted pole (paper, Figure flag)";
  std::vector<float> rest;
  for (int c = 0; c < kChains; ++c)
    for (int i = 0; i < kBones; ++i) {
      // Down along the pole, and out across it.
      const double along = kSpacing * c, out = kSpacing * i;
      rest.push_back(static_cast<float>(out * std::cos(kSlant) - along * std::sin(kSlant)));
      rest.push_back(static_cast<float>(-along * std::cos(kSlant) - out * std::sin(kSlant)));
      rest.push_back(0);
    }
  s.bone_counts.assign(kChains, kBones);
  s.joints = {translation(0, 0, 0)};
  finish(s, rest, settings);
  s.pose = [rest](Scene& scene, double) {
    for (size_t c = 0; c < kChains; ++c)
      scene.roots[c] = translation(rest[3 * kBones * c], rest[3 * kBones * c + 1], 0);
  };
  return s;
}

Scene skirt_standing(const Settings& settings) {
  return skirt("skirt_standing", "a closed skirt of 26 chains on a standing person", settings,
               [](double) { return person_joints(standing(), 0, 0.95f, 0, 0); });
}

Scene skirt_kicking(const Settings& settings) {
  return skirt(
      "skirt_kicking", "a closed skirt of 26 chains, legs kicking at running speed", settings,
      [](double t) { return person_joints(t > 0.5 ? kicking(t - 0.5, 3.0) : standing(), 0, 0.95f, 0, 0); });
}

Scene cape_running(const Settings& settings) {
  constexpr int kChains = 10;
  constexpr double kLength = 1.05;
  Scene s;
  s.name = "cape_running";
  s.about = "10 chains of 13 to 15 bones on a running person";
  s.neighbours = true;
  std::vector<float> rest, root_local;
  for (int c = 0; c < kChains; ++c) {
    // From shoulder to shoulder round the back; longer in the middle.
    const double u = 2.0 * c / (kChains - 1) - 1;
    const int bones = 13 + (std::fabs(u) < 0.75) + (std::fabs(u) < 0.4);
    s.bone_counts.push_back(static_cast<uint32_t>(bones));
    for (int i = 0; i < bones; ++i) {
      const double depth = static_cast<double>(i) / 14.0;
      const float p[3] = {
          static_cast<float>(u * (0.19 + 0.22 * depth)),
          static_cast<float>(0.30 - 0.02 * std::fabs(u) - kLength * depth),
          static_cast<float>(-0.10 + 0.06 * u * u - 0.14 * std::sin(std::min(1.0, 3 * depth) * kPi / 2))};
      rest.insert(rest.end(), p, p + 3);
      if (i == 0) root_local.insert(root_local.end(), p, p + 3);
    }
  }
  return chains_on_person(rest, root_local, kChest, settings, std::move(s), [](double t) {
    // Stands, accelerates over half a second, runs at 4 m/s.
    const double going = std::clamp((t - 0.5) / 0.5, 0.0, 1.0), run = std::max(0.0, t - 0.75);
    Posture p = running(run, 3.0);
    const float g = static_cast<float>(going);
    for (float* angle : {&p.left_thigh, &p.left_knee, &p.right_thigh, &p.right_knee, &p.left_arm,
                         &p.right_arm, &p.elbow, &p.lean, &p.twist})
      *angle *= g;
    const double distance = t < 0.5 ? 0 : t < 1.0 ? 4.0 * (t - 0.5) * (t - 0.5) : 4.0 * (t - 0.75);
    const float bob = g * 0.03f * static_cast<float>(std::cos(2 * kPi * 3.0 * run));
    return person_joints(p, 0, 0.95f + bob, static_cast<float>(distance), 0);
  });
}

std::vector<std::string> names() {
  return {"pendulum",       "swing",         "sphere_and_particles", "flag",
          "skirt_standing", "skirt_kicking", "cape_running"};
}

Scene make(std::string_view name) {
  if (name == "pendulum") return pendulum();
  if (name == "swing") return swing();
  if (name == "sphere_and_particles")
    return sphere_and_particles(BILLOW_CONTACT_DIRECTION_HISTORY, BILLOW_CONTACT_DIRECTION_HISTORY);
  if (name == "flag") return flag();
  if (name == "skirt_standing") return skirt_standing();
  if (name == "skirt_kicking") return skirt_kicking();
  if (name == "cape_running") return cape_running();
  std::fprintf(stderr, "scene: unknown name '%.*s'\n", static_cast<int>(name.size()), name.data());
  std::abort();
}

}  // namespace billow::scenes
