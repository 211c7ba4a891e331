// The smallest parts of a skin that may have colliders of their own.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fit/fit_colliders_parts.h"

namespace billow::fit {
namespace {

constexpr double kLittleSkin = 0.012;  // of all, and
constexpr float kShort = 0.07f;        // of the size: a piece with less is no part by itself
constexpr double kNearlyNone = 0.004;  // of all: nor is one with so little, however long

// Which surface each triangle is part of: surfaces that have no point in common have different numbers.
std::vector<uint32_t> surfaces_of(const body::Mesh& mesh) {
  std::vector<uint32_t> up(mesh.positions.size());
  std::iota(up.begin(), up.end(), 0u);
  const auto top = [&](uint32_t v) {
    while (up[v] != v) v = up[v] = up[up[v]];
    return v;
  };
  std::map<std::array<float, 3>, uint32_t> first;
  for (uint32_t v = 0; v < up.size(); ++v) {
    const V3 p = mesh.positions[v];
    const auto [found, is_new] = first.emplace(std::array<float, 3>{p.x, p.y, p.z}, v);
    if (!is_new) up[top(v)] = top(found->second);
  }
  for (const body::Triangle& t : mesh.triangles)
    for (const uint32_t v : t) up[top(v)] = top(t[0]);
  std::vector<uint32_t> out;
  for (const body::Triangle& t : mesh.triangles) out.push_back(top(t[0]));
  return out;
}

// The diagonal of the box about resting samples.
float extent(const FitSubject& subject, const std::vector<uint32_t>& samples) {
  V3 low = subject.poses[0].points[samples[0]], high = low;
  for (const uint32_t s : samples) {
    const V3 p = subject.poses[0].points[s];
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return length(high - low);
}

// What a piece with little skin goes to: what it touches most, rather of its own joint or its parent's;
// without contact the largest of these.
size_t host_of(const FitSubject& subject, const std::vector<SkinPart>& pieces,
               const std::vector<size_t>& contacts, size_t piece) {
  const size_t n = pieces.size();
  const int parent = subject.skeleton.joints[pieces[piece].joints[0]].parent;
  size_t host = SIZE_MAX, best = 0;
  for (size_t k = 0; k < n; ++k) {
    if (k == piece || pieces[k].samples.empty()) continue;
    const bool own = pieces[k].joints[0] == pieces[piece].joints[0],
               above = static_cast<int>(pieces[k].joints[0]) == parent;
    size_t score = contacts[piece * n + k] * (own ? 4 : above ? 2 : 1) * 1000000;
    if (own || above) score += pieces[k].samples.size();
    if (score > best) best = score, host = k;
  }
  return host;
}

}  // namespace

std::vector<size_t> mirrored_parts(const FitSubject& subject, std::span<const SkinPart> pieces) {
  std::vector<V3> middle;
  for (const SkinPart& piece : pieces) {
    V3 sum{0, 0, 0};
    for (const uint32_t s : piece.samples) sum += subject.poses[0].points[s];
    middle.push_back(sum * (1 / static_cast<float>(std::max<size_t>(1, piece.samples.size()))));
  }
  std::vector<size_t> out(pieces.size(), SIZE_MAX);
  for (size_t a = 0; a < pieces.size(); ++a) {
    if (out[a] != SIZE_MAX) continue;
    const V3 wanted{-middle[a].x, middle[a].y, middle[a].z};
    float best = 0.05f * subject.samples.size;
    for (size_t b = a; b < pieces.size(); ++b)
      if (out[b] == SIZE_MAX && pieces[b].joints[0] == subject.mirror[pieces[a].joints[0]])
        if (const float d = length(middle[b] - wanted); d < best) best = d, out[a] = b;
    if (out[a] != SIZE_MAX) out[out[a]] = a;
  }
  return out;
}

std::vector<SkinPart> pieces_of(const FitSubject& subject) {
  // Sort the samples by joint and surface.
  const std::vector<uint32_t> surfaces = surfaces_of(subject.skin.mesh);
  const size_t samples = subject.samples.triangles.size();
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> sorted;
  for (uint32_t s = 0; s < samples; ++s)
    sorted[{weights_of(subject.skin, subject.samples, s)[0].first, surfaces[subject.samples.triangles[s]]}]
        .push_back(s);
  std::vector<SkinPart> pieces;
  std::vector<std::vector<uint32_t>> groups;
  for (auto& [key, group] : sorted) {
    groups.push_back(group);
    pieces.push_back({.joints = {key.first}, .samples = std::move(group), .candidates = {}});
  }
  // Let those with little skin, the last joints first, pass it on.
  const std::vector<size_t> contacts = contacts_between(subject, groups);
  const std::vector<size_t> mirror = mirrored_parts(subject, pieces);
  std::vector<char> stays(pieces.size(), 0);
  for (size_t i = pieces.size(); i-- > 0;) {
    if (pieces[i].samples.empty() || stays[i]) continue;
    const size_t other = mirror[i] == SIZE_MAX ? i : mirror[i];
    const double share = 0.5 * static_cast<double>(pieces[i].samples.size() + pieces[other].samples.size()) /
                         static_cast<double>(samples);
    const bool is_short = extent(subject, pieces[i].samples) < kShort * subject.samples.size;
    if (share > kLittleSkin || (share > kNearlyNone && !is_short)) {
      stays[i] = stays[other] = 1;
      continue;
    }
    const size_t host = host_of(subject, pieces, contacts, i);
    if (host == SIZE_MAX) continue;
    auto& to = pieces[host].samples;
    to.insert(to.end(), pieces[i].samples.begin(), pieces[i].samples.end());
    pieces[i].samples.clear();
  }
  std::erase_if(pieces, [](const SkinPart& piece) { return piece.samples.empty(); });
  for (SkinPart& piece : pieces) std::sort(piece.samples.begin(), piece.samples.end());
  return pieces;
}

}  // namespace billow::fit
