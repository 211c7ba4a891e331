#include "fit/fit_colliders_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace billow::fit {
namespace {

constexpr float kContactDistance = 0.025f;  // between samples of neighbours, times the character's size

SkinPart merge_parts(const FitSubject& subject, const SkinPart& a, const SkinPart& b) {
  SkinPart out;
  out.joints = a.samples.size() >= b.samples.size() ? a.joints : b.joints;
  const auto& others = a.samples.size() >= b.samples.size() ? b.joints : a.joints;
  out.joints.insert(out.joints.end(), others.begin(), others.end());
  std::merge(a.samples.begin(), a.samples.end(), b.samples.begin(), b.samples.end(),
             std::back_inserter(out.samples));
  fit_part(subject, out);
  return out;
}

}  // namespace

FitSubject::FitSubject(const body::Skeleton& of_skeleton, const body::Skin& of_skin,
                       std::span<const body::Pose> in_poses, size_t sample_count, bool with_boxes)
    : skeleton(of_skeleton),
      skin(of_skin),
      samples(sample_skin(of_skin, sample_count)),
      mirror(mirrored_joints(of_skeleton, samples.size)),
      inside(of_skin, samples.size),
      boxes(with_boxes) {
  std::vector<body::Pose> all{rest_pose(skeleton)};
  all.insert(all.end(), in_poses.begin(), in_poses.end());
  poses = pose_samples(skeleton, skin, samples, all);
}

std::vector<size_t> count_contacts(const FitSubject& subject, std::span<const std::vector<uint32_t>> groups) {
  const float near = kContactDistance * subject.samples.size;
  const size_t n = groups.size();
  std::vector<size_t> out(n * n, SIZE_MAX);
  for (const PosedSkin& pose : subject.poses) {
    std::vector<std::vector<V3>> points(n);
    for (size_t g = 0; g < n; ++g)
      for (const uint32_t s : groups[g]) points[g].push_back(pose.points[s]);
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b) {
        if (a == b || out[a * n + b] == 0) continue;
        size_t count = 0;
        for (const V3& p : points[a])
          count += std::any_of(points[b].begin(), points[b].end(),
                               [&](V3 q) { return dot(p - q, p - q) < near * near; });
        out[a * n + b] = std::min(out[a * n + b], count);
      }
  }
  for (size_t a = 0; a < n; ++a) out[a * n + a] = 0;
  return out;
}

namespace {

// Merges pairs of parts greedily, on both sides of the body alike.
class Merger {
 public:
  Merger(const FitSubject& subject, std::vector<SkinPart> parts)
      : subject_(subject), parts_(std::move(parts)) {
    const size_t n = parts_.size();
    removed_.assign(n, 0);
    neighbours_.assign(n * n, 0);
    mirror_ = mirrored_parts(subject, parts_);
    std::vector<std::vector<uint32_t>> groups;
    for (const SkinPart& part : parts_) groups.push_back(part.samples);
    // Parts are neighbours if they, or their mirror images, are in contact in all poses.
    const std::vector<size_t> contacts = count_contacts(subject, groups);
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b) {
        if (contacts[a * n + b] == 0) continue;
        connect(a, b);
        if (mirror_[a] != SIZE_MAX && mirror_[b] != SIZE_MAX) connect(mirror_[a], mirror_[b]);
      }
  }

  // Merges the pair, and its mirror image, with the smallest increase in cost; false if that costs too much.
  bool merge_next(size_t max_parts, double min_gain) {
    double min_loss = 1e300;
    std::pair<size_t, size_t> best;
    for (size_t a = 0; a < parts_.size(); ++a)
      for (size_t b = a + 1; b < parts_.size(); ++b)
        if (can_merge(a, b))
          if (const double l = loss(a, b); l < min_loss) min_loss = l, best = {a, b};
    if (min_loss == 1e300 || (min_loss > min_gain && remaining() <= max_parts)) return false;
    auto [a, b] = best;
    // Merge into the central part, if one of them is.
    if (mirror_[b] == b && mirror_[a] != a) std::swap(a, b);
    const size_t other_a = mirror_[a], other_b = mirror_[b];
    merge(a, b);
    if (other_a == b)
      mirror_[a] = a;
    else if (other_b != b && can_merge(other_a, other_b))
      merge(other_a, other_b);
    return true;
  }

  PartsFound finish() {
    PartsFound out;
    std::vector<size_t> new_index(parts_.size(), SIZE_MAX);
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (removed_[i]) continue;
      new_index[i] = out.parts.size();
      if (mirror_[i] < i && has_mirror(i)) choose_same_shape(parts_[mirror_[i]], parts_[i]);
      out.parts.push_back(parts_[i]);
    }
    for (size_t i = 0; i < parts_.size(); ++i)
      if (!removed_[i]) {
        out.mirror.push_back(has_mirror(i) ? new_index[mirror_[i]] : SIZE_MAX);
        out.parts[new_index[i]].chosen = parts_[i].chosen;
      }
    return out;
  }

 private:
  void connect(size_t a, size_t b) {
    if (a != b) neighbours_[a * parts_.size() + b] = neighbours_[b * parts_.size() + a] = 1;
  }
  bool can_merge(size_t a, size_t b) const {
    return a != SIZE_MAX && b != SIZE_MAX && a != b && !removed_[a] && !removed_[b] &&
           neighbours_[a * parts_.size() + b];
  }
  bool has_mirror(size_t i) const { return mirror_[i] != SIZE_MAX && !removed_[mirror_[i]]; }
  size_t remaining() const { return static_cast<size_t>(std::count(removed_.begin(), removed_.end(), 0)); }
  const SkinPart& merged(size_t a, size_t b) {
    const std::pair<size_t, size_t> key = std::minmax(a, b);
    auto found = merge_cache_.find(key);
    if (found == merge_cache_.end())
      found = merge_cache_.emplace(key, merge_parts(subject_, parts_[key.first], parts_[key.second])).first;
    return found->second;
  }
  double loss_alone(size_t a, size_t b) { return merged(a, b).cost() - parts_[a].cost() - parts_[b].cost(); }
  double loss(size_t a, size_t b) {
    const size_t c = mirror_[a], d = mirror_[b];
    if (std::minmax(a, b) == std::minmax(c, d) || !can_merge(c, d)) return loss_alone(a, b);
    return 0.5 * (loss_alone(a, b) + loss_alone(c, d));
  }
  void merge(size_t a, size_t b) {
    parts_[a] = merged(a, b);
    removed_[b] = 1;
    for (size_t c = 0; c < parts_.size(); ++c)
      if (neighbours_[b * parts_.size() + c]) connect(a, c);
    std::erase_if(merge_cache_, [&](const auto& u) {
      return u.first.first == a || u.first.second == a || u.first.first == b || u.first.second == b;
    });
  }

  const FitSubject& subject_;
  std::vector<SkinPart> parts_;
  std::vector<char> removed_, neighbours_;
  std::vector<size_t> mirror_;
  std::map<std::pair<size_t, size_t>, SkinPart> merge_cache_;
};

// Fits the parts, and splits the worst, with their mirror images, while the halves fit much better.
std::vector<SkinPart> split_bad_parts(const FitSubject& subject, std::vector<SkinPart> parts,
                                      size_t max_parts, double min_gain) {
  constexpr double kMaxCostRatio = 0.7;
  for (SkinPart& part : parts) fit_part(subject, part);
  std::vector<char> done(parts.size(), 0);
  while (parts.size() + 2 <= max_parts) {
    const std::vector<size_t> mirror = mirrored_parts(subject, parts);
    size_t worst = SIZE_MAX;
    for (size_t i = 0; i < parts.size(); ++i)
      if (!done[i] && (worst == SIZE_MAX || parts[i].cost() > parts[worst].cost())) worst = i;
    if (worst == SIZE_MAX || parts[worst].cost() < min_gain) break;
    std::vector<size_t> group{worst};
    if (mirror[worst] != SIZE_MAX && mirror[worst] != worst) group.push_back(mirror[worst]);
    std::vector<Halves> halves;
    double before = 0, after = 0;
    for (const size_t i : group) {
      done[i] = 1;
      halves.push_back(split_part(subject, parts[i].samples, halves.empty() ? -1 : halves[0].axis));
      if (halves.back().axis < 0) break;
      before += parts[i].cost();
      after += halves.back().parts[0].cost() + halves.back().parts[1].cost();
    }
    if (halves.back().axis < 0 || after > kMaxCostRatio * before) continue;
    for (size_t k = 0; k < group.size(); ++k) {
      for (SkinPart& half : halves[k].parts) half.joints = parts[group[k]].joints;
      parts[group[k]] = std::move(halves[k].parts[0]);
      parts.push_back(std::move(halves[k].parts[1]));
      done[group[k]] = 0;
      done.push_back(0);
    }
  }
  return parts;
}

}  // namespace

PartsFound find_parts(const FitSubject& subject, size_t max_parts, double min_gain) {
  Merger merger(subject, split_bad_parts(subject, initial_parts(subject), 2 * max_parts, min_gain));
  while (merger.merge_next(max_parts, min_gain)) {
  }
  return merger.finish();
}

namespace {

// Parts below kSmallArea are merged with a neighbour if they are also shorter than kShort, or below
// kTinyArea.
constexpr double kSmallArea = 0.012;  // fraction of the skin
constexpr float kShort = 0.07f;       // times the character's size
constexpr double kTinyArea = 0.004;   // fraction of the skin

// The connected component of each triangle, by union-find over vertices with equal positions.
std::vector<uint32_t> find_components(const body::Mesh& mesh) {
  std::vector<uint32_t> parent(mesh.positions.size());
  std::iota(parent.begin(), parent.end(), 0u);
  const auto root = [&](uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  std::map<std::array<float, 3>, uint32_t> first;
  for (uint32_t v = 0; v < parent.size(); ++v) {
    const V3 p = mesh.positions[v];
    const auto [found, is_new] = first.emplace(std::array<float, 3>{p.x, p.y, p.z}, v);
    if (!is_new) parent[root(v)] = root(found->second);
  }
  for (const body::Triangle& t : mesh.triangles)
    for (const uint32_t v : t) parent[root(v)] = root(t[0]);
  std::vector<uint32_t> out;
  for (const body::Triangle& t : mesh.triangles) out.push_back(root(t[0]));
  return out;
}

// The diagonal of the bounding box of samples at rest.
float extent(const FitSubject& subject, const std::vector<uint32_t>& samples) {
  V3 low = subject.poses[0].points[samples[0]], high = low;
  for (const uint32_t s : samples) {
    const V3 p = subject.poses[0].points[s];
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return length(high - low);
}

// The part that a small one is merged with: the one with the most contacts, those of the same joint counting
// four times and those of the parent joint twice. Without contacts, the largest part of these joints.
size_t host_of(const FitSubject& subject, const std::vector<SkinPart>& parts,
               const std::vector<size_t>& contacts, size_t part) {
  const size_t n = parts.size();
  const int parent = subject.skeleton.joints[parts[part].joints[0]].parent;
  size_t host = SIZE_MAX, best = 0;
  for (size_t k = 0; k < n; ++k) {
    if (k == part || parts[k].samples.empty()) continue;
    const bool own = parts[k].joints[0] == parts[part].joints[0],
               above = static_cast<int>(parts[k].joints[0]) == parent;
    size_t score = contacts[part * n + k] * (own ? 4 : above ? 2 : 1) * 1000000;
    if (own || above) score += parts[k].samples.size();
    if (score > best) best = score, host = k;
  }
  return host;
}

}  // namespace

std::vector<size_t> mirrored_parts(const FitSubject& subject, std::span<const SkinPart> parts) {
  std::vector<V3> centroid;
  for (const SkinPart& part : parts) {
    V3 sum{0, 0, 0};
    for (const uint32_t s : part.samples) sum += subject.poses[0].points[s];
    centroid.push_back(sum * (1 / static_cast<float>(std::max<size_t>(1, part.samples.size()))));
  }
  std::vector<size_t> out(parts.size(), SIZE_MAX);
  for (size_t a = 0; a < parts.size(); ++a) {
    if (out[a] != SIZE_MAX) continue;
    const V3 mirrored{-centroid[a].x, centroid[a].y, centroid[a].z};
    float best = 0.05f * subject.samples.size;
    for (size_t b = a; b < parts.size(); ++b)
      if (out[b] == SIZE_MAX && parts[b].joints[0] == subject.mirror[parts[a].joints[0]])
        if (const float d = length(centroid[b] - mirrored); d < best) best = d, out[a] = b;
    if (out[a] != SIZE_MAX) out[out[a]] = a;
  }
  return out;
}

std::vector<SkinPart> initial_parts(const FitSubject& subject) {
  // Group the samples by joint and connected component.
  const std::vector<uint32_t> components = find_components(subject.skin.mesh);
  const size_t samples = subject.samples.triangles.size();
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> grouped;
  for (uint32_t s = 0; s < samples; ++s)
    grouped[{weights_of(subject.skin, subject.samples, s)[0].first, components[subject.samples.triangles[s]]}]
        .push_back(s);
  std::vector<SkinPart> parts;
  std::vector<std::vector<uint32_t>> groups;
  for (auto& [key, group] : grouped) {
    groups.push_back(group);
    parts.push_back({.joints = {key.first}, .samples = std::move(group), .candidates = {}});
  }
  // Merge small parts into others, the last joints first.
  const std::vector<size_t> contacts = count_contacts(subject, groups);
  const std::vector<size_t> mirror = mirrored_parts(subject, parts);
  std::vector<char> keep(parts.size(), 0);
  for (size_t i = parts.size(); i-- > 0;) {
    if (parts[i].samples.empty() || keep[i]) continue;
    const size_t other = mirror[i] == SIZE_MAX ? i : mirror[i];
    const double fraction = 0.5 * static_cast<double>(parts[i].samples.size() + parts[other].samples.size()) /
                            static_cast<double>(samples);
    const bool is_short = extent(subject, parts[i].samples) < kShort * subject.samples.size;
    if (fraction > kSmallArea || (fraction > kTinyArea && !is_short)) {
      keep[i] = keep[other] = 1;
      continue;
    }
    const size_t host = host_of(subject, parts, contacts, i);
    if (host == SIZE_MAX) continue;
    auto& to = parts[host].samples;
    to.insert(to.end(), parts[i].samples.begin(), parts[i].samples.end());
    parts[i].samples.clear();
  }
  std::erase_if(parts, [](const SkinPart& part) { return part.samples.empty(); });
  for (SkinPart& part : parts) std::sort(part.samples.begin(), part.samples.end());
  return parts;
}

}  // namespace billow::fit
