#include "character/rope_chains.h"

#include <map>
#include <stdexcept>
#include <string>

#include "cloth/sheet.h"
#include "garment/garment.h"

namespace billow::character {
namespace {

void check(billow_status status) {
  if (status != BILLOW_OK) throw std::invalid_argument(std::string("ropes: ") + billow_last_error());
}

// Fitted by `billow ropes fit` on training clips of the built-in garments; compression was then tuned by hand
// on all training clips. A final fit from these values improved validation clips by no more than 0.3 %.
struct FittedSettings {
  float drag, lift, friction, thickness;  // factors of the material's
  float stretch, compression, shear;      // N/m, between neighbours
  float damping;                          // 1/s
  float rest_angle;                       // N
};
constexpr FittedSettings kCape{1, 1, 4, 2, 10, 0.005f, 40, 1, 0};
constexpr FittedSettings kSkirt{1, 0.25f, 4, 1, 5, 0.01f, 10, 0.25f, 0.0005f};

// Coarser than the default, with the same accuracy.
constexpr float kSubstepAngle = 0.4f;
constexpr uint32_t kLateralSamples = 1;

}  // namespace

billow_settings rope_settings(const garment::Garment& garment) {
  const cloth::Material material = cloth::material_named(garment.material);
  const FittedSettings& fitted = garment.closed ? kSkirt : kCape;
  billow_settings s = billow_settings_default();
  s.mass.value = material.density * garment::chain_cloth(garment).mean_area;
  s.radius.value = fitted.thickness * material.thickness;
  s.friction = fitted.friction * material.friction;
  s.panel_drag = fitted.drag * material.drag;
  s.panel_lift = fitted.lift * material.lift;
  s.panel_folds = 1;
  s.lateral_stretch.value = fitted.stretch;
  s.lateral_compression.value = fitted.compression;
  s.lateral_shear.value = fitted.shear;
  s.damping.value = fitted.damping;
  s.rest_angle.value = fitted.rest_angle;
  body::apply(garment.contacts, s);
  s.solver.substep_angle = kSubstepAngle;
  s.solver.lateral_samples = kLateralSamples;
  // Cloth slides over a raised thigh; the history direction would make it stick.
  s.solver.push_direction = s.solver.velocity_direction = BILLOW_CONTACT_DIRECTION_GRADIENT;
  return s;
}

RopeChains::RopeChains(const garment::Garment& g, const CharacterBody& character_body,
                       std::span<const Transform> joints, const billow_settings& settings)
    : RopeChains(g, garment::chain_cloth(g), character_body, joints, settings) {}

RopeChains::RopeChains(const garment::Garment& g, const garment::ChainCloth& cloth,
                       const CharacterBody& character_body, std::span<const Transform> joints,
                       const billow_settings& settings)
    : garment_(g),
      rest_inverse_(inverses(body::rest_transforms(character_body.skeleton))),
      skinning_(rest_inverse_.size()),
      surface_(character_body.skeleton, character_body.colliders),
      attachment_points_(g.attachments.size()),
      bones_(g.bones.size()),
      roots_(g.chains.size()),
      attachment_shares_(g.bones.size()) {
  if (g.rest.size() != g.size()) throw std::invalid_argument("ropes: expected a draped garment");
  std::map<uint32_t, size_t> attachment;
  for (size_t i = 0; i < g.attachments.size(); ++i) attachment[g.attachments[i].vertex] = i;
  for (size_t b = 0; b < g.bones.size(); ++b)
    for (size_t k = 0; k < 3; ++k) {
      const auto found = attachment.find(g.bones[b].vertices[k]);
      if (found != attachment.end() && g.bones[b].weights[k] > 0)
        attachment_shares_[b].push_back({found->second, g.bones[b].weights[k]});
    }

  std::vector<uint32_t> counts;
  std::vector<float> rest, lengths;
  std::vector<V3> positions(g.bones.size());
  garment::bone_positions(g, g.rest, positions);
  for (size_t b = 0; b < g.bones.size(); ++b) {
    V3 mean{0, 0, 0};
    float sum = 0;
    for (const auto& [attachment_index, share] : attachment_shares_[b])
      mean += g.attachments[attachment_index].rest * share, sum += share;
    attachment_offset_.push_back(sum > 0 ? positions[b] - mean * (1 / sum) : V3{0, 0, 0});
  }
  for (const auto& chain : g.chains) {
    counts.push_back(static_cast<uint32_t>(chain.size()));
    for (size_t k = 0; k < chain.size(); ++k) {
      const V3 p = positions[chain[k]];
      rest.insert(rest.end(), {p.x, p.y, p.z});
      lengths.push_back(k == 0 ? 0 : garment::rope_length(g, g.bones[chain[k - 1]], g.bones[chain[k]]));
    }
    if (attachment_shares_[chain[0]].empty())
      throw std::invalid_argument("ropes: expected chain roots that are attached to the body");
  }
  billow_chains_desc desc{};
  desc.chain_count = static_cast<uint32_t>(counts.size());
  desc.bone_counts = counts.data();
  desc.rest_positions = rest.data();
  desc.max_lengths = lengths.data();
  desc.mass_factors = cloth.mass_factors.data();
  desc.lateral_lengths = cloth.lateral_lengths.data();
  desc.areas = cloth.areas.data();
  desc.neighbours = 1;
  desc.closed = g.closed;
  desc.max_colliders = static_cast<uint32_t>(character_body.colliders.size());
  billow_chains* chains = nullptr;
  check(billow_chains_create(&desc, &chains));
  chains_.reset(chains);
  check(billow_chains_set_settings(chains, &settings));
  simulated_.resize(billow_chains_bone_count(chains));
  surface_.pose(joints);
  place_roots(joints);
  const billow_step step{
      0, roots_.data(), static_cast<uint32_t>(roots_.size()), nullptr, surface_.get(), nullptr, 0};
  check(billow_chains_step(chains, &step));
  read_bones();
}

Transform RopeChains::attachment_frame(uint32_t bone) const {
  V3 position{0, 0, 0};
  float sum = 0;
  Quat rotation{0, 0, 0, 0};
  for (const auto& [attachment_index, share] : attachment_shares_[bone]) {
    position += attachment_points_[attachment_index] * share;
    sum += share;
    const garment::Attachment& a = garment_.attachments[attachment_index];
    for (size_t k = 0; k < a.joints.size(); ++k) {
      const Quat q = skinning_[a.joints[k]].rotation;
      const float w = a.weights[k] * share * (dot(q, rotation) < 0 ? -1.0f : 1.0f);
      rotation = {rotation.x + q.x * w, rotation.y + q.y * w, rotation.z + q.z * w, rotation.w + q.w * w};
    }
  }
  rotation = normalized(rotation);
  return {position * (1 / sum) + rotate(rotation, attachment_offset_[bone]), rotation};
}

void RopeChains::place_roots(std::span<const Transform> joints) {
  for (size_t j = 0; j < skinning_.size(); ++j) skinning_[j] = joints[j] * rest_inverse_[j];
  garment::follow_body(garment_, skinning_, attachment_points_);
  for (size_t c = 0; c < roots_.size(); ++c) {
    const auto [p, q] = attachment_frame(garment_.chains[c][0]);
    roots_[c] = {{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}};
  }
}

void RopeChains::step(float dt, std::span<const Transform> joints) {
  const auto posed = body::to_api(joints);
  check(billow_body_pose(surface_.get(), posed.data(), static_cast<uint32_t>(posed.size()), 1));
  place_roots(joints);
  const billow_step step{
      dt, roots_.data(), static_cast<uint32_t>(roots_.size()), nullptr, surface_.get(), nullptr, 0};
  check(billow_chains_step(chains_.get(), &step));
  read_bones();
}

billow_chains_report RopeChains::report() const {
  billow_chains_report report{};
  check(billow_chains_get_report(chains_.get(), &report));
  return report;
}

void RopeChains::read_bones() {
  check(
      billow_chains_get_positions(chains_.get(), &simulated_[0].x, static_cast<uint32_t>(simulated_.size())));
  // Bones in no chain follow the seam.
  for (uint32_t b = 0; b < bones_.size(); ++b)
    if (!attachment_shares_[b].empty()) bones_[b] = attachment_frame(b).position;
  size_t next = 0;
  for (const auto& chain : garment_.chains)
    for (const uint32_t b : chain) bones_[b] = simulated_[next++];
}

}  // namespace billow::character
