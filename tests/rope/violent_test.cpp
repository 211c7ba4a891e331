// Thousands of random cases with violent motion: nothing becomes non-finite, no rope exceeds its length, no
// bone stays in a collider, and no energy is created. BILLOW_VIOLENT_CASES sets how many (30,000 by
// default).
#include <gtest/gtest.h>

#include <billow/billow.hpp>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

namespace billow {
namespace {

constexpr int kChains = 8;  // cases simulated side by side
constexpr int kFrames = 40;

struct Case {
  std::vector<uint32_t> bone_counts;
  std::vector<float> rest, masses, lengths;
  std::vector<Collider> colliders;
  float dt = 0;
  bool roots_shake = false, teleports = false, colliders_move = false;
};

struct Worst {
  double length_excess = -1;  // relative
  double depth = 0;           // m, of bones whose parent is outside
  double energy_gain = -1;    // relative to the energies involved
  int teleported = 0, contacts = 0, trapped = 0, enclosed = 0;
};

class ViolentCases {
 public:
  explicit ViolentCases(uint64_t seed) : random_(seed) {}

  float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(random_); }
  bool chance(float p) { return uniform(0, 1) < p; }
  void direction(float out[3], float size) {
    float l = 0;
    do {
      for (int k = 0; k < 3; ++k) out[k] = uniform(-1, 1);
      l = std::hypot(out[0], out[1], out[2]);
    } while (l < 0.1f || l > 1);
    for (int k = 0; k < 3; ++k) out[k] *= size / l;
  }

  Case make() {
    Case c;
    for (int n = 0; n < kChains; ++n) {
      const uint32_t bones = 2 + static_cast<uint32_t>(uniform(0, 22.99f));
      c.bone_counts.push_back(bones);
      float x[3] = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
      for (uint32_t i = 0; i < bones; ++i) {
        if (i > 0) {
          float step[3];
          direction(step, std::exp(uniform(std::log(0.01f), std::log(0.5f))));
          for (int k = 0; k < 3; ++k) x[k] += step[k];
        }
        c.rest.insert(c.rest.end(), x, x + 3);
        c.masses.push_back(std::exp(uniform(0, std::log(100.0f))));
        c.lengths.push_back(i == 0 ? 0
                                   : std::hypot(x[0] - c.rest[c.rest.size() - 6],
                                                x[1] - c.rest[c.rest.size() - 5],
                                                x[2] - c.rest[c.rest.size() - 4]));
      }
    }
    c.dt = 1.0f / std::exp(uniform(std::log(15.0f), std::log(240.0f)));
    c.roots_shake = chance(0.5f);
    c.teleports = chance(0.3f);
    c.colliders_move = chance(0.5f);
    const int colliders = chance(0.6f) ? 1 + static_cast<int>(uniform(0, 3.99f)) : 0;
    for (int n = 0; n < colliders; ++n) {
      Collider k = billow_collider_default();
      const billow_shape shapes[] = {BILLOW_SHAPE_SPHERE, BILLOW_SHAPE_CAPSULE, BILLOW_SHAPE_TAPERED_CAPSULE,
                                     BILLOW_SHAPE_ELLIPSOID, BILLOW_SHAPE_BOX};
      k.shape = shapes[static_cast<int>(uniform(0, 4.99f))];
      k.joint[0] = static_cast<uint32_t>(n);
      k.radius = uniform(0.03f, 0.3f);
      k.radius_end = uniform(0.03f, 0.3f);
      direction(k.end, uniform(0.05f, 0.6f));
      for (float& h : k.half_extents) h = uniform(0.05f, 0.4f);
      if (k.shape == BILLOW_SHAPE_BOX) k.radius = 0.04f;
      c.colliders.push_back(k);
    }
    return c;
  }

  std::mt19937_64 random_;
};

double kinetic(const Case& c, int chain, size_t first, const std::vector<float>& v, const double frame[3],
               double mass) {
  double sum = 0;
  for (uint32_t i = 1; i < c.bone_counts[static_cast<size_t>(chain)]; ++i)
    for (int k = 0; k < 3; ++k) {
      const double u = static_cast<double>(v[3 * (first + i) + static_cast<size_t>(k)]) - frame[k];
      sum += 0.5 * mass * static_cast<double>(c.masses[first + i]) * u * u;
    }
  return sum;
}

// Potential energy relative to the root.
double potential(const Case& c, int chain, size_t first, const std::vector<float>& x, double mass) {
  double sum = 0;
  for (uint32_t i = 1; i < c.bone_counts[static_cast<size_t>(chain)]; ++i)
    sum += 9.81 * mass * static_cast<double>(c.masses[first + i]) *
           (static_cast<double>(x[3 * (first + i) + 1]) - static_cast<double>(x[3 * first + 1]));
  return sum;
}

void run(ViolentCases& v, Worst& worst) {
  const Case c = v.make();
  billow_chains_desc d{};
  d.chain_count = kChains;
  d.bone_counts = c.bone_counts.data();
  d.rest_positions = c.rest.data();
  d.mass_factors = c.masses.data();
  Chains chains = Chains::create(d).value();
  Settings settings = billow_settings_default();
  settings.mass = constant(0.01f);
  settings.friction = v.uniform(0, 1);
  settings.solver.push_direction =
      v.chance(0.5f) ? BILLOW_CONTACT_DIRECTION_GRADIENT : BILLOW_CONTACT_DIRECTION_HISTORY;
  settings.solver.velocity_direction =
      v.chance(0.5f) ? BILLOW_CONTACT_DIRECTION_GRADIENT : BILLOW_CONTACT_DIRECTION_HISTORY;
  ASSERT_TRUE(chains.set(settings)) << billow_last_error();
  Body body =
      Body::create(c.colliders, static_cast<uint32_t>(std::max<size_t>(1, c.colliders.size()))).value();

  std::vector<Transform> roots(kChains),
      joints(std::max<size_t>(1, c.colliders.size()), translation(0, 0, 0));
  std::vector<float> joint_velocity(3 * joints.size()), x(c.rest.size()), velocities(c.rest.size()), x0, v0,
      phi(c.masses.size());
  for (size_t n = 0, first = 0; n < kChains; first += c.bone_counts[n], ++n)
    roots[n] = translation(c.rest[3 * first], c.rest[3 * first + 1], c.rest[3 * first + 2]);
  for (size_t n = 0; n < joints.size(); ++n) {
    v.direction(joints[n].position, v.uniform(0.5f, 2));
    v.direction(&joint_velocity[3 * n], c.colliders_move ? v.uniform(0, 8) : 0);
  }
  ASSERT_TRUE(body.pose(joints));
  ASSERT_TRUE(chains.step(c.dt, roots, &body));
  for (size_t b = 0; b < c.masses.size(); ++b) v.direction(&velocities[3 * b], v.uniform(0, 30));
  ASSERT_TRUE(chains.set_bones({}, velocities));

  double reserve = 0;
  for (int frame = 0; frame < kFrames; ++frame) {
    ASSERT_TRUE(chains.positions(x));
    ASSERT_TRUE(chains.velocities(velocities));
    x0 = x;
    v0 = velocities;
    // Move roots and colliders.
    const bool jump = c.teleports && v.chance(0.05f);
    std::vector<Transform> before = roots;
    for (auto& root : roots) {
      float by[3] = {0, 0, 0};
      if (c.roots_shake) v.direction(by, v.uniform(0, 30) * c.dt);
      if (jump) v.direction(by, v.uniform(1, 20));
      for (int k = 0; k < 3; ++k) root.position[k] += by[k];
    }
    if (jump) {
      ASSERT_TRUE(chains.teleport(v.chance(0.5f) ? BILLOW_TELEPORT_KEEP : BILLOW_TELEPORT_RESET, roots));
    }
    for (size_t n = 0; n < joints.size(); ++n) {
      if (c.colliders_move && v.chance(0.1f)) v.direction(&joint_velocity[3 * n], v.uniform(0, 8));
      for (int k = 0; k < 3; ++k)
        joints[n].position[k] += joint_velocity[3 * n + static_cast<size_t>(k)] * c.dt;
    }
    ASSERT_TRUE(body.pose(joints));
    ASSERT_TRUE(chains.step(c.dt, roots, &body));
    ASSERT_TRUE(chains.positions(x));
    ASSERT_TRUE(chains.velocities(velocities));
    ASSERT_TRUE(body.query(x, phi));
    const Report report = chains.report();
    worst.teleported += jump;
    worst.contacts += static_cast<int>(report.contacts);
    worst.trapped += static_cast<int>(report.trapped);
    worst.enclosed += static_cast<int>(report.enclosed);
    ASSERT_FALSE(report.flags & BILLOW_FLAG_RECOVERED);

    double kinetic_now = 0, energy = 0, allowed = static_cast<double>(report.collider_work),
           scale = std::fabs(allowed);
    for (size_t n = 0, first = 0; n < kChains; first += c.bone_counts[n], ++n) {
      for (uint32_t i = 1; i < c.bone_counts[n]; ++i) {
        const size_t b = first + i;
        for (int k = 0; k < 3; ++k) ASSERT_TRUE(std::isfinite(x[3 * b + static_cast<size_t>(k)]));
        double l2 = 0;
        for (size_t k = 0; k < 3; ++k) {
          const double e = static_cast<double>(x[3 * b + k]) - static_cast<double>(x[3 * b - 3 + k]);
          l2 += e * e;
        }
        worst.length_excess =
            std::max(worst.length_excess, std::sqrt(l2) / static_cast<double>(c.lengths[b]) - 1);
        if (!c.colliders.empty() && phi[b - 1] >= 0)
          worst.depth = std::max(worst.depth, -static_cast<double>(phi[b]));
      }
      // In the frame that moves with the root over this step, only gravity and colliders do work.
      double frame_velocity[3];
      for (int k = 0; k < 3; ++k)
        frame_velocity[k] =
            (static_cast<double>(roots[n].position[k]) - static_cast<double>(before[n].position[k])) /
            static_cast<double>(c.dt);
      const int chain = static_cast<int>(n);
      const double k0 = kinetic(c, chain, first, v0, frame_velocity, 0.01),
                   p0 = potential(c, chain, first, x0, 0.01);
      const double k1 = kinetic(c, chain, first, velocities, frame_velocity, 0.01),
                   p1 = potential(c, chain, first, x, 0.01);
      energy += k1 + p1;
      kinetic_now += k1;
      allowed += k0 + p0;
      scale += k0 + k1 + std::fabs(p1 - p0);
    }
    // The energy guard lets a chain take back a twentieth of its energy that it lost before: the reserve.
    if (jump || frame == 0) {
      reserve = 0.05 * kinetic_now;
      continue;
    }
    reserve += allowed - energy;
    if (scale > 0) worst.energy_gain = std::max(worst.energy_gain, -reserve / scale);
    reserve = std::min(reserve, 0.05 * kinetic_now);
  }
}

TEST(ViolentSlow, NothingExplodes) {
  const char* requested = std::getenv("BILLOW_VIOLENT_CASES");
  const int cases = requested ? std::atoi(requested) : 30000;
  ViolentCases generator(20240607);
  Worst worst;
  for (int n = 0; n < cases && !HasFatalFailure(); n += kChains) run(generator, worst);
  std::printf(
      "%d cases: rope excess %.2e, depth %.2e m, energy gain %.2e, contacts %d, trapped %d, enclosed %d, "
      "teleports %d\n",
      cases, worst.length_excess, worst.depth, worst.energy_gain, worst.contacts, worst.trapped,
      worst.enclosed, worst.teleported);
  EXPECT_LE(worst.length_excess, 1e-6);
  EXPECT_LE(worst.depth, 1e-3);
  EXPECT_LE(worst.energy_gain, 1e-4);
  EXPECT_GT(worst.contacts, cases / 10);
}

}  // namespace
}  // namespace billow
