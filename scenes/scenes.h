// Named scenes, used alike by tests, benchmark, demo and figures.
//
// A scene owns its chains and body, and has the transforms of roots and joints at any time.
#pragma once

#include <billow/billow.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace billow::scenes {

struct Scene {
  std::string name;
  std::string about;  // one line
  Chains chains;
  Body body;
  std::vector<Collider> colliders;  // of the body
  std::vector<uint32_t> bone_counts;
  std::vector<float> max_lengths;  // of the rope above each bone; 0 for roots
  std::vector<float> rest;         // initial positions of all bones, in the frame of the initial roots
  bool closed = false, neighbours = false;
  std::vector<Transform> roots, joints;
  std::function<void(Scene&, double)> pose;  // sets roots and joints for a time
  double time = 0;

  // Sets roots and joints for `time`.
  void place();
  // Advances by dt: poses the body, steps the chains. Aborts with the message on error.
  void step(double dt);
  // Positions of all bones, 3 floats each.
  std::vector<float> positions() const;
  std::vector<float> velocities() const;
};

// A rope of 1 m released at 60 degrees.
Scene pendulum(const Settings& settings = billow_settings_default());
// 14 ropes of 0.1 m released straight, 30 degrees below horizontal.
Scene swing(const Settings& settings = billow_settings_default());
// The paper's toy example: a sphere moves into six free particles and stops. All particles share the contact
// directions: use one scene per colour of the paper's figure.
Scene sphere_and_particles(billow_contact_direction push, billow_contact_direction velocity);
// A flag on a slanted pole: 5 chains of 9 bones, initially stretched out across it.
Scene flag(const Settings& settings = billow_settings_default());
// A closed skirt of 26 chains of 9 bones on a person of 16 capsules: standing, or kicking at running speed.
Scene skirt_standing(const Settings& settings = billow_settings_skirt());
Scene skirt_kicking(const Settings& settings = billow_settings_skirt());
// 10 chains of 13 to 15 bones on the shoulders of a running person of 16 capsules.
Scene cape_running(const Settings& settings = billow_settings_cape());

// The scenes by name, for command lines.
std::vector<std::string> names();
Scene make(std::string_view name);  // aborts on an unknown name

// Builds chains from rest positions, aborting with the message on error.
Chains make_chains(const std::vector<uint32_t>& bone_counts, const std::vector<float>& rest, bool neighbours,
                   bool closed, const Settings& settings, const float* mass_factors = nullptr);

}  // namespace billow::scenes
