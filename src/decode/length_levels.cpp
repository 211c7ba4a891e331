#include "decode/length_levels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "decode/point_pairs.h"

namespace billow {
namespace {

constexpr float kGrowth = 2;              // of the spacing from level to level
constexpr float kCoarsestSpacing = 0.1f;  // m: levels end with the first one beyond it
constexpr float kPairReach = 1.75f, kParentReach = 1.6f, kApart = 0.95f;  // times the spacing
constexpr int kMaxDepthSweeps = 256;                                      // back and forth
constexpr uint32_t kMaxPairsPerNode = 8;
constexpr uint32_t kMaxPairsPerTriangle = 6;  // edges and hinges
constexpr uint32_t kColours = 64, kChunk = 1024, kCoarseChunk = 128;
constexpr float kShortestHinge = 0.95f;  // of the flat distance of two vertices opposite an edge

// How short cloth becomes over a distance of the pattern, by folds: along the direction from attachments to hem, and across
// it. Chosen by trial, so that a skirt and a cape in captured motion fold as the reference does.
constexpr float kShortestAlong = 0.995f;
float shortest_across(float distance) {
  constexpr float kHalf = 0.135f;  // m: half the length
  const float t = distance / kHalf;
  return 1 / (1 + t * t);
}

struct Pair {
  uint32_t a, b;
  float longest, shortest, first_share;
};

// Memory of the search, apart from the levels themselves.
struct Workspace {
  Pair* pairs = nullptr;
  uint32_t pair_count = 0;
  uint64_t* colours = nullptr;  // per node: those that its pairs have
  UnfoldScratch unfold;
  uint32_t* node_of = nullptr;  // per vertex: its node of the level below, or kNone
  uint32_t* coarse_of = nullptr;
  uint8_t* covered = nullptr;
  uint8_t *border = nullptr, *attached = nullptr;
  float* depth = nullptr;  // m on the cloth from the attachments
};
constexpr uint32_t kNone = ~0u;

uint32_t most_pairs(uint32_t vertices, uint32_t triangles) {
  return std::max(kMaxPairsPerTriangle * triangles, kMaxPairsPerNode * vertices);
}

Workspace take_workspace(uint32_t vertices, uint32_t triangles, Arena& arena) {
  Workspace w;
  w.pairs = arena.take<Pair>(most_pairs(vertices, triangles));
  w.colours = arena.take<uint64_t>(vertices);
  w.unfold = take_unfold_scratch(vertices, triangles, arena);
  w.node_of = arena.take<uint32_t>(vertices), w.coarse_of = arena.take<uint32_t>(vertices);
  w.covered = arena.take<uint8_t>(vertices), w.border = arena.take<uint8_t>(vertices);
  w.attached = arena.take<uint8_t>(vertices);
  w.depth = arena.take<float>(vertices);
  return w;
}

LengthPairs take_pairs(uint32_t pairs, uint32_t chunk, Arena& arena) {
  LengthPairs out;
  out.groups = pairs / kPairGroup + (pairs / chunk + 1) * kColours;  // each colour of a chunk is padded
  out.ends = arena.take<uint32_t>(2 * kPairGroup * size_t{out.groups});
  out.bounds = arena.take<float>(3 * kPairGroup * size_t{out.groups});
  return out;
}

class Search {
 public:
  Search(const LengthMesh& mesh, const Workspace& work) : m_(mesh), w_(work), unfolding_(mesh, work.unfold) {
    for (uint32_t v = 0; v < m_.vertices; ++v) w_.border[v] = on_border(v);
    std::fill_n(w_.attached, m_.vertices, uint8_t{0});
    for (const uint32_t v : m_.attached) w_.attached[v] = 1;
  }

  // Level 0: edges, as long as on the pattern, and hinges, the two vertices opposite an edge, which resist sharp folds.
  // Returns the mean length of edges.
  float find_edges_and_hinges() {
    w_.pair_count = 0;
    double sum = 0, edges = 0;
    for (uint32_t v = 0; v < m_.vertices; ++v) {
      const Around fan = unfolding_.fan_of(v);
      for_each_neighbour(fan, [&](uint32_t i) {
        const uint32_t other = fan.edges[i];
        if (other <= v) return;
        const float length = unfolding_.length_of(v, other);
        add_pair(v, other, {v, other, length, length, 0});
        sum += static_cast<double>(length), ++edges;
      });
      for (uint32_t t = 0; t < fan.count; ++t) {
        const uint32_t b = fan.edges[2 * t], c = fan.edges[2 * t + 1], other = across(b, c);
        if (other == kNone || other <= v) continue;
        const Unfolding::Corner one = unfolding_.corner(b, c, v), two = unfolding_.corner(b, c, other);
        const float along = one.along - two.along, apart = one.height + two.height,
                    flat = std::sqrt(along * along + apart * apart);
        add_pair(v, other, {v, other, flat, kShortestHinge * flat, 0});
      }
    }
    return edges > 0 ? static_cast<float>(sum / edges) : 0;
  }

  // The way from the attachments along edges and hinges, by sweeps back and forth over them. Only a strip in a confused order
  // needs as many as are allowed; its depth is then too large far away.
  void find_depth() {
    std::fill_n(w_.depth, m_.vertices, kFar);
    for (const uint32_t v : m_.attached) w_.depth[v] = 0;
    const auto relax = [&](const Pair& p) {
      float &a = w_.depth[p.a], &b = w_.depth[p.b];
      const bool shorter = a + p.longest < b || b + p.longest < a;
      b = std::min(b, a + p.longest), a = std::min(a, b + p.longest);
      return shorter;
    };
    bool changed = true;
    for (int k = 0; k < kMaxDepthSweeps && changed; ++k) {
      changed = false;
      for (uint32_t p = 0; p < w_.pair_count; ++p) changed |= relax(w_.pairs[p]);
      for (uint32_t p = w_.pair_count; p-- > 0;) changed |= relax(w_.pairs[p]);
    }
  }

  void find_fairing(float spacing, Fairing& out) {
    billow::find_fairing(m_, {w_.depth, w_.attached, spacing}, unfolding_, out);
  }

  // Nodes of the level above `fine`, at least the spacing apart, those on the border first. Returns their number.
  uint32_t choose_nodes(const LengthLevel& fine, float spacing, uint32_t* vertices) {
    std::fill_n(w_.covered, m_.vertices, uint8_t{0});
    std::fill_n(w_.coarse_of, m_.vertices, kNone);
    uint32_t count = 0;
    for (const bool border : {true, false})
      for (uint32_t k = 0; k < fine.nodes; ++k) {
        const uint32_t v = fine.vertex ? fine.vertex[k] : k;
        if (w_.covered[v] || (w_.border[v] != 0) != border) continue;
        w_.coarse_of[v] = count;
        vertices[count++] = v;
        unfolding_.around_vertex(v, kApart * spacing,
                                 [&](uint32_t near, float, float, float) { w_.covered[near] = 1; });
      }
    return count;
  }

  // Pairs of the nodes `coarse`, and the parents that `fine` has among them.
  void relate(LengthLevel& fine, const LengthLevel& coarse, float spacing) {
    std::fill_n(w_.node_of, m_.vertices, kNone);
    for (uint32_t k = 0; k < fine.nodes; ++k) w_.node_of[fine.vertex ? fine.vertex[k] : k] = k;
    std::fill_n(fine.parents, kLengthParents * size_t{fine.nodes}, 0u);
    std::fill_n(fine.shares, kLengthParents * size_t{fine.nodes}, 0.0f);
    w_.pair_count = 0;
    for (uint32_t k = 0; k < coarse.nodes; ++k) {
      const uint32_t v = coarse.vertex[k];
      uint32_t pairs = 0;
      unfolding_.around_vertex(v, kPairReach * spacing, [&](uint32_t near, float, float, float distance) {
        const uint32_t other = w_.coarse_of[near];
        if (other != kNone && other > k && pairs < kMaxPairsPerNode) {
          add_pair(v, near, {k, other, distance, shortest(v, near, distance), 0});
          ++pairs;
        }
        const float reach = kParentReach * spacing, t = 1 - distance * distance / (reach * reach);
        if (w_.node_of[near] != kNone && t > 0) add_parent(fine, w_.node_of[near], k, t * t);
      });
    }
    for (uint32_t k = 0; k < fine.nodes; ++k) {
      float* shares = fine.shares + kLengthParents * size_t{k};
      float sum = 0;
      for (int p = 0; p < kLengthParents; ++p) sum += shares[p];
      const bool attached = w_.attached[fine.vertex ? fine.vertex[k] : k];
      for (int p = 0; p < kLengthParents && sum > 0; ++p) shares[p] = attached ? 0 : shares[p] / sum;
    }
  }

  // Writes the pairs found last in chunks, from the attachments outwards: a sweep then carries a correction from chunk to
  // chunk to the hem, and the next one back. In a chunk, pairs are coloured so that no two of a colour share a node, and stand
  // colour by colour. A pair of a node that has all colours already is left out; no cloth has such a node.
  void write_pairs(const LengthLevel& level, LengthPairs& out) {
    sort_by_depth(level);
    std::fill_n(w_.colours, level.nodes, uint64_t{0});
    out.groups = 0;
    const uint32_t chunk = level.vertex ? kCoarseChunk : kChunk;
    for (uint32_t first = 0; first < w_.pair_count; first += chunk)
      write_chunk({w_.pairs + first, std::min(chunk, w_.pair_count - first)}, level.nodes, out);
  }

 private:
  static constexpr float kFar = 1e6f;

  bool on_border(uint32_t v) const {
    const Around fan = unfolding_.fan_of(v);
    uint32_t neighbours = 0;
    for_each_neighbour(fan, [&](uint32_t) { ++neighbours; });
    return neighbours != fan.count;
  }

  // Nodes `a` and `b` are these vertices. Two that are attached cannot move.
  void add_pair(uint32_t a, uint32_t b, Pair pair) {
    const int mobile = !w_.attached[a] + !w_.attached[b];
    if (!(pair.longest > 0) || mobile == 0 || w_.pair_count == most_pairs(m_.vertices, m_.triangles)) return;
    pair.first_share = w_.attached[a] ? 0 : 1.0f / static_cast<float>(mobile);
    w_.pairs[w_.pair_count++] = pair;
  }

  // The vertex beyond the edge b c of a triangle with this edge, counter-clockwise.
  uint32_t across(uint32_t b, uint32_t c) const {
    const Around fan = unfolding_.fan_of(b);
    for (uint32_t t = 0; t < fan.count; ++t)
      if (fan.edges[2 * t + 1] == c) return fan.edges[2 * t];
    return kNone;
  }

  void sort_by_depth(const LengthLevel& level) {
    const auto depth = [&](uint32_t node) { return w_.depth[level.vertex ? level.vertex[node] : node]; };
    const auto key = [&](const Pair& p) { return std::tuple(std::min(depth(p.a), depth(p.b)), p.a, p.b); };
    std::sort(w_.pairs, w_.pairs + w_.pair_count,
              [&](const Pair& p, const Pair& q) { return key(p) < key(q); });
  }

  void write_chunk(std::span<const Pair> pairs, uint32_t nodes, LengthPairs& out) {
    uint8_t colours[kChunk];
    uint32_t next[kColours] = {};  // first the number of pairs of a colour, then where its next one goes
    for (size_t k = 0; k < pairs.size(); ++k) {
      uint64_t &a = w_.colours[pairs[k].a], &b = w_.colours[pairs[k].b];
      const int colour = std::countr_one(a | b);
      colours[k] = static_cast<uint8_t>(colour);
      if (colour == kColours) continue;
      a |= uint64_t{1} << colour, b |= uint64_t{1} << colour;
      ++next[colour];
    }
    const uint32_t first = out.groups;
    for (uint32_t& n : next) {
      const uint32_t groups = (n + kPairGroup - 1) / kPairGroup;
      n = out.groups * kPairGroup;
      out.groups += groups;
    }
    const size_t begin = 2 * kPairGroup * size_t{first}, values = 2 * kPairGroup * size_t{out.groups - first};
    std::fill_n(out.ends + begin, values, kPointBytes * nodes);
    std::fill_n(out.bounds + begin / 2 * 3, values / 2 * 3, 0.0f);
    for (size_t k = 0; k < pairs.size(); ++k) {
      const Pair& p = pairs[k];
      w_.colours[p.a] = w_.colours[p.b] = 0;
      if (colours[k] == kColours) continue;
      const uint32_t at = next[colours[k]]++, lane = at % kPairGroup;
      uint32_t* ends = out.ends + 2 * size_t{at - lane} + lane;
      float* bounds = out.bounds + 3 * size_t{at - lane} + lane;
      ends[0] = kPointBytes * p.a, ends[kPairGroup] = kPointBytes * p.b;
      bounds[0] = p.longest, bounds[kPairGroup] = p.shortest, bounds[2 * kPairGroup] = p.first_share;
    }
  }

  float shortest(uint32_t a, uint32_t b, float distance) const {
    const float t = std::min(1.0f, std::abs(w_.depth[a] - w_.depth[b]) / distance);
    const float across = shortest_across(distance);
    return distance * (across + (std::max(across, kShortestAlong) - across) * t * t);
  }

  static void add_parent(LengthLevel& fine, uint32_t node, uint32_t parent, float share) {
    uint32_t* parents = fine.parents + kLengthParents * size_t{node};
    float* shares = fine.shares + kLengthParents * size_t{node};
    const auto least = std::min_element(shares, shares + kLengthParents) - shares;
    if (share > shares[least]) parents[least] = parent, shares[least] = share;
  }

  const LengthMesh& m_;
  Workspace w_;
  Unfolding unfolding_;
};

// Memory for levels of the most nodes and pairs that there can be, and the workspace. A level has at most half the nodes of the
// one below.
LengthLevels take_levels(uint32_t vertices, uint32_t triangles, Arena& arena, Workspace& work) {
  LengthLevels out;
  uint32_t nodes = vertices;
  for (int l = 0; l < kMaxLengthLevels; ++l, nodes /= 2) {
    LengthLevel& level = out.level[l];
    level.pairs = l == 0 ? take_pairs(kMaxPairsPerTriangle * triangles, kChunk, arena)
                         : take_pairs(kMaxPairsPerNode * nodes, kCoarseChunk, arena);
    if (l > 0) level.vertex = arena.take<uint32_t>(l == 1 ? vertices : 2 * nodes);
    level.parents = arena.take<uint32_t>(kLengthParents * size_t{nodes});
    level.shares = arena.take<float>(kLengthParents * size_t{nodes});
  }
  out.fairing = take_fairing(vertices, arena);
  work = take_workspace(vertices, triangles, arena);
  return out;
}

}  // namespace

LengthLevels find_length_levels(const LengthMesh& mesh, Arena& scratch) {
  Workspace work;
  LengthLevels out = take_levels(mesh.vertices, mesh.triangles, scratch, work);
  if (!work.pairs) return out;
  Search search(mesh, work);
  out.level[0].nodes = mesh.vertices;
  float spacing = search.find_edges_and_hinges();
  if (!(spacing > 0)) return out;
  search.find_depth();
  search.write_pairs(out.level[0], out.level[0].pairs);
  search.find_fairing(spacing, out.fairing);
  out.count = 1;
  while (out.count < kMaxLengthLevels && spacing < kCoarsestSpacing) {
    LengthLevel &fine = out.level[out.count - 1], &coarse = out.level[out.count];
    spacing *= kGrowth;
    coarse.nodes = search.choose_nodes(fine, spacing, coarse.vertex);
    if (coarse.nodes > fine.nodes / 2) break;
    search.relate(fine, coarse, spacing);
    search.write_pairs(coarse, coarse.pairs);
    ++out.count;
  }
  return out;
}

LengthLevels copy_of(const LengthLevels& levels, Arena& arena) {
  LengthLevels out = levels;
  out.fairing = copy_of(levels.fairing, arena);
  for (int l = 0; l < levels.count; ++l) {
    const LengthLevel& from = levels.level[l];
    LengthLevel& to = out.level[l];
    const size_t pairs = kPairGroup * size_t{from.pairs.groups},
                 parents = l + 1 < levels.count ? kLengthParents * size_t{from.nodes} : 0;
    to.vertex = l > 0 ? arena.copied(from.vertex, from.nodes) : nullptr;
    to.pairs.ends = arena.copied(from.pairs.ends, 2 * pairs);
    to.pairs.bounds = arena.copied(from.pairs.bounds, 3 * pairs);
    to.parents = arena.copied(from.parents, parents);
    to.shares = arena.copied(from.shares, parents);
  }
  return out;
}

}  // namespace billow
