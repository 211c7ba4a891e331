// Self-contact of one clip by a team: the arithmetic of SelfContact. Only the mean velocity, which decides when
// the candidates are found anew, is summed in another order.
#pragma once

#include "cloth/batch/memory.h"
#include "cloth/batch/team.h"

namespace billow::cloth {

BILLOW_DEVICE float lesser(float a, float b) { return b < a ? b : a; }
BILLOW_DEVICE float greater(float a, float b) { return a < b ? b : a; }
BILLOW_DEVICE V3 lesser(V3 a, V3 b) { return {lesser(a.x, b.x), lesser(a.y, b.y), lesser(a.z, b.z)}; }
BILLOW_DEVICE V3 greater(V3 a, V3 b) { return {greater(a.x, b.x), greater(a.y, b.y), greater(a.z, b.z)}; }

template <class Team> class ClipSelfContact {
 public:
  BILLOW_DEVICE ClipSelfContact(const Team& team, const BatchSheet& sheet, const ClipState& state, V3* x)
      : team_(team), sheet_(sheet), state_(state), x_(x) {}

  BILLOW_DEVICE void find_pairs(float dt) {
    const Rows v = state_.v;
    const V3 sum = team_.reduce(
        sheet_.vertices, V3{0, 0, 0}, [&](uint32_t i) { return get(v, i); },
        [](V3 a, V3 b) { return a + b; });
    const V3 mean = sum * (1 / static_cast<float>(sheet_.vertices));
    const float fastest2 = team_.reduce(
        sheet_.vertices, 0.0f,
        [&](uint32_t i) {
          const V3 d = get(v, i) - mean;
          return dot(d, d);
        },
        [](float a, float b) { return greater(a, b); });
    const float moved = std::sqrt(fastest2) * dt, left = *state_.margin_left - moved;
    const float margin = 0.5f * sheet_.self_distance;
    // An empty loop is a barrier: all have read the margin before one of them writes it.
    team_.each(0, [](uint32_t) {});
    team_.each(1, [&](uint32_t) { *state_.margin_left = left > 0 ? left : margin - moved; });
    if (left > 0) return;
    const float reach = sheet_.self_distance + 2 * margin;
    choose_grid(reach);
    fill_buckets();
    collect_pairs(reach);
  }

  BILLOW_DEVICE void resolve(float dt) {
    team_.each(sheet_.vertices, [&](uint32_t v) { find_change(v, dt); });
    const Rows velocity = state_.v, change_x = state_.change_x, change_v = state_.change_v;
    team_.each(sheet_.vertices, [&](uint32_t v) {
      x_[v] += get(change_x, v);
      set(velocity, v, get(velocity, v) + get(change_v, v));
    });
  }

 private:
  BILLOW_DEVICE static int to_cell(float x, float low, float inverse_size) {
    return static_cast<int>((x - low) * inverse_size);
  }
  struct Cell {
    int x, y, z;
  };
  BILLOW_DEVICE Cell cell(V3 p) const {
    return {to_cell(p.x, low_.x, inverse_size_), to_cell(p.y, low_.y, inverse_size_),
            to_cell(p.z, low_.z, inverse_size_)};
  }
  BILLOW_DEVICE static uint32_t bucket(int x, int y, int z) {
    constexpr int kMask = (1 << kBucketBits) - 1;
    return static_cast<uint32_t>((((z & kMask) << kBucketBits | (y & kMask)) << kBucketBits) | (x & kMask));
  }
  BILLOW_DEVICE static uint32_t bucket(Cell c) { return bucket(c.x, c.y, c.z); }

  // The grid of SelfContact::build_grid.
  BILLOW_DEVICE void choose_grid(float reach) {
    const auto position = [&](uint32_t v) { return x_[v]; };
    const V3 low = team_.reduce(sheet_.vertices, x_[0], position, [](V3 a, V3 b) { return lesser(a, b); });
    const V3 high = team_.reduce(sheet_.vertices, x_[0], position, [](V3 a, V3 b) { return greater(a, b); });
    // Bounded, because a clip that has diverged must not hang the device.
    constexpr int kMaxRounds = 64;
    float size = reach;
    for (int round = 0; round < kMaxRounds; ++round, size *= 1.5f) {
      inverse_size_ = 1 / size;
      low_ = low - V3{size, size, size} * 1.01f;
      const Cell last = cell(high);
      if (static_cast<size_t>(last.x + 2) * static_cast<size_t>(last.y + 2) *
              static_cast<size_t>(last.z + 2) <=
          kMaxCells)
        return;
    }
  }

  // Counting sort. The order in which threads count is not fixed, so members are sorted afterwards.
  BILLOW_DEVICE void fill_buckets() {
    uint32_t* start = state_.bucket_start;
    uint16_t *members = state_.members, *slot = state_.slot;
    team_.each(kBuckets + 1, [&](uint32_t b) { start[b] = 0; });
    team_.each(sheet_.vertices, [&](uint32_t v) {
      slot[v] = static_cast<uint16_t>(Team::increment(&start[bucket(cell(x_[v]))]));
    });
    team_.scan(start, kBuckets);
    team_.each(sheet_.vertices,
               [&](uint32_t v) { members[start[bucket(cell(x_[v]))] + slot[v]] = static_cast<uint16_t>(v); });
    team_.each(kBuckets, [&](uint32_t b) {
      for (uint32_t i = start[b] + 1; i < start[b + 1]; ++i) {
        const uint16_t moved = members[i];
        uint32_t at = i;
        for (; at > start[b] && members[at - 1] > moved; --at) members[at] = members[at - 1];
        members[at] = moved;
      }
    });
  }

  BILLOW_DEVICE void collect_pairs(float reach) {
    const float reach2 = reach * reach, rest2 = sheet_.min_rest_distance * sheet_.min_rest_distance;
    const uint32_t* start = state_.bucket_start;
    const uint16_t* members = state_.members;
    const Rows rest = sheet_.rest_position;
    team_.each(sheet_.vertices, [&](uint32_t v) {
      const V3 own = x_[v], own_rest = get(rest, v);
      const Cell c = cell(own);
      uint32_t count = 0;
      const auto add_range = [&](uint32_t begin, uint32_t end) {
        for (uint32_t m = begin; m < end; ++m) {
          const uint32_t other = members[m];
          const V3 d = own - x_[other];
          if (dot(d, d) >= reach2) continue;
          const V3 rest_offset = own_rest - get(rest, other);
          if (dot(rest_offset, rest_offset) > rest2 && count < kMaxPairs)
            state_.pairs[count++ * sheet_.vertices + v] = static_cast<uint16_t>(other);
        }
      };
      // The three cells of a row follow one another, except where the grid repeats.
      for (int row = 0; row < 9; ++row) {
        const int y = c.y + row % 3 - 1, z = c.z + row / 3 - 1;
        const uint32_t first = bucket(c.x - 1, y, z), last = bucket(c.x + 1, y, z);
        if (first + 2 == last) {
          add_range(start[first], start[last + 1]);
          continue;
        }
        for (int x = c.x - 1; x <= c.x + 1; ++x) {
          const uint32_t b = bucket(x, y, z);
          add_range(start[b], start[b + 1]);
        }
      }
      state_.pair_count[v] = static_cast<uint8_t>(count);
    });
  }

  // Separates a vertex and removes its approach velocity, with friction.
  BILLOW_DEVICE void find_change(uint32_t v, float dt) const {
    const Rows velocity = state_.v;
    const float* inverse_mass = sheet_.inverse_mass;
    const float distance = sheet_.self_distance, own_mass = inverse_mass[v];
    V3 change_x{0, 0, 0}, change_v{0, 0, 0};
    int contacts = 0;
    const uint32_t count = own_mass > 0 ? state_.pair_count[v] : 0;
    for (uint32_t k = 0; k < count; ++k) {
      const uint32_t o = state_.pairs[k * sheet_.vertices + v];
      const V3 d = x_[v] - x_[o];
      const float l2 = dot(d, d);
      if (l2 >= distance * distance || l2 < 1e-16f) continue;
      const float l = std::sqrt(l2), own_share = own_mass / (own_mass + inverse_mass[o]);
      const V3 n = d * (1 / l), relative = get(velocity, v) - get(velocity, o);
      const float depth = distance - l, normal = dot(relative, n), approach = greater(0.0f, -normal);
      change_x += n * (depth * own_share);
      change_v += n * (approach * own_share);
      const V3 tangential = relative - n * normal;
      const float tangential_speed = length(tangential),
                  max_friction = sheet_.self_friction * (approach + depth / dt);
      if (tangential_speed > 1e-9f)
        change_v -= tangential * (own_share * lesser(max_friction, tangential_speed) / tangential_speed);
      ++contacts;
    }
    const float share = contacts > 1 ? 1.5f / static_cast<float>(contacts + 1) : 1;
    set(state_.change_x, v, change_x * share);
    set(state_.change_v, v, change_v * share);
  }

  const Team& team_;
  const BatchSheet& sheet_;
  const ClipState& state_;
  V3* x_;
  V3 low_{0, 0, 0};
  float inverse_size_ = 0;
};

}  // namespace billow::cloth
