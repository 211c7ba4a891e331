#include "character/clothed_batch.h"

#include <utility>

namespace billow::character {
namespace {

std::vector<std::vector<V3>> vertices_of(std::span<const ClothedBatch::Start> starts) {
  std::vector<std::vector<V3>> out;
  for (const ClothedBatch::Start& s : starts) out.push_back(s.vertices);
  return out;
}

std::vector<uint32_t> pinned_vertices(const garment::Garment& g) {
  std::vector<uint32_t> out;
  for (const garment::Attachment& a : g.attachments) out.push_back(a.vertex);
  return out;
}

cloth::Settings with_contacts(cloth::Settings settings, const garment::Garment& g) {
  settings.contacts = g.contacts;
  return settings;
}

}  // namespace

ClothedBatch::ClothedBatch(const garment::Garment& g, const CharacterBody& character_body,
                           std::span<const Start> starts, cloth::Settings settings,
                           std::unique_ptr<cloth::Backend> backend)
    : garment_(g),
      rest_inverse_(inverses(body::rest_transforms(character_body.skeleton))),
      sheet_(sheet_of(g)),
      cloth_(sheet_, body::Surface(character_body.skeleton, character_body.colliders), vertices_of(starts),
             pinned_vertices(g), with_contacts(settings, g), std::move(backend)) {
  for (const Start& s : starts) {
    clips_.push_back({body::Surface(character_body.skeleton, character_body.colliders),
                      std::vector<Transform>(rest_inverse_.size()), std::vector<V3>(g.attachments.size())});
    clips_.back().surface.pose(s.joints);
  }
}

void ClothedBatch::prepare(size_t clip, float dt, std::span<const Transform> joints) {
  OneClip& c = clips_[clip];
  for (size_t j = 0; j < c.skinning.size(); ++j) c.skinning[j] = joints[j] * rest_inverse_[j];
  garment::follow_body(garment_, c.skinning, c.attachment_points);
  cloth_.prepare(clip, dt, c.surface, joints, c.attachment_points);
}

}  // namespace billow::character
