#include "research/gru/gru.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

namespace billow::research {
namespace {

Vector sigmoid(const Vector& v) { return (1 + (-v.array()).exp()).inverse(); }

// Appends the first two columns of the rotation matrix: continuous, unlike a quaternion, whose sign may flip.
float* append_rotation(float* to, Quat q) {
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

// Values of a row of body_poses.
size_t pose_size(size_t joints) { return 6 * (joints - 1) + 9; }

// The rotation from a to b as axis times angle, to first order.
V3 rotation_vector(Quat a, Quat b) {
  Quat d = b * conjugate(a);
  if (d.w < 0) d = {-d.x, -d.y, -d.z, -d.w};
  return V3{d.x, d.y, d.z} * 2.0f;
}

static_assert(std::endian::native == std::endian::little, "the section is little-endian");

constexpr uint32_t kGruMagic = 0x75726762;  // "bgru"
constexpr uint32_t kGruVersion = 1;
constexpr uint32_t kMinBits = 4, kMaxBits = 8;
// Limits beyond any garment, chosen so that no size computation overflows.
constexpr uint32_t kMaxGruInputs = 1u << 15, kMaxGruChains = 4096, kMaxGruUnits = 4096, kMaxGruBones = 256,
                   kMaxGruBoneIndex = 1u << 16;
constexpr float kMaxGruValue = 1e9f;

size_t packed_bytes(size_t weights, uint32_t bits) { return (weights * bits + 7) / 8; }

// The scale of a row with the least squared error. Clipping the largest weights may pay: it gives the many small ones a finer
// step. `max_level`: largest quantised value.
float best_scale(const Matrix& weights, Eigen::Index row, float max_level) {
  const float largest = weights.row(row).cwiseAbs().maxCoeff();
  float best = 0, min_error = INFINITY;
  for (const float share : {1.0f, 0.9f, 0.8f, 0.7f, 0.6f, 0.5f}) {
    const float scale = largest * share / max_level;
    if (!(scale > 0)) break;
    const auto rounded = (weights.row(row).array() / scale).round().max(-max_level).min(max_level) * scale;
    const float error = (rounded - weights.row(row).array()).matrix().squaredNorm();
    if (error < min_error) min_error = error, best = scale;
  }
  return best;
}

class GruWriter {
 public:
  explicit GruWriter(uint32_t bits) : bits_(bits) {}
  std::string bytes;

  void put(uint32_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void put(const Vector& v) {
    bytes.append(reinterpret_cast<const char*>(v.data()), static_cast<size_t>(v.size()) * sizeof(float));
  }
  void put(const Layer& layer) {
    const Matrix& w = layer.weights;
    const auto max_level = static_cast<float>((1 << (bits_ - 1)) - 1);
    Vector scales(w.rows());
    for (Eigen::Index r = 0; r < w.rows(); ++r) scales[r] = best_scale(w, r, max_level);
    put(layer.bias);
    put(scales);
    uint32_t buffer = 0, count = 0;  // bits that do not fill a byte yet
    for (Eigen::Index r = 0; r < w.rows(); ++r)
      for (Eigen::Index c = 0; c < w.cols(); ++c) {
        const float q =
            scales[r] > 0 ? std::clamp(std::round(w(r, c) / scales[r]), -max_level, max_level) : 0;
        buffer |= static_cast<uint32_t>(q + max_level) << count;
        for (count += bits_; count >= 8; count -= 8) bytes += static_cast<char>(buffer), buffer >>= 8;
      }
    if (count > 0) bytes += static_cast<char>(buffer);
  }

 private:
  uint32_t bits_;
};

class GruReader {
 public:
  explicit GruReader(std::string_view bytes) : remaining_(bytes), size_(bytes.size()) {}

  // `bytes_back`: how far before the current position the bad value starts.
  [[noreturn]] void fail(const std::string& what, const std::string& expected, uint64_t found,
                         size_t bytes_back = 0) const {
    throw std::runtime_error("recurrent units: " + what + " at byte " + std::to_string(at() - bytes_back) +
                             ": expected " + expected + ", found " + std::to_string(found));
  }
  uint32_t integer(const char* what, uint32_t min, uint32_t max) {
    uint32_t n = 0;
    take(what, &n, sizeof n);
    const std::string to = min == max ? "" : " to " + std::to_string(max);
    if (n < min || n > max) fail(what, std::to_string(min) + to, n, sizeof n);
    return n;
  }
  Vector floats(const char* what, uint32_t count) {
    need(what, size_t{count} * sizeof(float));
    Vector v(count);
    take(what, v.data(), size_t{count} * sizeof(float));
    if (!(v.cwiseAbs().array() <= kMaxGruValue).all())
      throw std::runtime_error(std::string("recurrent units: ") + what + " before byte " +
                               std::to_string(at()) + ": expected finite values within 1e9, found others");
    return v;
  }
  Layer layer(const char* what, uint32_t rows, uint32_t columns, uint32_t bits) {
    Layer out;
    out.bias = floats(what, rows);
    const Vector scales = floats(what, rows);
    const size_t packed = packed_bytes(size_t{rows} * columns, bits);
    need(what, packed);
    out.weights.resize(rows, columns);
    const auto* byte = reinterpret_cast<const unsigned char*>(remaining_.data());
    const uint32_t zero_point = (1u << (bits - 1)) - 1;
    uint32_t buffer = 0, count = 0;
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t c = 0; c < columns; ++c, buffer >>= bits, count -= bits) {
        if (count < bits) buffer |= uint32_t{*byte++} << count, count += 8;
        const uint32_t q = buffer & ((1u << bits) - 1);
        if (q > 2 * zero_point) fail(what, "integers up to " + std::to_string(2 * zero_point), q);
        out.weights(r, c) = scales[r] * (static_cast<float>(q) - static_cast<float>(zero_point));
      }
    if (buffer != 0) fail(what, "zeros behind the last weight", buffer);
    remaining_.remove_prefix(packed);
    return out;
  }
  size_t remaining() const { return remaining_.size(); }

 private:
  size_t at() const { return size_ - remaining_.size(); }
  void need(const char* what, size_t bytes) const {
    if (remaining_.size() < bytes) fail(what, std::to_string(bytes) + " bytes", remaining_.size());
  }
  void take(const char* what, void* to, size_t bytes) {
    need(what, bytes);
    std::memcpy(to, remaining_.data(), bytes);
    remaining_.remove_prefix(bytes);
  }
  std::string_view remaining_;
  size_t size_;
};

size_t gru_size(const Gru& gru, uint32_t bits) {
  size_t bytes = 5 * 4 + 8 * static_cast<size_t>(gru.mean.size());
  for (const GruChain& c : gru.chains) {
    bytes += 8 + 4 * c.bones.size();
    for (const Layer* l : {&c.input, &c.state, &c.output})
      bytes += 8 * static_cast<size_t>(l->bias.size()) +
               packed_bytes(static_cast<size_t>(l->weights.size()), bits);
  }
  return bytes;
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

Matrix body_poses(const Frames& frames, const Frames::ClipRange& clip) {
  const size_t joints = frames.character().skeleton.size();
  const auto key = static_cast<size_t>(frames.character().skeleton.at(frames.garment().key_joint));
  const auto rate = static_cast<float>(frames.info().frames_per_second);
  Matrix poses(clip.end - clip.begin, static_cast<Eigen::Index>(pose_size(joints)));
  std::vector<Transform> now(joints), last(joints);
  for (uint32_t f = clip.begin; f < clip.end; ++f) {
    frames.joints(f, now);
    // Take a forward difference in the first frame.
    frames.joints(f == clip.begin ? std::min(f + 1, clip.end - 1) : f - 1, last);
    const float per_second = f == clip.begin ? -rate : rate;
    const Quat to_key = conjugate(now[key].rotation);
    float* to = poses.row(f - clip.begin).data();
    for (size_t j = 0; j < joints; ++j)
      if (j != key) to = append_rotation(to, to_key * now[j].rotation);
    to = put(to, rotate(to_key, now[key].position - last[key].position) * per_second);
    to = put(to, rotate(to_key, rotation_vector(last[key].rotation, now[key].rotation)) * per_second);
    put(to, rotate(to_key, {0, -1, 0}));
  }
  return poses;
}

Matrix gru_bones(const Frames& frames, const Gru& gru) {
  const size_t joints = frames.character().skeleton.size(), bone_count = frames.garment().bones.size();
  if (const auto inputs = static_cast<size_t>(gru.mean.size()); inputs != pose_size(joints))
    throw std::invalid_argument("recurrent units: expected " + std::to_string(pose_size(joints)) +
                                " inputs for " + std::to_string(joints) + " joints, found " +
                                std::to_string(inputs));
  for (const GruChain& chain : gru.chains)
    for (const uint32_t bone : chain.bones)
      if (bone >= bone_count)
        throw std::invalid_argument("recurrent units: expected bones of " + std::to_string(bone_count) +
                                    ", found bone " + std::to_string(bone));
  Matrix all(static_cast<Eigen::Index>(frames.size()), static_cast<Eigen::Index>(frames.bone_values()));
  for (const Frames::ClipRange& clip : frames.clips()) {
    std::vector<uint32_t> which;
    for (uint32_t f = clip.begin; f < clip.end; ++f) which.push_back(f);
    Matrix bones = bone_matrix(frames, which, learn::Source::kRope);
    gru(body_poses(frames, clip), bones);
    all.middleRows(clip.begin, bones.rows()) = bones;
  }
  return all;
}

std::vector<std::vector<uint32_t>> simulated_bones(const garment::Garment& garment) {
  std::vector<std::vector<uint32_t>> simulated;
  for (const auto& chain : garment.chains)
    if (chain.size() > 1) simulated.emplace_back(chain.begin() + 1, chain.end());
  return simulated;
}

size_t max_gru_bytes(size_t chains) { return std::min<size_t>(100'000 * chains, 1'500'000); }

std::string gru_to_bytes(const Gru& gru, size_t max_bytes) {
  uint32_t bits = kMaxBits;
  while (bits > kMinBits && gru_size(gru, bits) > max_bytes) --bits;
  if (const size_t bytes = gru_size(gru, bits); bytes > max_bytes)
    throw std::invalid_argument("recurrent units: expected no more than " + std::to_string(max_bytes) +
                                " bytes, found " + std::to_string(bytes) + " with " + std::to_string(bits) +
                                " bits a weight; train fewer units a chain");
  GruWriter out(bits);
  for (const uint32_t n : {kGruMagic, kGruVersion, static_cast<uint32_t>(gru.mean.size()),
                           static_cast<uint32_t>(gru.chains.size()), bits})
    out.put(n);
  out.put(gru.mean);
  out.put(gru.scale);
  for (const GruChain& c : gru.chains) {
    out.put(static_cast<uint32_t>(c.state.weights.cols()));
    out.put(static_cast<uint32_t>(c.bones.size()));
    for (const uint32_t bone : c.bones) out.put(bone);
    for (const Layer* l : {&c.input, &c.state, &c.output}) out.put(*l);
  }
  return std::move(out.bytes);
}

Gru gru_from_bytes(std::string_view bytes) {
  GruReader in(bytes);
  Gru gru;
  in.integer("magic", kGruMagic, kGruMagic);
  in.integer("version", kGruVersion, kGruVersion);
  const uint32_t inputs = in.integer("inputs", 1, kMaxGruInputs);
  const uint32_t chains = in.integer("chains", 1, kMaxGruChains);
  const uint32_t bits = in.integer("bits", kMinBits, kMaxBits);
  gru.mean = in.floats("mean", inputs);
  gru.scale = in.floats("scale", inputs);
  for (uint32_t k = 0; k < chains; ++k) {
    GruChain c;
    const uint32_t units = in.integer("units", 1, kMaxGruUnits);
    const uint32_t bones = in.integer("bones", 1, kMaxGruBones);
    for (uint32_t b = 0; b < bones; ++b) c.bones.push_back(in.integer("bone", 0, kMaxGruBoneIndex));
    c.input = in.layer("input", 3 * units, inputs, bits);
    c.state = in.layer("state", 3 * units, units, bits);
    c.output = in.layer("output", 3 * bones, units, bits);
    gru.chains.push_back(std::move(c));
  }
  if (in.remaining() > 0) in.fail("end", "no bytes behind the last chain", in.remaining());
  return gru;
}

}  // namespace billow::research
