#include "learn/gru.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "learn/rows.h"

namespace billow::learn {
namespace {

Vector sigmoid(const Vector& v) { return (1 + (-v.array()).exp()).inverse(); }

// The first two columns of the rotation's matrix: continuous, unlike a quaternion's sign.
float* put_rotation(float* to, Quat q) {
  for (const V3 axis : {V3{1, 0, 0}, V3{0, 1, 0}}) {
    const V3 column = rotate(q, axis);
    *to++ = column.x, *to++ = column.y, *to++ = column.z;
  }
  return to;
}

float* put(float* to, V3 v) {
  *to++ = v.x, *to++ = v.y, *to++ = v.z;
  return to;
}

// What body_poses tells of so many joints.
size_t pose_values(size_t joints) { return 6 * (joints - 1) + 9; }

// The turn from a to b as axis times angle, for small ones.
V3 turn_between(Quat a, Quat b) {
  Quat d = b * conjugate(a);
  if (d.w < 0) d = {-d.x, -d.y, -d.z, -d.w};
  return V3{d.x, d.y, d.z} * 2.0f;
}

}  // namespace

void Gru::operator()(const Matrix& poses, Matrix& bones) const {
  const Matrix x = (poses.rowwise() - mean.transpose()).array().rowwise() * scale.transpose().array();
  for (const GruChain& chain : chains) {
    const Eigen::Index size = chain.state.weights.cols();
    const Matrix inputs = (x * chain.input.weights.transpose()).rowwise() + chain.input.bias.transpose();
    Vector h = Vector::Zero(size);
    for (Eigen::Index f = 0; f < x.rows(); ++f) {
      const Vector in = inputs.row(f), from_state = chain.state.weights * h + chain.state.bias;
      const Vector r = sigmoid(in.head(size) + from_state.head(size)),
                   u = sigmoid(in.segment(size, size) + from_state.segment(size, size)),
                   n = (in.tail(size) + r.cwiseProduct(from_state.tail(size))).array().tanh();
      h = n + u.cwiseProduct(h - n);
      const Vector d = chain.output.weights * h + chain.output.bias;
      for (size_t i = 0; i < chain.bones.size(); ++i)
        bones.row(f).segment<3>(3 * chain.bones[i]) = d.segment<3>(3 * static_cast<Eigen::Index>(i));
    }
  }
}

Matrix body_poses(const Frames& frames, const Frames::Run& clip) {
  const size_t joints = frames.person().skeleton.size();
  const auto key = static_cast<size_t>(frames.person().skeleton.at(frames.garment().key_joint));
  const auto rate = static_cast<float>(frames.info().frames_per_second);
  Matrix poses(clip.end - clip.begin, static_cast<Eigen::Index>(pose_values(joints)));
  std::vector<Transform> now(joints), last(joints);
  for (uint32_t f = clip.begin; f < clip.end; ++f) {
    frames.joints(f, now);
    // The first frame has none before it and takes the motion of the next.
    frames.joints(f == clip.begin ? std::min(f + 1, clip.end - 1) : f - 1, last);
    const float per_second = f == clip.begin ? -rate : rate;
    const Quat to_key = conjugate(now[key].rotation);
    float* to = poses.row(f - clip.begin).data();
    for (size_t j = 0; j < joints; ++j)
      if (j != key) to = put_rotation(to, to_key * now[j].rotation);
    to = put(to, rotate(to_key, now[key].position - last[key].position) * per_second);
    to = put(to, rotate(to_key, turn_between(last[key].rotation, now[key].rotation)) * per_second);
    put(to, rotate(to_key, {0, -1, 0}));
  }
  return poses;
}

Matrix gru_bones(const Frames& frames, const Gru& gru) {
  const size_t joints = frames.person().skeleton.size(), bones_there = frames.garment().bones.size();
  if (const auto inputs = static_cast<size_t>(gru.mean.size()); inputs != pose_values(joints))
    throw std::invalid_argument("recurrent units: expected " + std::to_string(pose_values(joints)) +
                                " inputs for " + std::to_string(joints) + " joints, found " +
                                std::to_string(inputs));
  for (const GruChain& chain : gru.chains)
    for (const uint32_t bone : chain.bones)
      if (bone >= bones_there)
        throw std::invalid_argument("recurrent units: expected bones of " + std::to_string(bones_there) +
                                    ", found bone " + std::to_string(bone));
  Matrix all(static_cast<Eigen::Index>(frames.size()), static_cast<Eigen::Index>(frames.bone_values()));
  for (const Frames::Run& clip : frames.clips()) {
    std::vector<uint32_t> which;
    for (uint32_t f = clip.begin; f < clip.end; ++f) which.push_back(f);
    Matrix bones = bone_matrix(frames, which, Source::kRope);
    gru(body_poses(frames, clip), bones);
    all.middleRows(clip.begin, bones.rows()) = bones;
  }
  return all;
}

std::vector<std::vector<uint32_t>> moved_bones(const garment::Garment& garment) {
  std::vector<std::vector<uint32_t>> moved;
  for (const auto& chain : garment.chains)
    if (chain.size() > 1) moved.emplace_back(chain.begin() + 1, chain.end());
  return moved;
}

}  // namespace billow::learn
