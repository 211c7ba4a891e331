#include "garment/seam.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "garment/cloth_mesh.h"

namespace billow::garment {
namespace {

constexpr float kMaxGap = 0.25f;        // of the border's length: with smaller gaps a seam is closed
constexpr float kMinHemSlope = 0.6f;    // slope of the distance across a border above which it is hem
constexpr float kMaxSecondHem = 0.35f;  // of the first hem's length: a longer second hem is refused

constexpr const char* kNoHem =
    "found no hem: no free border of the cloth faces away from the seam. A cloth modelled with thickness, "
    "outside and "
    "inside, has none: use one layer";

std::vector<bool> attached_of(const Garment& garment) {
  std::vector<bool> attached(garment.size(), false);
  for (const Attachment& a : garment.attachments) attached[a.vertex] = true;
  if (garment.attachments.empty()) refuse(garment, "expected attached vertices, found none");
  return attached;
}

// Refuses components without attachments: they would fall off.
void expect_attached_pieces(const Garment& garment, const std::vector<bool>& attached) {
  const ClothTopology topology = topology_of(garment.size(), garment.triangles);
  std::vector<bool> piece_attached(topology.pieces, false), used(garment.size(), false);
  std::vector<uint32_t> first(topology.pieces, 0);
  for (size_t t = garment.triangles.size(); t-- > 0;) {
    first[topology.piece[t]] = garment.triangles[t][0];
    for (const uint32_t v : garment.triangles[t]) {
      used[v] = true;
      if (attached[v]) piece_attached[topology.piece[t]] = true;
    }
  }
  for (size_t v = 0; v < used.size(); ++v)
    if (!used[v]) refuse(garment, "vertex " + std::to_string(v) + " is in no triangle");
  for (size_t p = 0; p < piece_attached.size(); ++p)
    if (!piece_attached[p])
      refuse(garment, "expected all pieces to be attached, found that of vertex " + std::to_string(first[p]) +
                          " without attachments; there are " + std::to_string(topology.pieces) + " pieces");
}

// Connected components of free triangles that have an attached vertex, by decreasing area.
struct Piece {
  std::vector<Triangle> triangles;
  double area = 0;
};
std::vector<Piece> free_pieces(const Garment& garment, const std::vector<bool>& attached,
                               const std::vector<bool>& cut) {
  std::vector<Triangle> triangles;
  for (const Triangle& t : garment.triangles)
    if (!attached[t[0]] || !attached[t[1]] || !attached[t[2]]) triangles.push_back(t);
  const ClothTopology topology = topology_of(garment.size(), triangles, cut);
  std::vector<Piece> pieces(topology.pieces);
  for (size_t i = 0; i < triangles.size(); ++i) {
    const Triangle& t = triangles[i];
    Piece& piece = pieces[topology.piece[i]];
    piece.triangles.push_back(t);
    piece.area += 0.5 * static_cast<double>(length(cross(garment.shape[t[1]] - garment.shape[t[0]],
                                                         garment.shape[t[2]] - garment.shape[t[0]])));
  }
  std::erase_if(pieces, [&](const Piece& piece) {
    return std::none_of(piece.triangles.begin(), piece.triangles.end(), [&](const Triangle& t) {
      return attached[t[0]] || attached[t[1]] || attached[t[2]];
    });
  });
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const Piece& a, const Piece& b) { return a.area > b.area; });
  return pieces;
}

float border_length(const Garment& garment, const std::vector<uint32_t>& loop) {
  float sum = 0;
  for (size_t i = 0; i < loop.size(); ++i)
    sum += length(garment.shape[loop[(i + 1) % loop.size()]] - garment.shape[loop[i]]);
  return sum;
}

// Attached length of a loop; an edge with one attached end counts half.
float attached_length(const Garment& garment, const std::vector<uint32_t>& loop,
                      const std::vector<bool>& attached) {
  float sum = 0;
  for (size_t i = 0; i < loop.size(); ++i) {
    const uint32_t a = loop[i], b = loop[(i + 1) % loop.size()];
    sum += 0.5f * static_cast<float>(attached[a] + attached[b]) * length(garment.shape[b] - garment.shape[a]);
  }
  return sum;
}

// Rotates a loop so that its longest gap without attached vertices is at the end. Returns the index of the
// last attached vertex before the gap, or the loop's size for a closed seam.
size_t rotate_to_seam(const Garment& garment, std::vector<uint32_t>& loop,
                      const std::vector<bool>& attached) {
  const size_t n = loop.size();
  size_t begin = 0;
  while (!attached[loop[begin]]) ++begin;
  std::rotate(loop.begin(), loop.begin() + static_cast<std::ptrdiff_t>(begin), loop.end());
  float longest = -1, gap = 0;
  size_t gap_begin = 0, best_begin = 0, best_end = 0;
  for (size_t i = 1; i <= n; ++i) {
    gap += length(garment.shape[loop[i % n]] - garment.shape[loop[i - 1]]);
    if (!attached[loop[i % n]]) continue;
    if (gap > longest) longest = gap, best_begin = gap_begin, best_end = i;
    gap = 0, gap_begin = i;
  }
  const bool closed = longest < kMaxGap * border_length(garment, loop);
  std::rotate(loop.begin(), loop.begin() + static_cast<std::ptrdiff_t>(best_end % n), loop.end());
  return closed ? n : (best_begin + n - best_end % n) % n;
}

// Outward slope of the distance to the seam across each border edge, keyed by the edge's vertices.
using Slopes = std::map<std::pair<uint32_t, uint32_t>, float>;
Slopes outward_slopes(const Garment& garment, const FreeCloth& cloth) {
  Slopes out;
  for (uint32_t i = 0; i < cloth.triangles.size(); ++i)
    for (size_t k = 0; k < 3; ++k) {
      if (!cloth.topology.is_border(i, k)) continue;
      const Triangle& t = cloth.triangles[i];
      const uint32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
      const V3 pa = garment.shape[a], edge = garment.shape[b] - pa, in = garment.shape[c] - pa;
      const V3 outward = edge * (dot(in, edge) / dot(edge, edge)) - in;
      const V3 g = gradient(pa, garment.shape[b], garment.shape[c], cloth.distance[a], cloth.distance[b],
                            cloth.distance[c]);
      const float size = length(outward) * length(g);
      out[{a, b}] = size > 0 ? dot(g, outward) / size : 0;
    }
  return out;
}

// Score of a border edge as hem: its length times the excess of its slope, negative below kMinHemSlope.
float hem_gain(const Garment& garment, const Slopes& slopes, uint32_t a, uint32_t b) {
  const auto slope = slopes.find({a, b});
  return (slope == slopes.end() ? 0 : slope->second - kMinHemSlope) *
         length(garment.shape[b] - garment.shape[a]);
}

// The hem of a closed garment is the border with the highest score.
void find_closed_hem(const Garment& garment, FreeCloth& cloth, const std::vector<bool>& attached) {
  const Slopes slopes = outward_slopes(garment, cloth);
  float best = 0;
  std::vector<float> gains;
  for (size_t k = 0; k < cloth.topology.borders.size(); ++k) {
    const std::vector<uint32_t>& loop = cloth.topology.borders[k];
    float gain = 0;
    for (size_t i = 0; i < loop.size(); ++i)
      gain += hem_gain(garment, slopes, loop[i], loop[(i + 1) % loop.size()]);
    // Mostly attached borders are no hems: the seam itself, and that of an inner layer.
    gains.push_back(attached_length(garment, loop, attached) > 0.5f * border_length(garment, loop) ? 0
                                                                                                   : gain);
    if (gains[k] > best) best = gains[k], cloth.hem = loop;
  }
  if (cloth.hem.empty()) refuse(garment, kNoHem);
  const auto hems =
      std::count_if(gains.begin(), gains.end(), [&](float g) { return g > kMaxSecondHem * best; });
  if (hems > 1)
    refuse(garment, "expected one hem, found " + std::to_string(hems) +
                        "; attach more, describe the parts separately, or give the chains explicitly");
}

// The hem of an open garment is the interval of the remaining border with the highest score (Kadane); the
// rest are its sides.
void find_open_hem(const Garment& garment, FreeCloth& cloth, const std::vector<uint32_t>& rest) {
  const Slopes slopes = outward_slopes(garment, cloth);
  float best = 0, sum = 0;
  size_t begin = 1, from = 0, to = 0;
  // Leave at least one edge to each side.
  for (size_t i = 1; i + 2 < rest.size(); ++i) {
    if (sum <= 0) sum = 0, begin = i;
    sum += hem_gain(garment, slopes, rest[i], rest[i + 1]);
    if (sum > best) best = sum, from = begin, to = i + 1;
  }
  if (to == 0) refuse(garment, kNoHem);
  const auto at = [&](size_t i) { return rest.begin() + static_cast<std::ptrdiff_t>(i); };
  cloth.side_after.assign(rest.begin(), at(from + 1));
  cloth.hem.assign(at(from), at(to + 1));
  cloth.side_before.assign(at(to), rest.end());
}

constexpr size_t kNoBorder = ~size_t{0};

// Selects the largest free component. Returns its border with the greatest attached length, or kNoBorder.
size_t largest_piece(const Garment& garment, const std::vector<bool>& attached, const std::vector<bool>& cut,
                     FreeCloth& cloth) {
  std::vector<Piece> pieces = free_pieces(garment, attached, cut);
  if (pieces.empty()) refuse(garment, "expected free cloth next to attached vertices, found none");
  cloth.triangles = std::move(pieces[0].triangles);
  for (size_t p = 1; p < pieces.size(); ++p)
    if (pieces[p].area > 0.01 * pieces[0].area)
      cloth.notes.push_back("a free piece of " + std::to_string(pieces[p].triangles.size()) +
                            " triangles round vertex " + std::to_string(pieces[p].triangles[0][0]) +
                            " gets no chains");
  cloth.topology = topology_of(garment.size(), cloth.triangles, cut);
  size_t border = kNoBorder;
  float best = 0;
  for (size_t k = 0; k < cloth.topology.borders.size(); ++k) {
    const float attached_here = attached_length(garment, cloth.topology.borders[k], attached);
    if (attached_here > best) best = attached_here, border = k;
  }
  return border;
}

}  // namespace

V3 gradient(V3 a, V3 b, V3 c, float at_a, float at_b, float at_c) {
  const V3 normal = cross(b - a, c - a);
  const float square = dot(normal, normal);
  if (!(square > 0)) return {0, 0, 0};
  const V3 sum = (c - b) * at_a + (a - c) * at_b + (b - a) * at_c;
  return cross(normal, sum) * (1 / square);
}

FreeCloth find_free_cloth(const Garment& garment) {
  const std::vector<bool> attached = attached_of(garment);
  expect_attached_pieces(garment, attached);
  FreeCloth cloth;
  size_t border = largest_piece(garment, attached, {}, cloth);
  // If a line inside the cloth is attached rather than a border, cut the cloth along it.
  if (border == kNoBorder) border = largest_piece(garment, attached, attached, cloth);
  if (border == kNoBorder)
    refuse(garment, "expected attached vertices along a line, found only isolated ones");

  std::vector<uint32_t> loop = cloth.topology.borders[border];
  const size_t end = rotate_to_seam(garment, loop, attached);
  cloth.closed = end == loop.size();
  cloth.seam.assign(loop.begin(), loop.begin() + static_cast<std::ptrdiff_t>(cloth.closed ? end : end + 1));
  if (cloth.seam.size() < 2) refuse(garment, "expected at least 2 attached vertices along a border, found 1");

  cloth.distance = geodesic_distances(garment.shape, cloth.triangles, cloth.seam);
  if (cloth.closed) {
    find_closed_hem(garment, cloth, attached);
  } else {
    std::vector<uint32_t> rest(loop.begin() + static_cast<std::ptrdiff_t>(end), loop.end());
    rest.push_back(loop[0]);
    find_open_hem(garment, cloth, rest);
  }
  return cloth;
}

}  // namespace billow::garment
