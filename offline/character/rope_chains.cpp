#include "character/rope_chains.h"

#include <map>
#include <stdexcept>
#include <string>

namespace billow::character {
namespace {

void check(billow_status status) {
  if (status != BILLOW_OK) throw std::invalid_argument(std::string("ropes: ") + billow_last_error());
}

}  // namespace

RopeChains::RopeChains(const garment::Garment& g, const CharacterBody& character_body,
                       std::span<const Transform> joints, const billow_settings& settings)
    : RopeChains(g, garment::chain_cloth(g), character_body, joints, settings) {}

RopeChains::RopeChains(const garment::Garment& g, const garment::ChainCloth& cloth,
                       const CharacterBody& character_body, std::span<const Transform> joints,
                       const billow_settings& settings)
    : garment_(g),
      rest_inverse_(inverses(body::rest_transforms(character_body.skeleton))),
      moved_(rest_inverse_.size()),
      surface_(character_body.skeleton, character_body.colliders),
      attachment_points_(g.attachments.size()),
      bones_(g.bones.size()),
      roots_(g.chains.size()),
      attachment_shares_(g.bones.size()) {
  if (g.rest.size() != g.size()) throw std::invalid_argument("ropes: expected a garment that was draped");
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
  std::vector<V3> places(g.bones.size());
  garment::places_of_bones(g, g.rest, places);
  for (size_t b = 0; b < g.bones.size(); ++b) {
    V3 mean{0, 0, 0};
    float sum = 0;
    for (const auto& [pin, share] : attachment_shares_[b])
      mean += g.attachments[pin].rest * share, sum += share;
    attachment_offset_.push_back(sum > 0 ? places[b] - mean * (1 / sum) : V3{0, 0, 0});
  }
  for (const auto& chain : g.chains) {
    counts.push_back(static_cast<uint32_t>(chain.size()));
    for (size_t k = 0; k < chain.size(); ++k) {
      const V3 p = places[chain[k]];
      rest.insert(rest.end(), {p.x, p.y, p.z});
      lengths.push_back(k == 0 ? 0 : garment::rope_length(g, g.bones[chain[k - 1]], g.bones[chain[k]]));
    }
    if (attachment_shares_[chain[0]].empty())
      throw std::invalid_argument("ropes: a chain's root is not attached to the body");
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
  const billow_step step{0, roots_.data(), static_cast<uint32_t>(roots_.size()), nullptr, surface_.get()};
  check(billow_chains_step(chains, &step));
  read_bones();
}

Transform RopeChains::attachment_frame(uint32_t bone) const {
  V3 place{0, 0, 0};
  float sum = 0;
  Quat turn{0, 0, 0, 0};
  for (const auto& [pin, share] : attachment_shares_[bone]) {
    place += attachment_points_[pin] * share;
    sum += share;
    const garment::Attachment& a = garment_.attachments[pin];
    for (size_t k = 0; k < a.joints.size(); ++k) {
      const Quat q = moved_[a.joints[k]].rotation;
      const float w = a.weights[k] * share * (dot(q, turn) < 0 ? -1.0f : 1.0f);
      turn = {turn.x + q.x * w, turn.y + q.y * w, turn.z + q.z * w, turn.w + q.w * w};
    }
  }
  turn = normalized(turn);
  return {place * (1 / sum) + rotate(turn, attachment_offset_[bone]), turn};
}

void RopeChains::place_roots(std::span<const Transform> joints) {
  for (size_t j = 0; j < moved_.size(); ++j) moved_[j] = joints[j] * rest_inverse_[j];
  garment::follow_body(garment_, moved_, attachment_points_);
  for (size_t c = 0; c < roots_.size(); ++c) {
    const auto [p, q] = attachment_frame(garment_.chains[c][0]);
    roots_[c] = {{p.x, p.y, p.z}, {q.x, q.y, q.z, q.w}};
  }
}

void RopeChains::step(float dt, std::span<const Transform> joints) {
  const auto posed = body::to_api(joints);
  check(billow_body_pose(surface_.get(), posed.data(), static_cast<uint32_t>(posed.size()), 1));
  place_roots(joints);
  const billow_step step{dt, roots_.data(), static_cast<uint32_t>(roots_.size()), nullptr, surface_.get()};
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
  // Bones in no chain go with the seam under them.
  for (uint32_t b = 0; b < bones_.size(); ++b)
    if (!attachment_shares_[b].empty()) bones_[b] = attachment_frame(b).position;
  size_t next = 0;
  for (const auto& chain : garment_.chains)
    for (const uint32_t b : chain) bones_[b] = simulated_[next++];
}

}  // namespace billow::character
