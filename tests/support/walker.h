// The shipped garments on a person who walks in a circle, on the C API alone: joints are found by their names in the garment.
#pragma once

#include <billow/billow.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/vector.h"

namespace billow::testing {

using Rotation = std::array<double, 4>;  // x y z w

inline Rotation operator*(const Rotation& a, const Rotation& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
          a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
          a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}
inline Vector rotated(const Rotation& q, const Vector& v) {
  const Rotation p = q * Rotation{v[0], v[1], v[2], 0} * Rotation{-q[0], -q[1], -q[2], q[3]};
  return {p[0], p[1], p[2]};
}
inline Rotation about(const Vector& axis, double angle) {
  const double s = std::sin(0.5 * angle);
  return {s * axis[0], s * axis[1], s * axis[2], std::cos(0.5 * angle)};
}

// Walks in a circle of 1.5 m about (1.5, 0) at 1.4 m/s from standing at the origin, as seen from above clockwise from +z to +x.
// It is nearest to z = 1.5 m after a quarter of the circle, in second 1.9.
struct Walk {
  static constexpr double kRadius = 1.5, kSpeed = 1.4;
  Vector centre{kRadius, 0, 0};
  double start = 0;  // radians along the circle

  static double way(double t) {  // m; speeds up for half a second
    return kSpeed * (t < 0.5 ? t * t : t - 0.25);
  }
};

// The joints of a garment's person on the way.
class Skeleton {
 public:
  explicit Skeleton(const billow_garment* garment) {
    const uint32_t count = billow_garment_joint_count(garment);
    std::vector<billow_transform> rest(count);
    parents_.resize(count);
    EXPECT_EQ(billow_garment_get_joint_rest(garment, rest.data(), count), BILLOW_OK);
    EXPECT_EQ(billow_garment_get_joint_parents(garment, parents_.data(), count), BILLOW_OK);
    for (uint32_t j = 0; j < count; ++j) {
      char name[BILLOW_MAX_NAME];
      billow_garment_get_joint_name(garment, j, name, sizeof name);
      names_.push_back(name);
      rest_.push_back({{rest[j].position[0], rest[j].position[1], rest[j].position[2]},
                       {rest[j].rotation[0], rest[j].rotation[1], rest[j].rotation[2], rest[j].rotation[3]}});
    }
  }
  std::vector<billow_transform> walking(const Walk& walk, double t) const {
    const double walked = Walk::way(t), heading = walk.start + walked / Walk::kRadius,
                 phase = 6.283185307179586 * walked / 1.5, share = std::min(2 * t, 1.0);
    const Rotation turn = about({{0, 1, 0}}, heading);
    const Vector root =
        walk.centre + Vector{{-Walk::kRadius * std::cos(heading), 0, Walk::kRadius * std::sin(heading)}};
    // Each joint turns what hangs from it, about the axes of the rest pose.
    std::vector<Placed> now(rest_.size());
    std::vector<billow_transform> out;
    for (size_t j = 0; j < rest_.size(); ++j) {
      const Rotation own = swing(names_[j], share, phase);
      if (parents_[j] < 0) {
        now[j] = {
            root + rotated(turn, Vector{{rest_[j].position[0], rest_[j].position[1], rest_[j].position[2]}}),
            turn * own};
      } else {
        const auto p = static_cast<size_t>(parents_[j]);
        now[j] = {now[p].position + rotated(now[p].rotation, rest_[j].position - rest_[p].position),
                  now[p].rotation * own};
      }
      const Rotation q = now[j].rotation * rest_[j].rotation;
      billow_transform to{};
      for (size_t k = 0; k < 3; ++k) to.position[k] = static_cast<float>(now[j].position[k]);
      for (size_t k = 0; k < 4; ++k) to.rotation[k] = static_cast<float>(q[k]);
      out.push_back(to);
    }
    return out;
  }

 private:
  struct Placed {
    Vector position;
    Rotation rotation;
  };
  static Rotation swing(const std::string& name, double share, double phase) {
    const double side = name.starts_with("left") ? 1 : -1;
    if (name.ends_with("_thigh")) return about({{1, 0, 0}}, -side * share * 0.4 * std::sin(phase));
    if (name.ends_with("_calf")) return about({{1, 0, 0}}, share * 0.3 * (1 - side * std::cos(phase)));
    if (name.ends_with("_upper_arm"))
      return about({{1, 0, 0}}, side * share * 0.3 * std::sin(phase)) * about({{0, 0, 1}}, -side * 1.1);
    return {0, 0, 0, 1};
  }

  std::vector<Placed> rest_;
  std::vector<int32_t> parents_;
  std::vector<std::string> names_;
};

struct DestroyGarment {
  void operator()(billow_garment* p) const { billow_garment_destroy(p); }
  void operator()(billow_instance* p) const { billow_instance_destroy(p); }
};

// A garment on such a person, settled at the start.
class Walker {
 public:
  Walker(const std::string& name, const Walk& walk)
      : garment_(load(name)), skeleton_(garment_.get()), walk_(walk) {
    billow_instance* instance = nullptr;
    EXPECT_EQ(billow_instance_create(garment_.get(), nullptr, &instance), BILLOW_OK) << billow_last_error();
    instance_.reset(instance);
  }
  // Groups of colliders that cloth is never inside of.
  uint32_t rigid_groups() const {
    billow_settings s{};
    EXPECT_EQ(billow_chains_get_settings(chains(), &s), BILLOW_OK);
    uint32_t groups = s.collider_groups & ~s.yielding_groups;
    for (uint32_t g = 0; g < BILLOW_COLLIDER_GROUPS; ++g)
      if (s.softness[g] > 0) groups &= ~(1u << g);
    return groups;
  }
  // Besides its own body, from now on.
  void meet(std::vector<const billow_body*> others) { others_ = std::move(others); }
  void settle() { step(0, 0); }
  void step(double hz) { step(static_cast<double>(++frame_) / hz, 1 / hz); }
  int frame() const { return frame_; }
  void go_to_frame(int frame) { frame_ = frame; }
  // The frame of the last step at 60 Hz once more, without time.
  void pause() {
    const auto joints = skeleton_.walking(walk_, static_cast<double>(frame_) / 60);
    billow_frame frame = billow_frame_default();
    frame.joints = joints.data(), frame.joint_count = static_cast<uint32_t>(joints.size());
    ASSERT_EQ(billow_instance_step(instance_.get(), &frame), BILLOW_OK) << billow_last_error();
  }

  billow_instance* instance() const { return instance_.get(); }
  billow_chains* chains() const { return billow_instance_chains(instance_.get()); }
  std::span<const float> mesh() const {
    return {billow_instance_position_data(instance_.get()),
            3 * size_t{billow_garment_vertex_count(garment_.get())}};
  }
  float hem() const {
    float lowest = mesh()[1];
    for (size_t v = 1; v < mesh().size(); v += 3) lowest = std::min(lowest, mesh()[v]);
    return lowest;
  }
  std::vector<float> bones() const {
    std::vector<float> x(3 * size_t{billow_chains_bone_count(chains())});
    billow_chains_get_positions(chains(), x.data(), billow_chains_bone_count(chains()));
    return x;
  }
  // Bones that touch what is not the garment's own body.
  uint32_t touching() const {
    std::vector<billow_contact> contacts(billow_chains_bone_count(chains()));
    uint32_t count = 0;
    EXPECT_EQ(
        billow_chains_get_contacts(chains(), contacts.data(), static_cast<uint32_t>(contacts.size()), &count),
        BILLOW_OK);
    contacts.resize(count);
    const auto own = static_cast<int32_t>(billow_garment_collider_count(garment_.get()));
    return static_cast<uint32_t>(
        std::count_if(contacts.begin(), contacts.end(), [&](const auto& c) { return c.collider >= own; }));
  }

  static std::unique_ptr<billow_garment, DestroyGarment> load(const std::string& name) {
    billow_garment* garment = nullptr;
    EXPECT_EQ(billow_garment_load(("assets/" + name + ".billow").c_str(), nullptr, &garment), BILLOW_OK)
        << billow_last_error();
    return std::unique_ptr<billow_garment, DestroyGarment>(garment);
  }

 private:
  void step(double time, double dt) {
    const auto joints = skeleton_.walking(walk_, time);
    billow_frame frame = billow_frame_default();
    frame.dt = static_cast<float>(dt);
    frame.joints = joints.data(), frame.joint_count = static_cast<uint32_t>(joints.size());
    frame.others = others_.data(), frame.other_count = static_cast<uint32_t>(others_.size());
    ASSERT_EQ(dt > 0 ? billow_instance_step(instance_.get(), &frame)
                     : billow_instance_settle(instance_.get(), &frame, 5),
              BILLOW_OK)
        << billow_last_error();
  }

  std::unique_ptr<billow_garment, DestroyGarment> garment_;
  Skeleton skeleton_;
  Walk walk_;
  std::unique_ptr<billow_instance, DestroyGarment> instance_;
  std::vector<const billow_body*> others_;
  int frame_ = 0;
};

}  // namespace billow::testing
