// Ropes, laterals, panels and contacts of chains.
#include "runtime/debug_draw.h"

namespace billow {
namespace {

constexpr uint32_t kBone = 0xffffffff, kSlack = 0xb0b0b0ff, kTaut = 0xff8c00ff, kLateral = 0x5090ffc0,
                   kPanel = 0x5090ff30, kTouching = 0x30c030ff, kTrapped = 0xf0e000ff, kEnclosed = 0xff2020ff;
constexpr float kNormalLength = 0.05f;  // m at scale 1

void draw_ropes(const ChainSet& set, const Pen& pen) {
  for (int c = 0; c < set.layout.chains; ++c)
    for (int i = 0; i < set.bones[c]; ++i) {
      const size_t at = set.layout.at(i, c);
      const V3 x = get(set.x, at);
      pen.point(x, kBone);
      if (i == 0) continue;
      const V3 above = get(set.x, set.layout.at(i - 1, c));
      const bool taut = length(x - above) >= set.max_length[at] * (1 - set.settings.tautness);
      pen.line(above, x, taut ? kTaut : kSlack);
    }
}

// Laterals are lines, panels lie between two of them.
void draw_between_chains(const ChainSet& set, uint32_t what, const Pen& pen) {
  const Layout& lay = set.layout;
  for (int c = 0; c < lay.chains; ++c) {
    const int next = c + 1 < lay.chains ? c + 1 : 0;
    for (int i = 0; i < set.bones[c]; ++i) {
      if (!(set.rest_lateral[lay.at(i, c)] > 0)) continue;
      const V3 a = get(set.x, lay.at(i, c)), b = get(set.x, lay.at(i, next));
      if (what & BILLOW_DEBUG_LATERALS) pen.line(a, b, kLateral);
      if (i == 0 || !(what & BILLOW_DEBUG_PANELS)) continue;
      const V3 above_a = get(set.x, lay.at(i - 1, c)), above_b = get(set.x, lay.at(i - 1, next));
      pen.triangle(above_a, a, above_b, kPanel);
      pen.triangle(above_b, a, b, kPanel);
    }
  }
}

void draw_contacts(const Chains& chains, const Pen& pen) {
  const ChainSet& set = chains.set;
  for (int c = 0; c < set.layout.chains; ++c)
    for (int i = 1; i < set.bones[c]; ++i) {
      const size_t at = set.layout.at(i, c);
      if (set.contact_collider[at] < 0) continue;
      const V3 x = get(set.x, at);
      const uint32_t colour = set.trouble[at] == 1 ? kTrapped : set.trouble[at] == 2 ? kEnclosed : kTouching;
      pen.point(x, colour);
      pen.line(x, x + get(set.contact_normal, at) * (kNormalLength * chains.settings.scale), colour);
    }
}

}  // namespace

void draw_chains(const Chains& chains, uint32_t what, const Pen& pen) {
  // Before the first step nothing is anywhere.
  if (!chains.started) return;
  if (what & BILLOW_DEBUG_ROPES) draw_ropes(chains.set, pen);
  if (what & (BILLOW_DEBUG_LATERALS | BILLOW_DEBUG_PANELS)) draw_between_chains(chains.set, what, pen);
  if (what & BILLOW_DEBUG_CONTACTS) draw_contacts(chains, pen);
}

}  // namespace billow
