// The frames of a data set as the collision loss sees them.
#pragma once

#include "learn/frames.h"
#include "train/collision.h"

namespace billow::train {

class FramesScene : public Scene {
 public:
  explicit FramesScene(const learn::Frames& frames) : frames_(frames) {}

  body::Surface make_body() const override { return {frames_.person().skeleton, frames_.person().colliders}; }
  // The joints go to where the cloth rests, so that the cloth, which is larger, need not go to them.
  void pose(uint32_t frame, body::Surface& body) const override {
    std::vector<Transform> joints(frames_.person().skeleton.size());
    frames_.joints(frame, joints);
    const Transform back = inverse(frames_.rigid(frame));
    for (Transform& joint : joints) joint = back * joint;
    body.pose(joints);
  }
  V3 truth(uint32_t frame, uint32_t vertex) const override { return frames_.vertex(frame, vertex); }

 private:
  const learn::Frames& frames_;
};

}  // namespace billow::train
