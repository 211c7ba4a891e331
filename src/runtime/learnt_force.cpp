#include "runtime/learnt_force.h"

#include "runtime/chains.h"

namespace billow {
namespace {

constexpr float kBodyRange = 0.25f;  // m: farther surfaces are not seen

// Inputs of about one: metres, and metres a second.
constexpr float kFar = 1 / 0.3f, kNear = 1 / 0.08f, kSpeed = 1 / 1.5f, kTurn = 1 / 3.0f;

V3 root_of(const ChainsDescription& d, size_t first) {
  const float* p = d.rest_positions + 3 * first;
  return {p[0], p[1], p[2]};
}

V3 unit_or(V3 v, V3 otherwise) {
  const float l = length(v);
  return l > 1e-6f ? v * (1 / l) : otherwise;
}

// Slow motion is not seen. The force may drive what moves, so that motion does not die out; it must not keep up the last
// twitching of cloth at rest.
V3 unless_slow(V3 velocity) {
  constexpr float kSlow = 0.25f;  // m/s
  const float v2 = dot(velocity, velocity);
  return velocity * (v2 / (v2 + kSlow * kSlow));
}

// Whether each chain has a mirror image at -x.
bool is_symmetric(const ChainsDescription& d, const ForceAxes* axes) {
  constexpr float kTolerance = 0.01f;
  for (int c = 0; c < d.chains; ++c) {
    const V3 root = root_of(d, axes[c].first);
    bool found = false;
    for (int m = 0; m < d.chains && !found; ++m) {
      const V3 other = root_of(d, axes[m].first);
      found =
          d.bone_counts[c] == d.bone_counts[m] && length(other - V3{-root.x, root.y, root.z}) < kTolerance;
    }
    if (!found) return false;
  }
  return true;
}

// Rotation of one frame as a vector: axis times angle, for small angles.
V3 turn_between(const Quat& from, const Quat& to) {
  const Quat q = to * conjugate(from);
  const float sign = q.w < 0 ? -2.0f : 2.0f;
  return V3{q.x, q.y, q.z} * sign;
}

// Writes inputs one after another, each limited.
class InputRow {
 public:
  InputRow(float* to, const ForceAxes& axes) : to_(to), axes_(axes) {}
  void add(float value) {
    constexpr float kMost = 6;
    *to_++ = value > kMost ? kMost : value > -kMost ? value : -kMost;  // NaN becomes a number, too
  }
  void add(V3 v, float scale) {
    add(dot(v, axes_.across) * scale), add(dot(v, axes_.outward) * scale), add(dot(v, axes_.down) * scale);
  }

 private:
  float* to_;
  const ForceAxes& axes_;
};

// The surface near the bones of a level, of four chains.
struct NearBody {
  float closeness[kLanes] = {};  // 1 on the surface, 0 from kBodyRange on
  V3 normal[kLanes], velocity[kLanes];
};

NearBody find_body(const Chains& chains, int level, int group, int collider_count, float inverse_dt) {
  NearBody out;
  for (int k = 0; k < kLanes; ++k) out.normal[k] = out.velocity[k] = {0, 0, 0};
  if (collider_count == 0) return out;
  const float range = kBodyRange * chains.settings.scale;
  const V3x4 x = load(chains.set.x, chains.set.layout.group_at(level, group));
  const Nearest4 near = nearest_surface(all_of(chains.posed, collider_count), x, splat(range));
  const V3x4 velocity = body_velocity(chains.posed, near, x, inverse_dt);
  for (int k = 0; k < kLanes; ++k) {
    if (lane(near.first, k) < 0) continue;
    out.closeness[k] = 1 - lane(near.phi, k) / range;
    out.normal[k] = {lane(near.gradient.x, k), lane(near.gradient.y, k), lane(near.gradient.z, k)};
    out.velocity[k] = {lane(velocity.x, k), lane(velocity.y, k), lane(velocity.z, k)};
  }
  return out;
}

// What the bones of one chain share.
struct ChainView {
  ForceAxes axes;  // now
  V3 root, root_velocity, turn;
};

class Inputs {
 public:
  Inputs(const Chains& chains, float root_speed) : chains_(chains), set_(chains.set), lay_(set_.layout) {
    const float scale = 1 / chains.settings.scale;
    far_ = kFar * scale, near_ = kNear * scale, speed_ = kSpeed * scale;
    root_speed_ = root_speed;
  }

  ChainView view(int c) const {
    const ForceAxes& axes = chains_.force_axes[c];
    const Transform &from = chains_.roots[c], &to = chains_.roots_target[c];
    return {turned(axes, from.rotation), get(set_.x, lay_.at(0, c)),
            (to.position - from.position) * root_speed_,
            turn_between(from.rotation, to.rotation) * (root_speed_ * axes.mirrored)};
  }

  // Mean square over a chain, plus that of its root.
  float speed2(int c) const {
    const V3 root_velocity = view(c).root_velocity;
    float sum = 0;
    for (int i = 1; i < set_.bones[c]; ++i) {
      const V3 v = get(set_.v, lay_.at(i, c));
      sum += dot(v, v);
    }
    return dot(root_velocity, root_velocity) + sum / static_cast<float>(set_.bones[c] - 1);
  }

  void fill(int c, int i, const ChainView& chain, const NearBody& body, int k, float* to) const {
    const size_t at = lay_.at(i, c);
    const V3 x = get(set_.x, at), v = get(set_.v, at);
    InputRow row(to, chain.axes);
    row.add(x - chain.root, far_);
    row.add(unless_slow(v - chain.root_velocity), speed_);
    row.add(chain.root_velocity, speed_);
    row.add(chain.turn, kTurn);
    row.add(unit_or(set_.settings.gravity, {0, 0, 0}), 1);
    const auto place = [&](int level, int other) {
      row.add(exists(level, other) ? get(set_.x, lay_.at(level, wrapped(other))) - x : V3{0, 0, 0}, near_);
    };
    const auto velocity = [&](int level, int other) {
      row.add(
          exists(level, other) ? unless_slow(get(set_.v, lay_.at(level, wrapped(other))) - v) : V3{0, 0, 0},
          speed_);
    };
    const int side = chain.axes.mirrored > 0 ? 1 : -1;
    place(i - 1, c), velocity(i - 1, c);
    place(i + 1, c), velocity(i + 1, c);
    place(i - 2, c), place(i + 2, c);
    place(i, c - side), velocity(i, c - side);
    place(i, c + side), velocity(i, c + side);
    place(i, c - 2 * side), place(i, c + 2 * side);
    row.add(body.closeness[k]);
    row.add(body.normal[k], body.closeness[k]);
    row.add(unless_slow(body.velocity[k] - v), body.closeness[k] > 0 ? body.closeness[k] * speed_ : 0);
    const float depth = static_cast<float>(i) / static_cast<float>(set_.bones[c] - 1);
    row.add(depth), row.add(depth * depth);
    for (const float p : chain.axes.place) row.add(p), row.add(p * p);
  }

 private:
  int wrapped(int c) const { return lay_.closed ? (c + lay_.chains) % lay_.chains : c; }
  bool exists(int level, int c) const {
    if (level < 0 || (!lay_.closed && (c < 0 || c >= lay_.chains))) return false;
    return level < set_.bones[wrapped(c)];
  }

  const Chains& chains_;
  const ChainSet& set_;
  const Layout& lay_;
  float far_, near_, speed_, root_speed_;
};

void infer_all(const LearntForce& force, uint32_t rows) {
  if (!force.network) return force.infer(force.user, force.inputs, rows, force.accelerations);
  InferItem items[kInferBatch];
  for (uint32_t first = 0; first < rows; first += kInferBatch) {
    const uint32_t count = rows - first < kInferBatch ? rows - first : kInferBatch;
    for (uint32_t k = 0; k < count; ++k)
      items[k] = {0, force.inputs + size_t{kForceInputs} * (first + k),
                  force.accelerations + size_t{kForceOutputs} * (first + k)};
    infer(*force.network, items, count, force.scratches);
  }
}

// A chain that comes to rest keeps the force that it has. It would creep after one that changes with it.
float share_of_new_force(const Inputs& inputs, int chain) {
  constexpr float kCreeping = 0.05f;  // m/s
  const float v2 = inputs.speed2(chain);
  return v2 / (v2 + kCreeping * kCreeping);
}

void evaluate(Chains& chains, int collider_count, float root_speed, float inverse_dt) {
  ChainSet& set = chains.set;
  const Layout& lay = set.layout;
  const LearntForce& force = chains.force;
  const Inputs inputs(chains, root_speed);
  for (int g = 0; g < lay.groups(); ++g) {
    const int first = g * kLanes, count = lay.chains - first < kLanes ? lay.chains - first : kLanes;
    ChainView views[kLanes];
    for (int k = 0; k < count; ++k) views[k] = inputs.view(first + k);
    for (int i = 1; i < lay.levels; ++i) {
      const NearBody body = find_body(chains, i, g, collider_count, inverse_dt);
      for (int k = 0; k < count; ++k)
        if (i < set.bones[first + k])
          inputs.fill(first + k, i, views[k], body, k,
                      force.inputs + kForceInputs * force_row(chains.force_axes, first + k, i));
    }
  }
  infer_all(force, static_cast<uint32_t>(chains.bone_total - lay.chains));
  for (int c = 0; c < lay.chains; ++c) {
    const ForceAxes axes = turned(chains.force_axes[c], chains.roots[c].rotation);
    const int last = set.bones[c] - 1;
    const float follow = share_of_new_force(inputs, c);
    for (int i = 1; i <= last; ++i) {
      const size_t row = force_row(chains.force_axes, c, i);
      const float* own = force.accelerations + kForceOutputs * row;
      const float *above = i > 1 ? own - kForceOutputs : own, *below = i < last ? own + kForceOutputs : own;
      // Smoothed along the chain: forces that alternate from bone to bone would shake short ropes for ever.
      const auto out = [&](int k) { return 0.25f * above[k] + 0.5f * own[k] + 0.25f * below[k]; };
      const V3 a = axes.across * out(0) + axes.outward * out(1) + axes.down * out(2);
      constexpr float kInverse2 = 1 / (kMaxLearntForce * kMaxLearntForce);
      const F4 bound = splat(set.settings.learnt_force) / sqrt(splat(1.0f + dot(a, a) * kInverse2));
      const size_t at = lay.at(i, c);
      const V3 held = get(set.learnt, at);
      billow::set(set.learnt, at, held + (a * lane(bound, 0) - held) * follow);
    }
  }
}

}  // namespace

void find_force_axes(const ChainsDescription& d, ForceAxes* axes) {
  size_t bone = 0;
  V3 centre{0, 0, 0};
  for (int c = 0; c < d.chains; ++c) {
    axes[c] = {};
    axes[c].first = bone;
    centre += root_of(d, bone) * (1.0f / static_cast<float>(d.chains));
    bone += d.bone_counts[c];
  }
  const bool symmetric = is_symmetric(d, axes);
  for (int c = 0; c < d.chains; ++c) {
    const bool wraps = d.closed && d.neighbours;
    const int next = c + 1 < d.chains ? c + 1
                     : wraps          ? 0
                                      : c,
              before = c > 0   ? c - 1
                       : wraps ? d.chains - 1
                               : c;
    const V3 root = root_of(d, axes[c].first);
    const V3 down = unit_or(root_of(d, axes[c].first + d.bone_counts[c] - 1) - root, {0, -1, 0});
    const V3 along = root_of(d, axes[next].first) - root_of(d, axes[before].first);
    const V3 outward = unit_or(cross(along, down), {0, 0, 1});
    ForceAxes& a = axes[c];
    a.mirrored = symmetric && root.x < 0 ? -1.0f : 1.0f;
    const Quat to_root = conjugate(d.root_rest ? d.root_rest[c].rotation : Quat{0, 0, 0, 1});
    a.across = rotate(to_root, cross(down, outward) * a.mirrored);
    a.outward = rotate(to_root, outward);
    a.down = rotate(to_root, down);
    a.place[0] = (root.x - centre.x) * a.mirrored * 5.0f;
    a.place[1] = (root.z - centre.z) * 5.0f;
  }
}

void update_learnt_force(Chains& chains, int collider_count, float frame_dt, float dt, float coarseness) {
  ChainSet& set = chains.set;
  set.has_learnt = chains.force.exists() && set.settings.learnt_force > 0;
  if (!set.has_learnt) return;
  const float interval = kForceInterval * coarseness;
  const bool due = chains.force_left < 0.5f * dt;  // nearer to now than to the next sub-step
  chains.force_left += (due ? interval : 0.0f) - dt;
  if (chains.force_left < -interval) chains.force_left = 0;  // sub-steps that are too long to keep up
  if (due) evaluate(chains, collider_count, 1 / frame_dt, 1 / dt);
}

}  // namespace billow
