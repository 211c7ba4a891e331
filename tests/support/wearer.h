// The shipped garments on the moving built-in person.
#pragma once

#include <billow/billow.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/moving_person.h"

namespace billow::testing {

using Bones = std::vector<float>;

inline const body::Person& person() {
  static const body::Person average = body::make_person();
  return average;
}

// A garment that a person wears, with or without its mesh. It starts settled on the motion's first pose.
class Wearer {
 public:
  Wearer(const std::string& name, Motion motion, V3 offset = {0, 0, 0}, bool mesh = false)
      : motion_(std::move(motion)), offset_(offset), mesh_(mesh) {
    billow_garment* garment = nullptr;
    EXPECT_EQ(billow_garment_load(("assets/" + name + ".billow").c_str(), nullptr, &garment), BILLOW_OK)
        << billow_last_error();
    garment_.reset(garment);
    for (uint32_t j = 0; j < billow_garment_joint_count(garment); ++j) {
      char joint[BILLOW_MAX_NAME];
      billow_garment_get_joint_name(garment, j, joint, sizeof joint);
      joints_.push_back(static_cast<size_t>(person().skeleton.at(joint)));
    }
    billow_instance* instance = nullptr;
    EXPECT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK) << billow_last_error();
    instance_.reset(instance);
  }
  billow_instance* instance() const { return instance_.get(); }
  billow_chains* chains() const { return billow_instance_chains(instance_.get()); }
  void settle() { pose(0, 0); }
  void step(double hz) {
    ++frame_;
    pose(static_cast<double>(frame_) / hz, 1 / hz);
  }
  Bones bones() const {
    Bones x(3 * size_t{billow_chains_bone_count(chains())});
    billow_chains_get_positions(chains(), x.data(), billow_chains_bone_count(chains()));
    for (size_t i = 0; i < x.size(); ++i) x[i] -= i % 3 == 0 ? offset_.x : i % 3 == 1 ? offset_.y : offset_.z;
    return x;
  }
  std::span<const float> mesh() const {
    return {billow_instance_position_data(instance_.get()),
            3 * size_t{billow_garment_vertex_count(garment_.get())}};
  }

 private:
  void pose(double time, double dt) {
    body::Pose pose = motion_(time);
    pose.root_position += offset_;
    const auto all = body::to_api(body::joint_transforms(person().skeleton, pose));
    std::vector<billow_transform> joints;
    for (const size_t j : joints_) joints.push_back(all[j]);
    billow_frame frame = billow_frame_default();
    frame.dt = static_cast<float>(dt), frame.skip_mesh = !mesh_;
    frame.joints = joints.data(), frame.joint_count = static_cast<uint32_t>(joints.size());
    ASSERT_EQ(dt > 0 ? billow_instance_step(instance_.get(), &frame)
                     : billow_instance_settle(instance_.get(), &frame, 5),
              BILLOW_OK)
        << billow_last_error();
  }

  struct Destroy {
    void operator()(billow_garment* p) const { billow_garment_destroy(p); }
    void operator()(billow_instance* p) const { billow_instance_destroy(p); }
  };
  Motion motion_;
  V3 offset_;
  bool mesh_;
  std::vector<size_t> joints_;
  std::unique_ptr<billow_garment, Destroy> garment_;
  std::unique_ptr<billow_instance, Destroy> instance_;
  int frame_ = 0;
};

}  // namespace billow::testing
