#include "evaluate/product.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dataset/clip_writer.h"

namespace billow::evaluate {
namespace {

// One garment on one character.
class Wearer {
 public:
  Wearer(const billow_garment* garment, const std::vector<size_t>& needed, const std::string& file)
      : needed_(needed), file_(file) {
    billow_instance* instance = nullptr;
    expect(billow_instance_create(garment, nullptr, &instance));
    instance_.reset(instance);
  }
  void move_to(std::span<const Transform> joints, double dt) {
    std::vector<Transform> own;
    for (const size_t j : needed_) own.push_back(joints[j]);
    const auto api_joints = body::to_api(own);
    billow_frame frame = billow_frame_default();
    frame.dt = static_cast<float>(dt);
    frame.joints = api_joints.data(), frame.joint_count = static_cast<uint32_t>(api_joints.size());
    expect(billow_instance_step(instance_.get(), &frame));
  }
  std::vector<V3> vertices(size_t count) const {
    const float* p = billow_instance_position_data(instance_.get());
    std::vector<V3> out(count);
    for (V3& v : out) v = {p[0], p[1], p[2]}, p += 3;
    return out;
  }

 private:
  struct Destroy {
    void operator()(billow_instance* i) const { billow_instance_destroy(i); }
  };
  void expect(billow_status status) const {
    if (status != BILLOW_OK) throw std::runtime_error(file_ + ": " + billow_last_error());
  }
  const std::vector<size_t>& needed_;
  const std::string& file_;
  std::unique_ptr<billow_instance, Destroy> instance_;
};

}  // namespace

std::vector<size_t> joints_needed(const billow_garment* garment, const body::Skeleton& skeleton,
                                  const std::string& file, const std::string& character) {
  std::vector<size_t> joints;
  for (uint32_t j = 0; j < billow_garment_joint_count(garment); ++j) {
    char name[256] = "";
    billow_garment_get_joint_name(garment, j, name, sizeof name);
    const int found = skeleton.find(name);
    if (found == body::kNoJoint)
      throw std::runtime_error(file + ": expected a garment for " + character +
                               ", found one that needs a joint '" + name + "'");
    joints.push_back(static_cast<size_t>(found));
  }
  return joints;
}

Product::Product(const std::string& file, const Frames& frames, double rate) : file_(file), frames_(frames) {
  steps_ = std::max(1, static_cast<int>(std::lround(rate / frames.info().frames_per_second)));
  billow_garment* garment = nullptr;
  if (billow_garment_load(file.c_str(), nullptr, &garment) != BILLOW_OK)
    throw std::runtime_error(file + ": " + billow_last_error());
  garment_.reset(garment);
  needed_ = joints_needed(garment, frames.character().skeleton, file, "the character of the data set");
}

std::vector<std::vector<V3>> Product::play(const Frames::ClipRange& clip) const {
  const body::Skeleton& skeleton = frames_.character().skeleton;
  const double dt = 1 / rate();
  std::vector<Transform> before(skeleton.size()), joints(skeleton.size()), between(skeleton.size());
  frames_.joints(clip.begin, before);
  motion::Clip start;
  start.frames_per_second = static_cast<float>(rate());
  start.frames.push_back(body::pose_of(skeleton, before));
  Wearer wearer(garment_.get(), needed_, file_);
  for (const auto& pose : dataset::lead_in(skeleton, start)) wearer.move_to(pose, dt);

  std::vector<std::vector<V3>> vertices;
  for (uint32_t f = clip.begin; f < clip.end; ++f) {
    frames_.joints(f, joints);
    for (int s = 1; s <= steps_; ++s) {
      const float share = static_cast<float>(s) / static_cast<float>(steps_);
      for (size_t j = 0; j < joints.size(); ++j) between[j] = blend(before[j], joints[j], share);
      wearer.move_to(s < steps_ ? between : joints, dt);
    }
    vertices.push_back(wearer.vertices(frames_.garment().size()));
    std::swap(before, joints);
  }
  return vertices;
}

}  // namespace billow::evaluate
