#include "garment/layout_chains.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <stdexcept>

#include "garment/cloth_mesh.h"
#include "garment/seam.h"

namespace billow::garment {
namespace {

// A level line of the coordinate: its crossings with edges. Consecutive points lie in one triangle, except
// across holes.
struct LevelLine {
  std::vector<Embedding> points;
  std::vector<float> distances;  // m from the root, arc length
  size_t jumps = 0;
  bool reaches_hem = true;
};

class Tracer {
 public:
  Tracer(const Garment& garment, const FreeCloth& cloth)
      : garment_(garment), cloth_(cloth), value_(coordinate_along(garment, cloth)) {
    for (uint32_t t = 0; t < cloth.triangles.size(); ++t)
      for (uint32_t k = 0; k < 3; ++k)
        if (cloth.topology.is_border(t, k))
          border_[{cloth.triangles[t][k], cloth.triangles[t][(k + 1) % 3]}] = {t, k};
    in_hem_.assign(garment.size(), false);
    for (const uint32_t v : cloth.hem) in_hem_[v] = true;
    seam_shares_ = shares_along(garment, cloth.seam, cloth.closed);
  }

  // The point of the seam at a fraction of its length.
  Embedding root(double share) const {
    const Crossing c = seam_crossing(share);
    return embedding(c);
  }

  LevelLine line(double share) const {
    LevelLine out;
    Crossing at = seam_crossing(share);
    add(out, embedding(at));
    for (size_t steps = 0; steps <= cloth_.triangles.size(); ++steps) {
      at = leave(at);
      add(out, embedding(at));
      const uint32_t next = cloth_.topology.across[at.triangle][at.edge];
      if (next != kNoTriangle) {
        at = enter(at, next);
        continue;
      }
      if (is_hem(at)) return out;
      // Continue where the level line re-enters on the other side of the hole.
      ++out.jumps;
      if (!jump_over_hole(at)) {
        out.reaches_hem = false;
        return out;
      }
      add(out, embedding(at));
    }
    return out;
  }

 private:
  // Where the level line crosses an edge of a triangle.
  struct Crossing {
    uint32_t triangle;
    size_t edge;
    double level;  // with this triangle's integer offset
  };

  double at(uint32_t t, size_t corner) const { return value_[t][corner % 3]; }
  bool crosses(uint32_t t, size_t edge, double level) const {
    return (at(t, edge) > level) != (at(t, edge + 1) > level);
  }

  Embedding embedding(const Crossing& c) const {
    const double a = at(c.triangle, c.edge), b = at(c.triangle, c.edge + 1);
    const auto share = static_cast<float>(a == b ? 0.5 : std::clamp((c.level - a) / (b - a), 0.0, 1.0));
    const Triangle& t = cloth_.triangles[c.triangle];
    return {{t[c.edge], t[(c.edge + 1) % 3], t[(c.edge + 2) % 3]}, {1 - share, share, 0}};
  }

  void add(LevelLine& line, const Embedding& next) const {
    const V3 p = position_of(next, garment_.shape);
    line.distances.push_back(line.points.empty()
                                 ? 0
                                 : line.distances.back() +
                                       length(p - position_of(line.points.back(), garment_.shape)));
    line.points.push_back(next);
  }

  Crossing seam_crossing(double share) const {
    const auto after = std::upper_bound(seam_shares_.begin(), seam_shares_.end(), share);
    const size_t n = cloth_.seam.size();
    size_t i = static_cast<size_t>(std::max<std::ptrdiff_t>(1, after - seam_shares_.begin())) - 1;
    if (!cloth_.closed) i = std::min(i, n - 2);
    const auto [t, k] = border_.at({cloth_.seam[i], cloth_.seam[(i + 1) % n]});
    // Add the triangle's integer offset.
    return {t, k, share + std::round(at(t, k) - seam_shares_[i])};
  }

  // The other edge that the level line crosses. If it only touches a corner, it leaves through the nearest
  // edge.
  Crossing leave(const Crossing& in) const {
    for (const size_t edge : {(in.edge + 1) % 3, (in.edge + 2) % 3})
      if (crosses(in.triangle, edge, in.level)) return {in.triangle, edge, in.level};
    const bool first =
        std::fabs(at(in.triangle, in.edge) - in.level) < std::fabs(at(in.triangle, in.edge + 1) - in.level);
    return {in.triangle, (in.edge + (first ? 2 : 1)) % 3, in.level};
  }

  Crossing enter(const Crossing& out, uint32_t next) const {
    const uint32_t end = cloth_.triangles[out.triangle][(out.edge + 1) % 3];
    size_t edge = 0;
    while (cloth_.triangles[next][edge] != end) ++edge;
    return {next, edge, out.level + std::round(at(next, edge) - at(out.triangle, out.edge + 1))};
  }

  bool is_hem(const Crossing& c) const {
    const Triangle& t = cloth_.triangles[c.triangle];
    return in_hem_[t[c.edge]] && in_hem_[t[(c.edge + 1) % 3]];
  }

  // Moves to the nearest crossing of the same border loop that is farther from the seam.
  bool jump_over_hole(Crossing& c) const {
    const Triangle& from = cloth_.triangles[c.triangle];
    const V3 here = position_of(embedding(c), garment_.shape);
    const float down = std::max(cloth_.distance[from[c.edge]], cloth_.distance[from[(c.edge + 1) % 3]]);
    Crossing best = c;
    float shortest = INFINITY;
    for (const std::vector<uint32_t>& loop : cloth_.topology.borders) {
      if (std::find(loop.begin(), loop.end(), from[c.edge]) == loop.end()) continue;
      for (size_t i = 0; i < loop.size(); ++i) {
        const auto [t, k] = border_.at({loop[i], loop[(i + 1) % loop.size()]});
        const double level = c.level + std::round(at(t, k) - c.level);
        const float min_distance =
            std::min(cloth_.distance[loop[i]], cloth_.distance[loop[(i + 1) % loop.size()]]);
        if (!crosses(t, k, level) || !(min_distance > down) || is_hem({t, k, level})) continue;
        const float jump_distance = length(position_of(embedding({t, k, level}), garment_.shape) - here);
        if (jump_distance < shortest) shortest = jump_distance, best = {t, k, level};
      }
    }
    c = best;
    return shortest < INFINITY;
  }

  const Garment& garment_;
  const FreeCloth& cloth_;
  std::vector<std::array<double, 3>> value_;
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>> border_;
  std::vector<bool> in_hem_;
  std::vector<double> seam_shares_;
};

// The point at an arc length from the root: interpolated within the triangle of two consecutive points, or
// the nearer of them across a hole.
Embedding point_at(const LevelLine& line, float distance) {
  const auto after = std::upper_bound(line.distances.begin() + 1, line.distances.end() - 1, distance);
  const size_t i = static_cast<size_t>(after - line.distances.begin());
  const Embedding &a = line.points[i - 1], &b = line.points[i];
  const float span = line.distances[i] - line.distances[i - 1];
  const float share = span > 0 ? std::clamp((distance - line.distances[i - 1]) / span, 0.0f, 1.0f) : 0;
  // The line runs from `a` through the triangle of `b`.
  Embedding out = b;
  for (float& w : out.weights) w *= share;
  for (size_t k = 0; k < 3; ++k) {
    if (a.weights[k] == 0) continue;
    const auto corner = std::find(out.vertices.begin(), out.vertices.end(), a.vertices[k]);
    if (corner == out.vertices.end()) return share < 0.5f ? a : b;
    out.weights[static_cast<size_t>(corner - out.vertices.begin())] += (1 - share) * a.weights[k];
  }
  return out;
}

// Points of the line with equal straight distances between them: ropes are straight, the line zigzags a
// little.
std::vector<Embedding> evenly_spaced(const LevelLine& line, size_t count, std::span<const V3> shape) {
  std::vector<float> at(count + 1);
  for (size_t b = 0; b <= count; ++b)
    at[b] = line.distances.back() * static_cast<float>(b) / static_cast<float>(count);
  std::vector<Embedding> out;
  for (int round = 0;; ++round) {
    out.clear();
    for (const float distance : at) out.push_back(point_at(line, distance));
    if (round == 8) return out;
    // Measure the straight distances and redistribute their sum.
    std::vector<float> lengths(count + 1, 0), next = at;
    for (size_t b = 1; b <= count; ++b)
      lengths[b] = lengths[b - 1] + length(position_of(out[b], shape) - position_of(out[b - 1], shape));
    for (size_t b = 1, i = 1; b < count; ++b) {
      const float target = lengths[count] * static_cast<float>(b) / static_cast<float>(count);
      while (i < count && lengths[i] < target) ++i;
      const float span = lengths[i] - lengths[i - 1];
      next[b] = at[i - 1] + (at[i] - at[i - 1]) * (span > 0 ? (target - lengths[i - 1]) / span : 0);
    }
    at = next;
  }
}

std::vector<double> root_shares(const ChainOptions& options, bool closed) {
  std::vector<double> out;
  const auto n = static_cast<double>(options.chains), margin = static_cast<double>(options.margin);
  for (size_t c = 0; c < options.chains; ++c) {
    const auto i = static_cast<double>(c);
    out.push_back(closed ? (i + 0.5) / n : n > 1 ? margin + (1 - 2 * margin) * i / (n - 1) : 0.5);
  }
  return out;
}

size_t bones_of(const ChainOptions& options, float length) {
  if (!(options.spacing > 0)) return options.bones;
  return static_cast<size_t>(
      std::clamp(std::round(length / options.spacing), 1.0f, static_cast<float>(kMaxBonesOfChain)));
}

void check(const Garment& garment, const ChainOptions& options) {
  const auto expect = [&](bool good, const std::string& expected, const std::string& found) {
    if (!good) refuse(garment, "expected " + expected + ", found " + found);
  };
  expect(options.chains >= 1 && options.chains <= kMaxChains, "1 to 1000 chains",
         std::to_string(options.chains));
  expect(options.spacing >= 0 && std::isfinite(options.spacing), "a spacing of 0 or more",
         std::to_string(options.spacing));
  expect(options.spacing > 0 || (options.bones >= 1 && options.bones <= kMaxBonesOfChain),
         "1 to 1000 bones per chain", std::to_string(options.bones));
  expect(options.margin >= 0 && options.margin < 0.5f, "a margin from 0 to less than 0.5",
         std::to_string(options.margin));
}

// Adds a bone halfway between neighbouring roots. `reversed`: chains are in the opposite order of the seam.
void add_root_midpoints(Garment& garment, const Tracer& tracer, std::vector<double> shares, bool closed,
                        bool reversed = false) {
  if (reversed)
    for (double& share : shares) share = 1 - share;
  for (size_t c = 0; c + (closed ? 0 : 1) < shares.size() && shares.size() > 1; ++c) {
    double next = shares[(c + 1) % shares.size()];
    if (next <= shares[c]) next += 1;
    const double middle = std::fmod(0.5 * (shares[c] + next), 1.0);
    garment.bones.push_back(tracer.root(reversed ? 1 - middle : middle));
  }
}

// Order of roots along the seam: increasing (1), decreasing (-1) or neither (0). On a closed seam they may
// wrap once.
int direction_of(const std::vector<double>& shares, bool closed) {
  size_t up = 0, down = 0;
  for (size_t c = 0; c + (closed ? 0 : 1) < shares.size(); ++c)
    ++(shares[(c + 1) % shares.size()] > shares[c] ? up : down);
  const size_t wraps = closed ? 1 : 0;
  return down <= wraps ? 1 : up <= wraps ? -1 : 0;
}

// Adds the midpoints and sets `closed` if all roots are on the seam.
std::vector<std::string> add_root_midpoints_by_hand(Garment& garment,
                                                    const std::vector<std::vector<uint32_t>>& by_hand) {
  FreeCloth cloth;
  try {
    cloth = find_free_cloth(garment);
  } catch (const std::invalid_argument& e) {
    return {std::string("no bones between the roots: ") + e.what()};
  }
  const std::vector<double> distances = shares_along(garment, cloth.seam, cloth.closed);
  std::vector<double> shares;
  for (const auto& vertices : by_hand) {
    const auto embedding = std::find(cloth.seam.begin(), cloth.seam.end(), vertices[0]);
    if (embedding == cloth.seam.end())
      return {"no bones between the roots: vertex " + std::to_string(vertices[0]) + " is not on the seam"};
    shares.push_back(distances[static_cast<size_t>(embedding - cloth.seam.begin())]);
  }
  garment.closed = cloth.closed && by_hand.size() > 2;
  const int order = direction_of(shares, garment.closed);
  if (order == 0) refuse(garment, "expected chains in their order along the seam");
  add_root_midpoints(garment, Tracer(garment, cloth), shares, garment.closed, order < 0);
  return {};
}

void check_by_hand(const Garment& garment, const std::vector<std::vector<uint32_t>>& chains) {
  constexpr float kDetour = 1.6f;
  std::vector<bool> attached(garment.size(), false), used(garment.size(), false);
  for (const Attachment& a : garment.attachments) attached[a.vertex] = true;
  for (size_t c = 0; c < chains.size(); ++c) {
    const std::string where = "chain " + std::to_string(c + 1) + ": ";
    if (chains[c].size() < 2 || chains[c].size() > kMaxBonesOfChain)
      refuse(garment, where + "expected 2 to 1000 vertices, found " + std::to_string(chains[c].size()));
    for (const uint32_t v : chains[c]) {
      if (v >= garment.size())
        refuse(garment, where + "expected vertices below " + std::to_string(garment.size()) + ", found " +
                            std::to_string(v));
      if (used[v]) refuse(garment, where + "vertex " + std::to_string(v) + " has a bone already");
      used[v] = true;
    }
    if (!attached[chains[c][0]])
      refuse(garment,
             where + "expected its first vertex, " + std::to_string(chains[c][0]) + ", to be attached");
    for (size_t i = 1; i < chains[c].size(); ++i) {
      const uint32_t from = chains[c][i - 1], to = chains[c][i];
      const float straight = length(garment.shape[to] - garment.shape[from]);
      const float along_cloth = geodesic_distances(garment.shape, garment.triangles, std::span(&from, 1),
                                                   kDetour * straight + 0.005f)[to];
      if (!std::isfinite(along_cloth))
        refuse(garment, where + "from vertex " + std::to_string(from) + " to " + std::to_string(to) +
                            " it is " + std::to_string(straight) +
                            " m straight and more than 1.6 times that along the cloth: " +
                            "there is a hole or a slit between them");
    }
  }
}

}  // namespace

std::vector<std::string> layout_chains(Garment& garment, const ChainOptions& options) {
  check(garment, options);
  const FreeCloth cloth = find_free_cloth(garment);
  const Tracer tracer(garment, cloth);
  std::vector<std::string> notes = cloth.notes;
  garment.bones.clear();
  garment.chains.clear();
  garment.closed = cloth.closed && options.chains > 2;
  const std::vector<double> shares = root_shares(options, cloth.closed);
  for (size_t c = 0; c < shares.size(); ++c) {
    const LevelLine line = tracer.line(shares[c]);
    const size_t count = bones_of(options, line.distances.back());
    std::vector<uint32_t> chain;
    for (const Embedding& bone : evenly_spaced(line, count, garment.shape)) {
      chain.push_back(static_cast<uint32_t>(garment.bones.size()));
      garment.bones.push_back(bone);
    }
    garment.chains.push_back(std::move(chain));
    if (line.jumps > 0)
      notes.push_back("chain " + std::to_string(c + 1) +
                      (line.reaches_hem ? " passes over a hole" : " ends at a border that is not the hem"));
  }
  add_root_midpoints(garment, tracer, shares, garment.closed);
  return notes;
}

std::vector<std::string> layout_chains(Garment& garment, const std::vector<std::vector<uint32_t>>& by_hand) {
  if (by_hand.empty() || by_hand.size() > kMaxChains)
    refuse(garment, "expected 1 to 1000 chains, found " + std::to_string(by_hand.size()));
  check_by_hand(garment, by_hand);
  garment.bones.clear();
  garment.chains.clear();
  garment.closed = false;
  // One triangle per vertex, rotated so that the vertex comes first.
  std::vector<std::array<uint32_t, 3>> corner_of(garment.size());
  for (const Triangle& t : garment.triangles)
    for (size_t k = 0; k < 3; ++k) corner_of[t[k]] = {t[k], t[(k + 1) % 3], t[(k + 2) % 3]};
  for (const auto& vertices : by_hand) {
    std::vector<uint32_t> chain;
    for (const uint32_t v : vertices) {
      chain.push_back(static_cast<uint32_t>(garment.bones.size()));
      garment.bones.push_back({corner_of[v], {1, 0, 0}});
    }
    garment.chains.push_back(std::move(chain));
  }
  return add_root_midpoints_by_hand(garment, by_hand);
}

}  // namespace billow::garment
