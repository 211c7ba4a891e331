// Folds of the cloth do not pass through each other: bones stay on their side of the panels of other chains.
//
// A bone over a panel (within its edges, nearer than a rope's length) gets the side that it is on, and keeps it until it
// leaves the panel sideways. While it is nearer than kDistance, or through, a spring along the panel's normal pushes the two
// apart. The side is remembered, so that cloth that was forced through returns.
//
// Where a bone is on another side of a panel than the bone above it is of the panel above, the chain passes through the cloth in
// between. Sides that are remembered would hold such a tangle for ever, so that the lower bone has none while this lasts. A bone
// that has just come over a panel, and is nearly in its plane, takes the side of the bone above.
//
// Panels are quadrilaterals between two ropes of neighbouring chains, taken as planes. The bone of chain c meets panels that
// start at chains c + 1 to c + 4 and c - 2 to c - 5, from two levels above it to two below: farther ones hardly ever meet it.
// Rows have margins that continue closed garments, so that four bones and their panels are loaded without a branch.
#include <algorithm>

#include "rope/stages.h"

namespace billow {
namespace {

constexpr float kDistance = 0.35f;  // that layers keep, of a rope's length
constexpr float kReach = 1;         // from which on bones have a side, of a rope's length
constexpr float kThin = 0.1f;  // within which the side of a bone that is new says little, of a rope's length
constexpr float kEdge = 0.6f,
                kFaded = 0.15f;  // of a panel's size, from its centre; the push fades towards it
constexpr float kNoPanel = 1e9f;

// Shares of four bones or panels in the push on a panel.
struct Corners4 {
  F4 above, below, next_above, next_below;
};

class SelfContacts {
 public:
  SelfContacts(ChainSet& set, float step)
      : set_(set), own_(set.self), lay_(set.layout), step_(step), origin_(get(set.x, set.layout.at(0, 0))) {}

  void run() {
    gather_bones();
    for (int i = 1; i < lay_.levels; ++i) {
      for (int g = 0; g < lay_.groups(); ++g) measure_panels(i, g);
      continue_panels(i);
    }
    for (int i = 1; i < lay_.levels; ++i)
      for (int g = 0; g < lay_.groups(); ++g) meet_panels(i, g);
    store_pushes();
  }

 private:
  size_t at(int level, int column) const {
    return static_cast<size_t>(level * own_.columns + SelfContactRows::kMargin + column);
  }
  // The chain that a column continues, or -1.
  int chain_of(int column) const {
    if (column >= 0 && column < lay_.chains) return column;
    return lay_.closed ? (column + lay_.chains * SelfContactRows::kMargin) % lay_.chains : -1;
  }
  template <class Function> void for_each_column(Function f) const {
    for (int column = -SelfContactRows::kMargin; column < own_.columns - SelfContactRows::kMargin; ++column)
      f(column, chain_of(column));
  }

  void gather_bones() {
    for (int i = 0; i < lay_.levels; ++i)
      for_each_column([&](int column, int chain) {
        const size_t to = at(i, column);
        billow::set(own_.push, to, V3{0, 0, 0});
        const size_t from = chain < 0 ? 0 : lay_.at(i, chain);
        billow::set(own_.x, to, chain < 0 ? V3{0, 0, 0} : get(set_.x, from) - origin_);
        own_.w[to] = chain < 0 ? 0 : set_.w[from];
      });
  }

  // Planes of four panels: coordinates across and along the panel, from -1/2 to 1/2 within it, and distance.
  void measure_panels(int i, int g) {
    const size_t below = at(i, g * kLanes), above = below - static_cast<size_t>(own_.columns);
    const V3x4 a = load(own_.x, above), b = load(own_.x, below), c = load(own_.x, above + 1),
               d = load(own_.x, below + 1);
    const V3x4 centre = (a + b + c + d) * 0.25f, across = (c + d - a - b) * 0.5f,
               along = (b + d - a - c) * 0.5f;
    const F4 uu = dot(across, across), vv = dot(along, along), uv = dot(across, along),
             square = uu * vv - uv * uv;
    const size_t from = lay_.group_at(i, g);
    const M4 there = (load(set_.rest_lateral + from) > 0.0f) & (square > 1e-12f);
    const F4 inverse = 1.0f / select(there, square, splat(1.0f));
    const V3x4 u = (across * vv - along * uv) * inverse, v = (along * uu - across * uv) * inverse,
               n = cross(across, along) * sqrt(inverse);
    store(own_.across, below, u), store(own_.along, below, v), store(own_.normal, below, n);
    store(own_.across_at + below, select(there, dot(centre, u), splat(kNoPanel)));
    store(own_.along_at + below, dot(centre, v));
    store(own_.normal_at + below, dot(centre, n));
    store(own_.length + below, load(set_.max_length + from));
  }

  void continue_panels(int i) {
    for_each_column([&](int column, int chain) {
      if (chain == column) return;
      const size_t to = at(i, column);
      if (chain < 0) {
        own_.across_at[to] = kNoPanel;
        return;
      }
      const size_t from = at(i, chain);
      for (const Rows3* rows : {&own_.across, &own_.along, &own_.normal})
        billow::set(*rows, to, get(*rows, from));
      for (float* row : {own_.across_at, own_.along_at, own_.normal_at, own_.length}) row[to] = row[from];
    });
  }

  // All panels that four bones may meet.
  void meet_panels(int i, int g) {
    // Closed garments of few chains would meet panels twice.
    const int chains = lay_.closed ? std::min(kSelfContactChains, (lay_.chains - 2) / 2) : kSelfContactChains;
    constexpr auto kSlots = static_cast<std::ptrdiff_t>(SelfContactRows::kSlots);
    uint8_t* sides = own_.sides + (i * lay_.groups() + g) * kSlots;
    const uint8_t* sides_above = sides - lay_.groups() * kSlots;
    for (int level = i - kSelfContactLevels; level <= i + kSelfContactLevels; ++level)
      for (int d = 0; d < 2 * kSelfContactChains; ++d, ++sides, ++sides_above) {
        const bool after = d < kSelfContactChains;
        const int offset = after ? d + 1 : kSelfContactChains - d - 2;
        const bool there = level >= 1 && level < lay_.levels && d % kSelfContactChains < chains;
        if (there)
          *sides = meet(at(i, g * kLanes), at(level, g * kLanes + offset), *sides, *sides_above);
        else
          *sides = 0;
      }
  }

  // Four bones and one panel each. Returns the sides of those that are over it: four bits for its front, four for its back.
  // `before`: of the last step; `above`: of the bones above and the panels above.
  uint8_t meet(size_t bone, size_t panel, uint8_t before, uint8_t above) {
    const V3x4 x = load(own_.x, bone);
    const F4 u = dot(x, load(own_.across, panel)) - load(own_.across_at + panel),
             v = dot(x, load(own_.along, panel)) - load(own_.along_at + panel), w = load(own_.w + bone);
    const M4 within = (abs(u) < splat(kEdge)) & (abs(v) < splat(kEdge)) & (w > 0.0f);
    if (!any(within)) return 0;
    const V3x4 normal = load(own_.normal, panel);
    const F4 distance = dot(x, normal) - load(own_.normal_at + panel);
    const F4 rope = load(own_.length + panel);
    const M4 over = within & (abs(distance) < kReach * rope);
    if (!any(over)) return 0;
    const M4 was_front = lanes_of(before & 15), was_back = lanes_of(before >> 4),
             above_front = lanes_of(above & 15), above_back = lanes_of(above >> 4),
             thin = abs(distance) < kThin * rope,
             comes_front = (thin & above_front) | (~(thin & above_back) & (distance > 0.0f)),
             in_front = over & (was_front | (~was_back & comes_front)), front = in_front & ~above_back,
             back = over & ~in_front & ~above_front;
    const F4 side = select(front, splat(1.0f), splat(-1.0f)),
             depth = select(front | back, max(kDistance * rope - side * distance, 0.0f), zero());
    if (any(depth > 0.0f)) push_apart(bone, panel, u, v, normal * side, depth, w);
    return static_cast<uint8_t>(bits(front) | bits(back) << kLanes);
  }

  void push_apart(size_t bone, size_t panel, F4 u, F4 v, V3x4 normal, F4 depth, F4 w) {
    const size_t above = panel - static_cast<size_t>(own_.columns);
    const F4 next = clamp(u + 0.5f, 0.0f, 1.0f), low = clamp(v + 0.5f, 0.0f, 1.0f);
    const Corners4 share{(1.0f - next) * (1.0f - low), (1.0f - next) * low, next * (1.0f - low), next * low};
    const F4 w_above = load(own_.w + above), w_below = load(own_.w + panel),
             w_next_above = load(own_.w + above + 1), w_next_below = load(own_.w + panel + 1);
    const F4 w_all = w + share.above * share.above * w_above + share.below * share.below * w_below +
                     share.next_above * share.next_above * w_next_above +
                     share.next_below * share.next_below * w_next_below;
    const F4 k = stable_spring(splat(set_.settings.self_contact), w_all, step_);
    const V3x4 force = normal * (k * depth * faded(u) * faded(v));
    const auto add = [&](size_t to, F4 amount) {
      store(own_.push, to, load(own_.push, to) + force * amount);
    };
    add(bone, w);
    add(above, -share.above * w_above), add(panel, -share.below * w_below);
    add(above + 1, -share.next_above * w_next_above), add(panel + 1, -share.next_below * w_next_below);
  }

  static F4 faded(F4 coordinate) { return clamp((kEdge - abs(coordinate)) * (1.0f / kFaded), 0.0f, 1.0f); }
  static M4 lanes_of(int bits) {
    const float lane[kLanes] = {static_cast<float>(bits & 1), static_cast<float>(bits & 2),
                                static_cast<float>(bits & 4), static_cast<float>(bits & 8)};
    return load(lane) > 0.0f;
  }

  void store_pushes() {
    for (int i = 0; i < lay_.levels; ++i) {
      for_each_column([&](int column, int chain) {
        if (chain < 0 || chain == column) return;
        const size_t to = at(i, chain);
        billow::set(own_.push, to, get(own_.push, to) + get(own_.push, at(i, column)));
      });
      for (int g = 0; g < lay_.groups(); ++g)
        store(set_.self_push, lay_.group_at(i, g), load(own_.push, at(i, g * kLanes)));
    }
  }

  ChainSet& set_;
  SelfContactRows& own_;
  const Layout& lay_;
  const float step_;
  const V3 origin_;
};

}  // namespace

void find_self_contacts(ChainSet& set, float dt) { SelfContacts(set, spring_step(set.settings, dt)).run(); }

void forget_sides(ChainSet& set) { std::fill_n(set.self.sides, set.self.side_bytes(set.layout), uint8_t{0}); }

}  // namespace billow
