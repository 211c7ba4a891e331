#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "runtime/chains.h"

namespace billow {

float Curve::at(float depth) const {
  if (point_count < 1) return value;
  if (point_count == 1) return value * points[0];
  float s = depth * static_cast<float>(point_count - 1);
  int i = static_cast<int>(s);
  if (i > point_count - 2) i = point_count - 2;
  float t = s - static_cast<float>(i);
  return value * (points[i] * (1.0f - t) + points[i + 1] * t);
}

bool Curve::any() const { return value != 0; }

namespace {

void resize_about_roots(ChainSet& set, float ratio) {
  const Layout& lay = set.layout;
  for (int c = 0; c < lay.chains; ++c) {
    V3 root = get(set.x, lay.at(0, c));
    for (int i = 1; i < set.bones[c]; ++i) {
      size_t at = lay.at(i, c);
      billow::set(set.x, at, root + (get(set.x, at) - root) * ratio);
    }
  }
}

// The cloth between rope i of a chain and of the next, spread out: a trapezium with the ropes as legs. Its legs' product and
// its sides' product add up to its diagonals' (Ptolemy's theorem).
void measure_panel(ChainSet& set, int i, int c) {
  const Layout& lay = set.layout;
  const size_t at = lay.at(i, c), up = lay.at(i - 1, c), beside = lay.at(i, c + 1 < lay.chains ? c + 1 : 0);
  const float leg = set.max_length[at], next = set.max_length[beside];
  const float above = set.lateral_longest[up], below = set.lateral_longest[at];
  set.panel_area[at] = 0.25f * (above + below) * (leg + next);
  set.panel_diagonal[at] = std::sqrt(leg * next + above * below);
  // Each corner gets a quarter of the area.
  for (const size_t corner : {at, up, beside, beside - static_cast<size_t>(lay.pitch)})
    set.loose_area[corner] = std::max(0.0f, set.loose_area[corner] - 0.25f * set.panel_area[at]);
}

}  // namespace

void apply_settings(Chains& chains, const Settings& s) {
  ChainSet& set = chains.set;
  const Layout& lay = set.layout;
  if (chains.started && s.scale != chains.settings.scale)
    resize_about_roots(set, s.scale / chains.settings.scale);
  const bool had_self_contact = set.settings.has_self_contact;
  wake(chains);
  chains.settings = s;
  set.settings = s.rope;
  set.settings.has_drag = s.drag.any();
  set.settings.has_damping = s.damping.any();
  set.settings.has_lateral = s.lateral_stretch.any() || s.lateral_compression.any();
  set.settings.has_rest_angle = s.rest_angle.any();
  set.settings.has_shrink = s.shrink.any();
  set.settings.has_shear = s.lateral_shear.any();
  set.settings.has_self_contact = s.rope.self_contact > 0 && lay.neighbours && lay.chains > 3;
  if (!had_self_contact) forget_sides(set);  // known when it was last on

  for (size_t at = 0; at < lay.row_floats(); ++at) {
    set.max_length[at] = kFarAway;
    set.radius[at] = -kFarAway;
    set.lateral_length[at] = set.lateral_longest[at] = -1;
  }
  for (int c = 0; c < lay.chains; ++c) {
    for (int i = 0; i < set.bones[c]; ++i) {
      size_t at = lay.at(i, c);
      float depth = static_cast<float>(i) / static_cast<float>(set.bones[c] - 1);
      set.stretch[at] = s.lateral_stretch.at(depth);
      set.compression[at] = s.lateral_compression.at(depth);
      if (set.rest_lateral[at] > 0) {
        set.lateral_length[at] = set.rest_lateral[at] * s.scale;
        set.lateral_longest[at] = set.longest_lateral[at] * s.scale;
      }
      if (i == 0) continue;
      set.mass[at] = s.mass.at(depth) * set.mass_factor[at];
      set.w[at] = 1.0f / set.mass[at];
      set.max_length[at] = set.rest_length[at] * s.scale;
      set.shear[at] = s.lateral_shear.at(depth);
      set.drag[at] = s.drag.at(depth);
      set.damping[at] = s.damping.at(depth);
      set.rest_angle[at] = s.rest_angle.at(depth);
      set.shrink[at] = s.shrink.at(depth);
      set.radius[at] = s.radius.at(depth) * s.scale;
      set.loose_area[at] = set.area[at] * s.scale * s.scale;
    }
  }
  for (int i = 0; i < lay.levels; ++i) {
    // The wrapped copy behind the last chain of a closed garment has chain 0's mass (its w stays 0: it is not simulated).
    if (lay.closed) set.mass[lay.at(i, lay.chains)] = set.mass[lay.at(i, 0)];
    for (int c = 0; c < lay.chains; ++c) {
      if (i > 0 && set.rest_lateral[lay.at(i, c)] > 0) measure_panel(set, i, c);
      set.lateral_w[lay.at(i, c)] = set.w[lay.at(i, c)] + set.w[lay.at(i, c + 1 < lay.chains ? c + 1 : 0)];
    }
  }
}

}  // namespace billow
