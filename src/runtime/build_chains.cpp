#include <cstring>

#include "runtime/chains.h"

namespace billow {
namespace {

void fill(float* rows, size_t count, float value) {
  for (size_t i = 0; i < count; ++i) rows[i] = value;
}

// Rest shape in the frame of each root, ropes and lateral distances; padding stays inert.
void fill_rest(Chains& chains, const ChainsDescription& d) {
  ChainSet& set = chains.set;
  const Layout& lay = set.layout;
  fill(set.rest_lateral, lay.row_floats(), -1.0f);
  fill(set.longest_lateral, lay.row_floats(), -1.0f);
  fill(set.rest_length, lay.row_floats(), kFarAway);
  fill(set.contact_collider, lay.row_floats(), -1.0f);
  fill(set.rest_direction.y, lay.row_floats(), -1.0f);
  size_t bone = 0;
  for (int c = 0; c < lay.chains; ++c) {
    set.bones[c] = static_cast<int>(d.bone_counts[c]);
    const float* p = d.rest_positions + 3 * bone;
    V3 root{p[0], p[1], p[2]};
    Transform to_root = inverse(d.root_rest ? d.root_rest[c] : Transform{root, {0, 0, 0, 1}});
    for (int i = 0; i < set.bones[c]; ++i, ++bone, p += 3) {
      size_t at = lay.at(i, c);
      V3 x{p[0], p[1], p[2]};
      billow::set(set.rest, at, apply(to_root, x));
      set.mass_factor[at] = d.mass_factors ? d.mass_factors[bone] : 1.0f;
      set.area[at] = d.areas ? d.areas[bone] : 0.0f;
      if (i == 0) continue;
      V3 rope = x - V3{p[-3], p[-2], p[-1]};
      float l = length(rope);
      set.rest_length[at] = d.max_lengths ? d.max_lengths[bone] : l;
      V3 direction = l > 1e-9f ? rope * (1.0f / l) : V3{0, -1, 0};
      billow::set(set.rest_direction, at, rotate(to_root.rotation, direction));
      set.is_bone[at] = 1;
    }
  }
}

// Distance between bones of the same level on chain c and the next; both in model space.
void fill_lateral(Chains& chains, const ChainsDescription& d) {
  ChainSet& set = chains.set;
  const Layout& lay = set.layout;
  if (!lay.neighbours) return;
  size_t first = 0;  // bone index of chain c's root
  for (int c = 0; c < lay.chains; ++c) {
    int next = c + 1 < lay.chains ? c + 1 : 0;
    size_t next_first = next == 0 ? 0 : first + static_cast<size_t>(set.bones[c]);
    int shared = set.bones[c] < set.bones[next] ? set.bones[c] : set.bones[next];
    for (int i = 0; i < shared && (next > 0 || lay.closed); ++i) {
      const float* a = d.rest_positions + 3 * (first + static_cast<size_t>(i));
      const float* b = d.rest_positions + 3 * (next_first + static_cast<size_t>(i));
      float l = length(V3{b[0] - a[0], b[1] - a[1], b[2] - a[2]});
      l = l > 1e-6f ? l : 1e-6f;
      const float longest = d.lateral_lengths ? d.lateral_lengths[first + static_cast<size_t>(i)] : l;
      set.rest_lateral[lay.at(i, c)] = l;
      set.longest_lateral[lay.at(i, c)] = longest > l ? longest : l;
    }
    first += static_cast<size_t>(set.bones[c]);
  }
}

}  // namespace

void build(Chains& chains, const ChainsDescription& d, Arena& arena) {
  Layout& lay = chains.set.layout;
  lay.chains = d.chains;
  lay.neighbours = d.neighbours;
  lay.closed = d.neighbours && d.closed;
  lay.levels = 0;
  chains.bone_total = 0;
  for (int c = 0; c < d.chains; ++c) {
    int n = static_cast<int>(d.bone_counts[c]);
    lay.levels = n > lay.levels ? n : lay.levels;
    chains.bone_total += n;
  }
  // One more column than chains, for the wrapped copy of a closed garment, and four of padding on either side.
  lay.pitch = round_up_lanes(d.chains + 1) + 2 * kLanes;
  chains.max_colliders = d.max_colliders;
  size_t start = arena.used();
  allocate(chains.set, arena);
  chains.force_axes = arena.take<ForceAxes>(static_cast<size_t>(d.chains));
  chains.roots = arena.take<Transform>(static_cast<size_t>(d.chains));
  chains.roots_target = arena.take<Transform>(static_cast<size_t>(d.chains));
  const size_t row = chains.set.layout.row_floats();
  chains.rest_places = {arena.take<float>(row), arena.take<float>(row), arena.take<float>(row)};
  chains.near = arena.take<NearCollider>(static_cast<size_t>(d.max_colliders));
  chains.posed = arena.take<PosedCollider>(static_cast<size_t>(d.max_colliders));
  if (!chains.roots) return;
  std::memset(static_cast<void*>(chains.set.bones), 0, arena.used() - start);
  fill_rest(chains, d);
  fill_lateral(chains, d);
  find_force_axes(d, chains.force_axes);
}

}  // namespace billow
