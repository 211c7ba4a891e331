#include "train/restored.h"

#include <algorithm>

namespace billow::train {

RestoredCloth::RestoredCloth(const garment::Garment& garment, size_t threads) : workers_(threads) {
  for (const garment::Attachment& a : garment.attachments) attached_.push_back(a.vertex);
  const auto vertices = static_cast<uint32_t>(garment.size()),
             triangles = static_cast<uint32_t>(garment.triangles.size());
  std::vector<uint32_t> first(vertices + 1), corners(6 * size_t{triangles});
  const NormalScratch around{first.data(), corners.data()};
  NormalPolygons counted;
  find_normal_polygons(garment.triangles.data()->data(), triangles, vertices, around, counted);
  const std::vector<V3>& rest = garment.rest.empty() ? garment.shape : garment.rest;
  const LengthMesh mesh{
      .around = around,
      .rest = &rest.data()->x,
      .pattern_uvs = garment.pattern_uvs.empty() ? nullptr : garment.pattern_uvs.data()->data(),
      .vertices = vertices,
      .triangles = triangles,
      .attached = attached_};
  Arena measured;
  find_length_levels(mesh, measured);
  memory_.resize(measured.used());
  Arena arena(memory_.data());
  levels_ = find_length_levels(mesh, arena);
  for (Worker& w : workers_) {
    Arena size;
    take_length_state(levels_, size, w.state);
    w.memory.resize(size.used());
    Arena own(w.memory.data());
    take_length_state(levels_, own, w.state);
    w.positions.resize(vertices + kLanes, V3{0, 0, 0});
  }
}

std::span<const V3> RestoredCloth::restore(std::span<const V3> decoded, size_t thread) {
  Worker& w = workers_[thread];
  std::copy(decoded.begin(), decoded.end(), w.positions.begin());
  w.state.fresh = 1;
  const LengthInput input{.attached = attached_};
  restore_lengths(levels_, input, &w.positions.data()->x, {}, w.state);
  return {w.positions.data(), decoded.size()};
}

}  // namespace billow::train
