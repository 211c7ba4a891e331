// The changes that a fit tries.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fit/fit_colliders_fitter.h"

namespace billow::fit {
namespace {

constexpr double kGain = 0.03;      // of all costs: what one more collider has to save
constexpr double kReshaped = 0.01;  // and what another shape has to

}  // namespace

std::string ColliderFitter::free_name(const std::string& wanted) const {
  const auto taken = [&](const std::string& name) {
    return std::any_of(colliders_.begin(), colliders_.end(), [&](const auto& c) { return c.name == name; });
  };
  std::string name = wanted;
  for (int k = 2; taken(name); ++k) name = wanted + "_" + std::to_string(k);
  return name;
}

size_t ColliderFitter::place_of(const std::string& name) const {
  const auto found =
      std::find_if(colliders_.begin(), colliders_.end(), [&](const auto& c) { return c.name == name; });
  return static_cast<size_t>(found - colliders_.begin());
}

// Which half of a skin comes nearer to a resting collider.
size_t ColliderFitter::nearer_half(const billow_collider& collider, const Halves& halves) const {
  const body::Surface surface = surface_of(collider);
  float nearest[2];
  for (size_t h = 0; h < 2; ++h) {
    std::vector<V3> points;
    for (const uint32_t s : halves.parts[h].samples) points.push_back(subject_.poses[0].points[s]);
    std::vector<float> phi(points.size());
    surface.query(points, phi);
    nearest[h] = *std::min_element(phi.begin(), phi.end());
  }
  return nearest[1] < nearest[0] ? 1 : 0;
}

void ColliderFitter::insert_after(size_t i, const billow_collider& collider) {
  NamedCollider added;
  added.name = free_name(colliders_[i].name);
  added.collider = collider;
  added.collider.blend_with = static_cast<int32_t>(i);
  added.collider.blend_radius = 0.4f * std::min(thickness(collider), thickness(colliders_[i].collider));
  for (size_t k = i + 1; k < colliders_.size(); ++k)
    if (int32_t& with = colliders_[k].collider.blend_with; with > static_cast<int32_t>(i)) ++with;
  colliders_.insert(colliders_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(added));
}

// Puts two colliders in the place of one. The axis that was cut, or -1 if there is too little to cut.
int ColliderFitter::cut_one(size_t i, const std::vector<uint32_t>& samples, int axis) {
  Halves halves = halves_of(subject_, samples, axis);
  if (halves.axis < 0) return -1;
  // Let the half that is nearer to the collider it blends with take its place.
  const billow_collider old = colliders_[i].collider;
  if (old.blend_with >= 0 &&
      nearer_half(colliders_[static_cast<size_t>(old.blend_with)].collider, halves) == 1)
    std::swap(halves.parts[0], halves.parts[1]);
  colliders_[i].collider = halves.parts[0].collider();
  colliders_[i].collider.blend_with = old.blend_with;
  colliders_[i].collider.blend_radius = old.blend_radius;
  insert_after(i, halves.parts[1].collider());
  // What blended with the whole goes to the half that is nearer.
  for (size_t k = i + 2; k < colliders_.size(); ++k)
    if (int32_t& with = colliders_[k].collider.blend_with;
        with == static_cast<int32_t>(i) && nearer_half(colliders_[k].collider, halves) == 1)
      ++with;
  return halves.axis;
}

bool ColliderFitter::cut(const std::vector<std::string>& group, const Owned& before) {
  std::vector<std::vector<uint32_t>> samples;
  for (const std::string& name : group) samples.push_back(before.samples[place_of(name)]);
  int axis = -1;
  std::vector<std::string> added;
  for (size_t k = 0; k < group.size(); ++k) {
    const size_t i = place_of(group[k]);
    axis = cut_one(i, samples[k], axis);
    if (axis < 0) return false;
    added.push_back(colliders_[i + 1].name);
  }
  if (added.size() == 2) mirror_[added[0]] = added[1], mirror_[added[1]] = added[0];
  return true;
}

bool ColliderFitter::reshape(const std::vector<std::string>& group, const Owned& before) {
  std::vector<SkinPart> parts;
  for (const std::string& name : group) {
    SkinPart part;
    part.samples = before.samples[place_of(name)];
    if (part.samples.size() < 12) return false;
    fit_part(subject_, part);
    parts.push_back(std::move(part));
  }
  if (parts.size() == 2) choose_together(parts[0], parts[1]);
  for (size_t k = 0; k < group.size(); ++k) {
    billow_collider& c = colliders_[place_of(group[k])].collider;
    if (parts[k].collider().shape == c.shape) return false;
    const billow_collider old = c;
    c = parts[k].collider();
    c.blend_with = old.blend_with;
    c.blend_radius = old.blend_radius;
  }
  return true;
}

// The samples round one that sticks out, which stick out nearly as far.
std::vector<uint32_t> ColliderFitter::bump_at(uint32_t sample, const std::vector<uint32_t>& samples,
                                              const Owned& before) const {
  const std::vector<V3>& points = subject_.poses[0].points;
  const float level = 0.4f * before.distance[sample];
  const float link =
      2.5f * std::sqrt(static_cast<float>(subject_.samples.area / static_cast<double>(points.size())));
  std::vector<uint32_t> left, out{sample};
  for (const uint32_t s : samples)
    if (s != sample && before.distance[s] > level) left.push_back(s);
  for (size_t k = 0; k < out.size(); ++k) {
    const V3 at = points[out[k]];
    const auto far = std::stable_partition(left.begin(), left.end(),
                                           [&](uint32_t s) { return length(points[s] - at) >= link; });
    out.insert(out.end(), far, left.end());
    left.erase(far, left.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool ColliderFitter::add_bumps(const std::vector<std::string>& group, const Owned& before) {
  constexpr size_t kMinSamples = 8;
  const std::vector<V3>& points = subject_.poses[0].points;
  const auto farthest = [&](uint32_t a, uint32_t b) { return before.distance[a] < before.distance[b]; };
  // Find one on each of a pair, or two that mirror each other on one in the middle.
  std::vector<std::pair<std::string, std::vector<uint32_t>>> bumps;
  for (const std::string& name : group) {
    const std::vector<uint32_t>& samples = before.samples[place_of(name)];
    if (samples.empty()) return false;
    bumps.push_back(
        {name, bump_at(*std::max_element(samples.begin(), samples.end(), farthest), samples, before)});
  }
  if (group.size() == 1) {
    const std::vector<uint32_t>& samples = before.samples[place_of(group[0])];
    const std::vector<uint32_t>& first = bumps[0].second;
    const V3 top = points[*std::max_element(first.begin(), first.end(), farthest)],
             wanted{-top.x, top.y, top.z};
    const uint32_t other = *std::min_element(samples.begin(), samples.end(), [&](uint32_t a, uint32_t b) {
      return length(points[a] - wanted) < length(points[b] - wanted);
    });
    if (before.distance[other] > 0 && !std::binary_search(first.begin(), first.end(), other))
      bumps.push_back({group[0], bump_at(other, samples, before)});
  }
  std::vector<std::string> added;
  for (const auto& [name, samples] : bumps) {
    if (samples.size() < kMinSamples) return false;
    SkinPart part;
    part.samples = samples;
    fit_part(subject_, part);
    insert_after(place_of(name), part.collider());
    added.push_back(colliders_[place_of(name) + 1].name);
  }
  if (added.size() == 2) mirror_[added[0]] = added[1], mirror_[added[1]] = added[0];
  return true;
}

bool ColliderFitter::apply(Change change, const std::vector<std::string>& group, const Owned& before) {
  switch (change) {
    case Change::kReshape:
      return reshape(group, before);
    case Change::kCut:
      return cut(group, before);
    default:
      return add_bumps(group, before);
  }
}

void ColliderFitter::refine() {
  double cost = solve_all(2, 5);
  std::set<std::string> tried;
  for (;;) {
    // Take the worst that has not been tried, with its mirror image.
    const Owned now = owned();
    size_t worst = SIZE_MAX;
    for (size_t i = 0; i < colliders_.size(); ++i)
      if (tried.count(colliders_[i].name) == 0 && (worst == SIZE_MAX || now.cost[i] > now.cost[worst]))
        worst = i;
    if (worst == SIZE_MAX || now.cost[worst] < worth_) break;
    std::vector<std::string> group{colliders_[worst].name};
    if (const auto twin = mirror_.find(group[0]); twin != mirror_.end()) group.push_back(twin->second);
    tried.insert(group.begin(), group.end());

    // Keep the change that gains most beyond what it has to.
    const std::vector<NamedCollider> before = colliders_;
    const std::map<std::string, std::string> mirror_before = mirror_;
    std::vector<NamedCollider> best;
    std::map<std::string, std::string> best_mirror;
    double most = 0, best_cost = cost;
    for (const Change change : {Change::kReshape, Change::kCut, Change::kBump}) {
      colliders_ = before;
      mirror_ = mirror_before;
      if (!apply(change, group, now) || colliders_.size() > options_.most) continue;
      const double after = solve_all(2, 4);
      const auto added = static_cast<double>(colliders_.size() - before.size());
      const double gain =
          cost - after - (added > 0 ? added * std::max(worth_, kGain * cost) : kReshaped * cost);
      if (gain > most) most = gain, best = colliders_, best_cost = after, best_mirror = mirror_;
    }
    colliders_ = best.empty() ? before : best;
    mirror_ = best.empty() ? mirror_before : best_mirror;
    cost = best_cost;
    if (!best.empty()) tried.clear();
    tell(0.3 + 0.5 * static_cast<double>(colliders_.size()) / static_cast<double>(options_.most));
  }
}

void ColliderFitter::tidy() {
  const Owned now = owned();
  for (size_t i = colliders_.size(); i-- > 0;) {
    if (now.cost[i] > 0 || !now.samples[i].empty() || colliders_.size() == 1) continue;
    // What blends with it blends with its own partner instead.
    const int32_t gone = static_cast<int32_t>(i), partner = colliders_[i].collider.blend_with;
    colliders_.erase(colliders_.begin() + gone);
    for (NamedCollider& c : colliders_) {
      int32_t& with = c.collider.blend_with;
      with = with == gone ? partner : with > gone ? with - 1 : with;
    }
  }
  std::vector<NamedCollider> named;
  named.swap(colliders_);
  for (NamedCollider& c : named) {
    const size_t most = static_cast<size_t>(
        std::max_element(std::begin(c.collider.weight), std::end(c.collider.weight)) - c.collider.weight);
    c.name = free_name(subject_.skeleton.joints[c.collider.joint[most]].name);
    colliders_.push_back(std::move(c));
  }
  mirror_.clear();
}

void ColliderFitter::split(const std::string& name) {
  for (size_t i = 0; i < colliders_.size(); ++i) {
    if (colliders_[i].name != name) continue;
    if (colliders_[i].fixed)
      throw std::invalid_argument("fit: collider '" + name + "' is fixed and cannot be split");
    if (colliders_.size() == BILLOW_MAX_COLLIDERS)
      throw std::invalid_argument("fit: there are as many colliders as there may be; none can be split");
    if (cut_one(i, owned().samples[i], -1) < 0)
      throw std::invalid_argument("fit: collider '" + name + "' has too little skin to be split");
    return;
  }
  std::string known;
  for (const NamedCollider& c : colliders_) known += (known.empty() ? "" : ", ") + c.name;
  throw std::invalid_argument("fit: there is no collider '" + name + "' to split; there are " + known);
}

}  // namespace billow::fit
