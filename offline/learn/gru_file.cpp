#include "learn/gru_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace billow::learn {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

constexpr uint32_t kMagic = 0x75726762;  // "bgru"
constexpr uint32_t kVersion = 1;
constexpr uint32_t kFewestBits = 4, kMaxBits = 8;
// Far beyond any garment, and small enough that no size overflows.
constexpr uint32_t kMaxInputs = 1u << 15, kMaxChains = 4096, kMaxUnits = 4096, kMaxBones = 256,
                   kHighestBone = 1u << 16;
constexpr float kLargest = 1e9f;

size_t packed_bytes(size_t weights, uint32_t bits) { return (weights * bits + 7) / 8; }

// The scale that brings integers nearest to a row: not always the one that just reaches its largest weight, because the
// many small ones then get what precision there is.
float scale_of(const Matrix& weights, Eigen::Index row, float most) {
  const float largest = weights.row(row).cwiseAbs().maxCoeff();
  float best = 0, least = INFINITY;
  for (const float share : {1.0f, 0.9f, 0.8f, 0.7f, 0.6f, 0.5f}) {
    const float scale = largest * share / most;
    if (!(scale > 0)) break;
    const auto rounded = (weights.row(row).array() / scale).round().max(-most).min(most) * scale;
    const float off = (rounded - weights.row(row).array()).matrix().squaredNorm();
    if (off < least) least = off, best = scale;
  }
  return best;
}

class Writer {
 public:
  explicit Writer(uint32_t bits) : bits_(bits) {}
  std::string bytes;

  void put(uint32_t n) { bytes.append(reinterpret_cast<const char*>(&n), sizeof n); }
  void put(const Vector& v) {
    bytes.append(reinterpret_cast<const char*>(v.data()), static_cast<size_t>(v.size()) * sizeof(float));
  }
  void put(const Layer& layer) {
    const Matrix& w = layer.weights;
    const auto most = static_cast<float>((1 << (bits_ - 1)) - 1);
    Vector scales(w.rows());
    for (Eigen::Index r = 0; r < w.rows(); ++r) scales[r] = scale_of(w, r, most);
    put(layer.bias);
    put(scales);
    uint32_t waiting = 0, count = 0;  // bits that do not fill a byte yet
    for (Eigen::Index r = 0; r < w.rows(); ++r)
      for (Eigen::Index c = 0; c < w.cols(); ++c) {
        const float q = scales[r] > 0 ? std::clamp(std::round(w(r, c) / scales[r]), -most, most) : 0;
        waiting |= static_cast<uint32_t>(q + most) << count;
        for (count += bits_; count >= 8; count -= 8) bytes += static_cast<char>(waiting), waiting >>= 8;
      }
    if (count > 0) bytes += static_cast<char>(waiting);
  }

 private:
  uint32_t bits_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes), size_(bytes.size()) {}

  // `back`: bytes ago.
  [[noreturn]] void fail(const std::string& what, const std::string& expected, uint64_t found,
                         size_t back = 0) const {
    throw std::runtime_error("recurrent units: " + what + " at byte " + std::to_string(at() - back) +
                             ": expected " + expected + ", found " + std::to_string(found));
  }
  uint32_t number(const char* what, uint32_t least, uint32_t most) {
    uint32_t n = 0;
    take(what, &n, sizeof n);
    const std::string to = least == most ? "" : " to " + std::to_string(most);
    if (n < least || n > most) fail(what, std::to_string(least) + to, n, sizeof n);
    return n;
  }
  Vector floats(const char* what, uint32_t count) {
    need(what, size_t{count} * sizeof(float));
    Vector v(count);
    take(what, v.data(), size_t{count} * sizeof(float));
    if (!(v.cwiseAbs().array() <= kLargest).all())
      throw std::runtime_error(std::string("recurrent units: ") + what + " before byte " +
                               std::to_string(at()) + ": expected finite numbers, found others");
    return v;
  }
  Layer layer(const char* what, uint32_t rows, uint32_t columns, uint32_t bits) {
    Layer out;
    out.bias = floats(what, rows);
    const Vector scales = floats(what, rows);
    const size_t packed = packed_bytes(size_t{rows} * columns, bits);
    need(what, packed);
    out.weights.resize(rows, columns);
    const auto* byte = reinterpret_cast<const unsigned char*>(left_.data());
    const uint32_t middle = (1u << (bits - 1)) - 1;
    uint32_t waiting = 0, count = 0;
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t c = 0; c < columns; ++c, waiting >>= bits, count -= bits) {
        if (count < bits) waiting |= uint32_t{*byte++} << count, count += 8;
        const uint32_t q = waiting & ((1u << bits) - 1);
        if (q > 2 * middle) fail(what, "integers to " + std::to_string(2 * middle), q);
        out.weights(r, c) = scales[r] * (static_cast<float>(q) - static_cast<float>(middle));
      }
    if (waiting != 0) fail(what, "zeros behind the last weight", waiting);
    left_.remove_prefix(packed);
    return out;
  }
  size_t left() const { return left_.size(); }

 private:
  size_t at() const { return size_ - left_.size(); }
  void need(const char* what, size_t bytes) const {
    if (left_.size() < bytes) fail(what, std::to_string(bytes) + " bytes", left_.size());
  }
  void take(const char* what, void* to, size_t bytes) {
    need(what, bytes);
    std::memcpy(to, left_.data(), bytes);
    left_.remove_prefix(bytes);
  }
  std::string_view left_;
  size_t size_;
};

size_t size_of(const Gru& gru, uint32_t bits) {
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

size_t gru_room(size_t chains) { return std::min<size_t>(100'000 * chains, 1'500'000); }

std::string gru_to_bytes(const Gru& gru, size_t most_bytes) {
  uint32_t bits = kMaxBits;
  while (bits > kFewestBits && size_of(gru, bits) > most_bytes) --bits;
  if (const size_t bytes = size_of(gru, bits); bytes > most_bytes)
    throw std::invalid_argument("recurrent units: expected no more than " + std::to_string(most_bytes) +
                                " bytes, found " + std::to_string(bytes) + " with " + std::to_string(bits) +
                                " bits a weight: fewer units a chain are needed");
  Writer out(bits);
  for (const uint32_t n : {kMagic, kVersion, static_cast<uint32_t>(gru.mean.size()),
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
  Reader in(bytes);
  Gru gru;
  in.number("magic", kMagic, kMagic);
  in.number("version", kVersion, kVersion);
  const uint32_t inputs = in.number("inputs", 1, kMaxInputs);
  const uint32_t chains = in.number("chains", 1, kMaxChains);
  const uint32_t bits = in.number("bits", kFewestBits, kMaxBits);
  gru.mean = in.floats("mean", inputs);
  gru.scale = in.floats("scale", inputs);
  for (uint32_t k = 0; k < chains; ++k) {
    GruChain c;
    const uint32_t units = in.number("units", 1, kMaxUnits);
    const uint32_t bones = in.number("bones", 1, kMaxBones);
    for (uint32_t b = 0; b < bones; ++b) c.bones.push_back(in.number("bone", 0, kHighestBone));
    c.input = in.layer("input", 3 * units, inputs, bits);
    c.state = in.layer("state", 3 * units, units, bits);
    c.output = in.layer("output", 3 * bones, units, bits);
    gru.chains.push_back(std::move(c));
  }
  if (in.left() > 0) in.fail("end", "no bytes behind the last chain", in.left());
  return gru;
}

}  // namespace billow::learn
