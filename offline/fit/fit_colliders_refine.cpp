// ColliderFitter: changes of single colliders, and the search over them.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fit/fit_colliders_parts.h"

namespace billow::fit {
namespace {

// Required savings, as fractions of the total cost.
constexpr double kMinGainAdded = 0.03;     // of an additional collider
constexpr double kMinGainReshaped = 0.01;  // of another shape

}  // namespace

std::string ColliderFitter::unique_name(const std::string& wanted) const {
  const auto taken = [&](const std::string& name) {
    return std::any_of(colliders_.begin(), colliders_.end(), [&](const auto& c) { return c.name == name; });
  };
  std::string name = wanted;
  for (int k = 2; taken(name); ++k) name = wanted + "_" + std::to_string(k);
  return name;
}

size_t ColliderFitter::index_of(const std::string& name) const {
  const auto found =
      std::find_if(colliders_.begin(), colliders_.end(), [&](const auto& c) { return c.name == name; });
  return static_cast<size_t>(found - colliders_.begin());
}

// The half (0 or 1) that is nearer to a collider at rest.
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
  added.name = unique_name(colliders_[i].name);
  added.collider = collider;
  added.collider.blend_with = static_cast<int32_t>(i);
  added.collider.blend_radius = 0.4f * std::min(thickness(collider), thickness(colliders_[i].collider));
  for (size_t k = i + 1; k < colliders_.size(); ++k)
    if (int32_t& with = colliders_[k].collider.blend_with; with > static_cast<int32_t>(i)) ++with;
  colliders_.insert(colliders_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(added));
}

// Replaces a collider by two. Returns the split axis, or -1 if there are too few samples.
int ColliderFitter::split_collider(size_t i, const std::vector<uint32_t>& samples, int axis) {
  Halves halves = split_part(subject_, samples, axis);
  if (halves.axis < 0) return -1;
  // The half nearer to the collider that it blends with keeps the blend.
  const billow_collider old = colliders_[i].collider;
  if (old.blend_with >= 0 &&
      nearer_half(colliders_[static_cast<size_t>(old.blend_with)].collider, halves) == 1)
    std::swap(halves.parts[0], halves.parts[1]);
  colliders_[i].collider = halves.parts[0].collider();
  colliders_[i].collider.blend_with = old.blend_with;
  colliders_[i].collider.blend_radius = old.blend_radius;
  insert_after(i, halves.parts[1].collider());
  // Colliders that blended with the original now blend with the nearer half.
  for (size_t k = i + 2; k < colliders_.size(); ++k)
    if (int32_t& with = colliders_[k].collider.blend_with;
        with == static_cast<int32_t>(i) && nearer_half(colliders_[k].collider, halves) == 1)
      ++with;
  return halves.axis;
}

bool ColliderFitter::split_group(const std::vector<std::string>& group, const Assignment& before) {
  std::vector<std::vector<uint32_t>> samples;
  for (const std::string& name : group) samples.push_back(before.samples[index_of(name)]);
  int axis = -1;
  std::vector<std::string> added;
  for (size_t k = 0; k < group.size(); ++k) {
    const size_t i = index_of(group[k]);
    axis = split_collider(i, samples[k], axis);
    if (axis < 0) return false;
    added.push_back(colliders_[i + 1].name);
  }
  if (added.size() == 2) mirror_[added[0]] = added[1], mirror_[added[1]] = added[0];
  return true;
}

bool ColliderFitter::reshape(const std::vector<std::string>& group, const Assignment& before) {
  std::vector<SkinPart> parts;
  for (const std::string& name : group) {
    SkinPart part;
    part.samples = before.samples[index_of(name)];
    if (part.samples.size() < 12) return false;
    fit_part(subject_, part);
    parts.push_back(std::move(part));
  }
  if (parts.size() == 2) choose_same_shape(parts[0], parts[1]);
  for (size_t k = 0; k < group.size(); ++k) {
    billow_collider& c = colliders_[index_of(group[k])].collider;
    if (parts[k].collider().shape == c.shape) return false;
    const billow_collider old = c;
    c = parts[k].collider();
    c.blend_with = old.blend_with;
    c.blend_radius = old.blend_radius;
  }
  return true;
}

// The connected samples around a protruding one whose distance is at least 40 % of its distance.
std::vector<uint32_t> ColliderFitter::bump_at(uint32_t sample, const std::vector<uint32_t>& samples,
                                              const Assignment& before) const {
  const std::vector<V3>& points = subject_.poses[0].points;
  const float level = 0.4f * before.distance[sample];
  const float link =
      2.5f * std::sqrt(static_cast<float>(subject_.samples.area / static_cast<double>(points.size())));
  std::vector<uint32_t> remaining, out{sample};
  for (const uint32_t s : samples)
    if (s != sample && before.distance[s] > level) remaining.push_back(s);
  for (size_t k = 0; k < out.size(); ++k) {
    const V3 at = points[out[k]];
    const auto linked = std::stable_partition(remaining.begin(), remaining.end(),
                                              [&](uint32_t s) { return length(points[s] - at) >= link; });
    out.insert(out.end(), linked, remaining.end());
    remaining.erase(linked, remaining.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool ColliderFitter::add_bumps(const std::vector<std::string>& group, const Assignment& before) {
  constexpr size_t kMinSamples = 8;
  const std::vector<V3>& points = subject_.poses[0].points;
  const auto less_distant = [&](uint32_t a, uint32_t b) { return before.distance[a] < before.distance[b]; };
  // Find one bump on each collider of a pair, or two that mirror each other on a central collider.
  std::vector<std::pair<std::string, std::vector<uint32_t>>> bumps;
  for (const std::string& name : group) {
    const std::vector<uint32_t>& samples = before.samples[index_of(name)];
    if (samples.empty()) return false;
    bumps.push_back(
        {name, bump_at(*std::max_element(samples.begin(), samples.end(), less_distant), samples, before)});
  }
  if (group.size() == 1) {
    const std::vector<uint32_t>& samples = before.samples[index_of(group[0])];
    const std::vector<uint32_t>& first = bumps[0].second;
    const V3 top = points[*std::max_element(first.begin(), first.end(), less_distant)],
             mirrored{-top.x, top.y, top.z};
    const uint32_t other = *std::min_element(samples.begin(), samples.end(), [&](uint32_t a, uint32_t b) {
      return length(points[a] - mirrored) < length(points[b] - mirrored);
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
    insert_after(index_of(name), part.collider());
    added.push_back(colliders_[index_of(name) + 1].name);
  }
  if (added.size() == 2) mirror_[added[0]] = added[1], mirror_[added[1]] = added[0];
  return true;
}

bool ColliderFitter::apply(Change change, const std::vector<std::string>& group, const Assignment& before) {
  switch (change) {
    case Change::kReshape:
      return reshape(group, before);
    case Change::kSplit:
      return split_group(group, before);
    default:
      return add_bumps(group, before);
  }
}

void ColliderFitter::refine() {
  double cost = solve_all(2, 5);
  std::set<std::string> tried;
  for (;;) {
    // Take the untried collider with the largest cost, and its mirror image.
    const Assignment now = assign_samples();
    size_t worst = SIZE_MAX;
    for (size_t i = 0; i < colliders_.size(); ++i)
      if (tried.count(colliders_[i].name) == 0 && (worst == SIZE_MAX || now.cost[i] > now.cost[worst]))
        worst = i;
    if (worst == SIZE_MAX || now.cost[worst] < min_gain_) break;
    std::vector<std::string> group{colliders_[worst].name};
    if (const auto twin = mirror_.find(group[0]); twin != mirror_.end()) group.push_back(twin->second);
    tried.insert(group.begin(), group.end());

    // Keep the change with the largest gain beyond the required one.
    const std::vector<NamedCollider> before = colliders_;
    const std::map<std::string, std::string> mirror_before = mirror_;
    std::vector<NamedCollider> best;
    std::map<std::string, std::string> best_mirror;
    double best_gain = 0, best_cost = cost;
    for (const Change change : {Change::kReshape, Change::kSplit, Change::kAddBump}) {
      colliders_ = before;
      mirror_ = mirror_before;
      if (!apply(change, group, now) || colliders_.size() > options_.max_colliders) continue;
      const double after = solve_all(2, 4);
      const auto added = static_cast<double>(colliders_.size() - before.size());
      const double gain =
          cost - after -
          (added > 0 ? added * std::max(min_gain_, kMinGainAdded * cost) : kMinGainReshaped * cost);
      if (gain > best_gain) best_gain = gain, best = colliders_, best_cost = after, best_mirror = mirror_;
    }
    colliders_ = best.empty() ? before : best;
    mirror_ = best.empty() ? mirror_before : best_mirror;
    cost = best_cost;
    if (!best.empty()) tried.clear();
    report_progress(0.3 + 0.5 * static_cast<double>(colliders_.size()) /
                              static_cast<double>(options_.max_colliders));
  }
}

void ColliderFitter::clean_up() {
  const Assignment now = assign_samples();
  for (size_t i = colliders_.size(); i-- > 0;) {
    if (now.cost[i] > 0 || !now.samples[i].empty() || colliders_.size() == 1) continue;
    // Colliders that blend with it now blend with its own partner.
    const int32_t removed = static_cast<int32_t>(i), partner = colliders_[i].collider.blend_with;
    colliders_.erase(colliders_.begin() + removed);
    for (NamedCollider& c : colliders_) {
      int32_t& with = c.collider.blend_with;
      with = with == removed ? partner : with > removed ? with - 1 : with;
    }
  }
  std::vector<NamedCollider> named;
  named.swap(colliders_);
  for (NamedCollider& c : named) {
    const size_t heaviest = static_cast<size_t>(
        std::max_element(std::begin(c.collider.weight), std::end(c.collider.weight)) - c.collider.weight);
    c.name = unique_name(subject_.skeleton.joints[c.collider.joint[heaviest]].name);
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
      throw std::invalid_argument("fit: cannot split a collider: their number is at its maximum");
    if (split_collider(i, assign_samples().samples[i], -1) < 0)
      throw std::invalid_argument("fit: collider '" + name + "' has too little skin to be split");
    return;
  }
  std::string known;
  for (const NamedCollider& c : colliders_) known += (known.empty() ? "" : ", ") + c.name;
  throw std::invalid_argument("fit: there is no collider '" + name + "' to split; there are " + known);
}

}  // namespace billow::fit
