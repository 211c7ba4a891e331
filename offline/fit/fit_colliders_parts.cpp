#include "fit/fit_colliders_parts.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace billow::fit {
namespace {

constexpr float kTouching = 0.025f;  // of the character's size: samples of neighbours are so close

SkinPart together(const FitSubject& subject, const SkinPart& a, const SkinPart& b) {
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

std::vector<size_t> contacts_between(const FitSubject& subject,
                                     std::span<const std::vector<uint32_t>> groups) {
  const float near = kTouching * subject.samples.size;
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

// Parts that are put together two by two, on both sides alike.
class Merger {
 public:
  Merger(const FitSubject& subject, std::vector<SkinPart> parts)
      : subject_(subject), parts_(std::move(parts)) {
    const size_t n = parts_.size();
    gone_.assign(n, 0);
    neighbours_.assign(n * n, 0);
    mirror_ = mirrored_parts(subject, parts_);
    std::vector<std::vector<uint32_t>> groups;
    for (const SkinPart& part : parts_) groups.push_back(part.samples);
    // Neighbours touch in all poses, they or their mirror images.
    const std::vector<size_t> contacts = contacts_between(subject, groups);
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b) {
        if (contacts[a * n + b] == 0) continue;
        join(a, b);
        if (mirror_[a] != SIZE_MAX && mirror_[b] != SIZE_MAX) join(mirror_[a], mirror_[b]);
      }
  }

  // Puts the two together, and their mirror images, that lose least by it; false if that is not worth it.
  bool step(size_t most, double worth) {
    double least = 1e300;
    std::pair<size_t, size_t> best;
    for (size_t a = 0; a < parts_.size(); ++a)
      for (size_t b = a + 1; b < parts_.size(); ++b)
        if (can_merge(a, b))
          if (const double l = loss(a, b); l < least) least = l, best = {a, b};
    if (least == 1e300 || (least > worth && left() <= most)) return false;
    auto [a, b] = best;
    // What is in the middle takes up what is aside.
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
    std::vector<size_t> place(parts_.size(), SIZE_MAX);
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (gone_[i]) continue;
      place[i] = out.parts.size();
      if (mirror_[i] < i && has_mirror(i)) choose_together(parts_[mirror_[i]], parts_[i]);
      out.parts.push_back(parts_[i]);
    }
    for (size_t i = 0; i < parts_.size(); ++i)
      if (!gone_[i]) {
        out.mirror.push_back(has_mirror(i) ? place[mirror_[i]] : SIZE_MAX);
        out.parts[place[i]].chosen = parts_[i].chosen;
      }
    return out;
  }

 private:
  void join(size_t a, size_t b) {
    if (a != b) neighbours_[a * parts_.size() + b] = neighbours_[b * parts_.size() + a] = 1;
  }
  bool can_merge(size_t a, size_t b) const {
    return a != SIZE_MAX && b != SIZE_MAX && a != b && !gone_[a] && !gone_[b] &&
           neighbours_[a * parts_.size() + b];
  }
  bool has_mirror(size_t i) const { return mirror_[i] != SIZE_MAX && !gone_[mirror_[i]]; }
  size_t left() const { return static_cast<size_t>(std::count(gone_.begin(), gone_.end(), 0)); }
  const SkinPart& merged(size_t a, size_t b) {
    const std::pair<size_t, size_t> key = std::minmax(a, b);
    auto found = unions_.find(key);
    if (found == unions_.end())
      found = unions_.emplace(key, together(subject_, parts_[key.first], parts_[key.second])).first;
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
    gone_[b] = 1;
    for (size_t c = 0; c < parts_.size(); ++c)
      if (neighbours_[b * parts_.size() + c]) join(a, c);
    std::erase_if(unions_, [&](const auto& u) {
      return u.first.first == a || u.first.second == a || u.first.first == b || u.first.second == b;
    });
  }

  const FitSubject& subject_;
  std::vector<SkinPart> parts_;
  std::vector<char> gone_, neighbours_;
  std::vector<size_t> mirror_;
  std::map<std::pair<size_t, size_t>, SkinPart> unions_;
};

// Fits the pieces, and cuts those that fit worst, with their mirror images, while the halves fit much better.
std::vector<SkinPart> cut_bad(const FitSubject& subject, std::vector<SkinPart> parts, size_t most,
                              double worth) {
  constexpr double kBetter = 0.7;
  for (SkinPart& part : parts) fit_part(subject, part);
  std::vector<char> done(parts.size(), 0);
  while (parts.size() + 2 <= most) {
    const std::vector<size_t> mirror = mirrored_parts(subject, parts);
    size_t worst = SIZE_MAX;
    for (size_t i = 0; i < parts.size(); ++i)
      if (!done[i] && (worst == SIZE_MAX || parts[i].cost() > parts[worst].cost())) worst = i;
    if (worst == SIZE_MAX || parts[worst].cost() < worth) break;
    std::vector<size_t> group{worst};
    if (mirror[worst] != SIZE_MAX && mirror[worst] != worst) group.push_back(mirror[worst]);
    std::vector<Halves> halves;
    double before = 0, after = 0;
    for (const size_t i : group) {
      done[i] = 1;
      halves.push_back(halves_of(subject, parts[i].samples, halves.empty() ? -1 : halves[0].axis));
      if (halves.back().axis < 0) break;
      before += parts[i].cost();
      after += halves.back().parts[0].cost() + halves.back().parts[1].cost();
    }
    if (halves.back().axis < 0 || after > kBetter * before) continue;
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

PartsFound find_parts(const FitSubject& subject, size_t most, double worth) {
  Merger merger(subject, cut_bad(subject, pieces_of(subject), 2 * most, worth));
  while (merger.step(most, worth)) {
  }
  return merger.finish();
}

}  // namespace billow::fit
