#include "pack/sample_garment.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace billow::pack {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;

class Sample {
 public:
  Sample(const body::Person& person, const SampleOptions& options) : o_(options), random_(options.seed) {
    p_.skeleton = person.skeleton;
    p_.colliders = person.colliders;
    p_.collider_names = person.collider_names;
    p_.settings = o_.closed ? billow_settings_skirt() : billow_settings_cape();
    p_.training = "{\"frames\": 0, \"made_up\": true}";
    make_cloth();
    make_bones();
    if (o_.blend) make_blend();
    if (o_.patches)
      p_.model = make_patches();
    else
      p_.model = make_whole_cloth();
  }
  GarmentData take() { return std::move(p_); }

 private:
  float normal() { return normal_(random_); }
  uint32_t vertex(uint32_t row, uint32_t column) const { return row * o_.across + column % o_.across; }
  // Horizontal coordinate from 0 to 1, from the first column to the last; closed garments reach 1 at the first column again.
  float across_at(uint32_t column) const {
    return static_cast<float>(column) / static_cast<float>(o_.closed ? o_.across : o_.across - 1);
  }
  float down_at(uint32_t row) const { return static_cast<float>(row) / static_cast<float>(o_.down - 1); }

  void make_cloth() {
    garment::Garment& g = p_.garment;
    g.name = o_.closed ? "sample skirt" : "sample cape";
    g.key_joint = o_.closed ? "pelvis" : "neck";
    g.closed = o_.closed;
    const auto key = static_cast<uint32_t>(p_.skeleton.at(g.key_joint));
    const V3 at = body::rest_transforms(p_.skeleton)[key].position;
    for (uint32_t r = 0; r < o_.down; ++r)
      for (uint32_t c = 0; c < o_.across; ++c) {
        const float d = down_at(r), s = across_at(c), radius = o_.closed ? 0.2f + 0.3f * d : 0.2f + 0.15f * d;
        const float angle = o_.closed ? 2 * kPi * s : kPi * (1.1f + 0.8f * s);
        g.rest.push_back(at + V3{radius * std::cos(angle),
                                 (o_.closed ? 0.05f : 0.15f) - (o_.closed ? 0.65f : 1.1f) * d,
                                 radius * std::sin(angle)});
      }
    g.shape = g.rest;
    for (uint32_t r = 0; r < o_.down; ++r)
      for (uint32_t c = 0; c < o_.across; ++c)
        g.pattern_uvs.push_back(
            {(o_.closed ? 2.2f : 0.9f) * across_at(c), (o_.closed ? 0.73f : 1.12f) * down_at(r)});
    const uint32_t strips = o_.closed ? o_.across : o_.across - 1;
    for (uint32_t r = 0; r + 1 < o_.down; ++r)
      for (uint32_t c = 0; c < strips; ++c) {
        g.triangles.push_back({vertex(r, c), vertex(r + 1, c), vertex(r, c + 1)});
        g.triangles.push_back({vertex(r, c + 1), vertex(r + 1, c), vertex(r + 1, c + 1)});
      }
    for (uint32_t c = 0; c < o_.across; ++c)
      g.attachments.push_back({vertex(0, c), {key, 0, 0, 0}, {1, 0, 0, 0}, g.rest[vertex(0, c)]});
  }

  void make_bones() {
    garment::Garment& g = p_.garment;
    for (uint32_t k = 0; k < o_.chains; ++k) {
      const uint32_t c =
          k * (o_.closed ? o_.across : o_.across - 1) / (o_.closed ? o_.chains : o_.chains - 1);
      g.chains.emplace_back();
      for (uint32_t b = 0; b < o_.bones_per_chain; ++b) {
        const uint32_t v = vertex(b * (o_.down - 1) / (o_.bones_per_chain - 1), c);
        g.chains.back().push_back(static_cast<uint32_t>(g.bones.size()));
        g.bones.push_back({{v, v, v}, {1, 0, 0}});
      }
      // Add a kinematic bone between the chains.
      const uint32_t beside = vertex(0, c + 1 < o_.across ? c + 1 : c - 1);
      g.bones.push_back({{beside, beside, beside}, {1, 0, 0}});
    }
  }

  // Weights of the nearest bones by inverse distance.
  void make_blend() {
    const garment::Garment& g = p_.garment;
    std::vector<V3> bones(g.bones.size());
    garment::bone_positions(g, g.rest, bones);
    for (const V3& p : g.rest) {
      std::vector<std::pair<float, uint32_t>> near;
      for (uint32_t b = 0; b < bones.size(); ++b) near.push_back({length(bones[b] - p), b});
      std::partial_sort(near.begin(), near.begin() + kBonesPerVertex, near.end());
      learn::BlendWeights w;
      float sum = 0;
      for (size_t k = 0; k < kBonesPerVertex; ++k) {
        w.bones[k] = near[k].second;
        sum += w.weights[k] = 1 / (near[k].first + 0.01f);
      }
      for (float& weight : w.weights) weight /= sum;
      p_.blend.push_back(w);
    }
  }

  // Orthonormalised waves over the cloth, in order of frequency, which vanish at the attachments.
  learn::Matrix modes(uint32_t components, uint32_t first) {
    const Eigen::Index values = static_cast<Eigen::Index>(3 * p_.garment.size());
    Eigen::MatrixXf waves(values, components);
    for (uint32_t k = 0; k < components; ++k) {
      const auto scale = std::sqrt(static_cast<float>(k + first));
      const float along = normal() * scale, across = std::round(normal() * scale), phase = 3 * normal();
      const V3 direction{normal(), normal(), normal()};
      for (uint32_t r = 0; r < o_.down; ++r)
        for (uint32_t c = 0; c < o_.across; ++c) {
          const float d = down_at(r),
                      wave = d * std::cos(kPi * (along * d + 2 * across * across_at(c)) + phase);
          const Eigen::Index at = 3 * static_cast<Eigen::Index>(vertex(r, c));
          waves(at, k) = direction.x * wave + 0.01f * d * normal();
          waves(at + 1, k) = direction.y * wave + 0.01f * d * normal();
          waves(at + 2, k) = direction.z * wave + 0.01f * d * normal();
        }
    }
    const Eigen::HouseholderQR<Eigen::MatrixXf> qr(waves);
    return (qr.householderQ() * Eigen::MatrixXf::Identity(values, components)).transpose();
  }

  learn::Matrix random_matrix(Eigen::Index rows, Eigen::Index columns) {
    learn::Matrix m(rows, columns);
    for (Eigen::Index i = 0; i < m.size(); ++i)
      m.data()[i] = normal() / std::sqrt(static_cast<float>(columns));
    return m;
  }
  learn::Vector random_vector(Eigen::Index size, float deviation) {
    learn::Vector v(size);
    for (float& x : v) x = deviation * normal();
    return v;
  }

  // A random network whose outputs have the given deviations.
  learn::Network network(Eigen::Index inputs, const learn::Vector& deviation) {
    learn::Network n;
    n.activation = o_.activation;
    n.mean = random_vector(inputs, 0.02f);
    n.scale = learn::Vector::Constant(inputs, 5) + random_vector(inputs, 0.5f);
    Eigen::Index before = inputs;
    for (uint32_t k = 0; k < o_.hidden; ++k) {
      n.layers.push_back({random_matrix(o_.units, before), random_vector(o_.units, 0.1f)});
      before = o_.units;
    }
    n.layers.push_back({random_matrix(deviation.size(), before), random_vector(deviation.size(), 0.1f)});
    learn::Layer& last = n.layers.back();
    last.weights = (deviation * (o_.linear ? 0.3f : 1.5f)).asDiagonal() * last.weights;
    last.bias.array() *= deviation.array();
    if (o_.linear) n.linear = deviation.asDiagonal() * random_matrix(deviation.size(), inputs);
    return n;
  }

  static learn::Vector power_law(Eigen::Index count, float first, float exponent) {
    learn::Vector v(count);
    for (Eigen::Index k = 0; k < count; ++k) v[k] = first / std::pow(static_cast<float>(k + 1), exponent);
    return v;
  }

  // Variances as of real cloth: a few modes dominate, and shape is a small residual.
  learn::Model make_whole_cloth() {
    learn::Model model;
    make_stage(model.skinning, o_.skinning_components, o_.amplitude, 1.1f, 0);
    if (o_.shape_components > 0) make_stage(model.shape, o_.shape_components, 0.03f * o_.amplitude, 0.5f, 7);
    return model;
  }
  void make_stage(learn::Stage& stage, uint32_t components, float amplitude, float exponent, uint32_t first) {
    learn::Basis& b = stage.basis;
    b.modes = modes(components, first);
    b.mean = random_vector(b.modes.cols(), 0.02f * amplitude);
    b.deviation =
        power_law(components, amplitude * std::sqrt(static_cast<float>(p_.garment.size())), exponent);
    stage.network = network(static_cast<Eigen::Index>(3 * p_.garment.bones.size()), b.deviation);
  }

  // Zero coefficients give the cloth at rest. The amplitude within a patch is a fifth of that of the whole cloth.
  learn::PatchModel make_patches() {
    const garment::Garment& g = p_.garment;
    learn::PatchModel model;
    model.patches = learn::make_patches(g);
    model.rest = g.rest;
    model.bone_rest.resize(g.bones.size());
    garment::bone_positions(g, g.rest, model.bone_rest);
    for (const learn::Patch& p : model.patches) {
      const learn::PatchFrame frame = learn::frame_of(p, model.bone_rest);
      learn::PatchBasis& b = model.bases.emplace_back();
      b.mean.resize(static_cast<Eigen::Index>(3 * p.vertices.size()));
      float shares = 0;
      for (size_t i = 0; i < p.vertices.size(); ++i) {
        const V3 x = frame.to_local(g.rest[p.vertices[i]] - frame.origin) * std::sqrt(p.shares[i]);
        b.mean.segment<3>(static_cast<Eigen::Index>(3 * i)) << x.x, x.y, x.z;
        shares += p.shares[i];
      }
      b.modes = modes_of(p);
      b.deviation = power_law(b.components(), 0.2f * o_.amplitude * std::sqrt(shares), 1.2f).replicate(3, 1);
      learn::Network& n = model.networks.emplace_back(
          network(static_cast<Eigen::Index>(learn::feature_count(p)), b.deviation));
      std::vector<float> at_rest(learn::feature_count(p));
      learn::features(p, frame, model.bone_rest, {0, 1, 0}, at_rest);
      for (size_t i = 0; i < at_rest.size(); ++i) n.mean[static_cast<Eigen::Index>(i)] += at_rest[i];
    }
    return model;
  }

  // Orthonormalised waves over a patch, a few to its width, times the square roots of the shares.
  learn::Matrix modes_of(const learn::Patch& p) {
    const auto vertices = static_cast<Eigen::Index>(p.vertices.size());
    const Eigen::Index components = std::min<Eigen::Index>(o_.components, vertices);
    Eigen::MatrixXf waves(vertices, components);
    for (Eigen::Index k = 0; k < components; ++k) {
      const float scale = 3 * std::sqrt(static_cast<float>(k));
      const float along = normal() * scale, across = normal() * scale, phase = 3 * normal();
      for (size_t i = 0; i < p.vertices.size(); ++i) {
        const auto& at = p_.garment.pattern_uvs[p.vertices[i]];
        const float wave = std::cos(kPi * (along * at[0] + across * at[1]) + phase);
        waves(static_cast<Eigen::Index>(i), k) = (wave + normal() * 0.03f) * std::sqrt(p.shares[i]);
      }
    }
    const Eigen::HouseholderQR<Eigen::MatrixXf> qr(waves);
    learn::Matrix modes = learn::Matrix::Zero(o_.components, vertices);
    modes.topRows(components) =
        (qr.householderQ() * Eigen::MatrixXf::Identity(vertices, components)).transpose();
    return modes;
  }

  SampleOptions o_;
  GarmentData p_;
  std::mt19937 random_;
  std::normal_distribution<float> normal_;
};

}  // namespace

SampleOptions full_size_cape() {
  SampleOptions o;
  o.across = 90, o.down = 141;
  o.chains = 14, o.bones_per_chain = 11;
  o.components = 8, o.units = 96;
  o.activation = learn::Activation::kGelu;
  return o;
}

SampleOptions full_size_skirt() {
  SampleOptions o = full_size_cape();
  o.closed = true;
  o.across = 281, o.down = 66;
  o.chains = 26, o.bones_per_chain = 10;
  return o;
}

SampleOptions whole_cloth(SampleOptions o) {
  o.patches = false;
  o.skinning_components = o.shape_components = 100;
  o.units = 500;
  o.activation = learn::Activation::kTanh;
  return o;
}

GarmentData sample_garment(const body::Person& person, const SampleOptions& options) {
  return Sample(person, options).take();
}

}  // namespace billow::pack
