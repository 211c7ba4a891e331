#include "cloth/sheet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace billow::cloth {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument("cloth: " + message); }

// An edge with the geometry of its one or two triangles.
struct Side {
  uint32_t opposite = 0;
  double area = 0;
  double cot_a = 0, cot_b = 0;  // cotangents of the angles at the edge's ends
};
struct Hinge {
  double length = 0;
  int sides = 0;
  Side side[2];
};
using Hinges = std::map<std::array<uint32_t, 2>, Hinge>;

double heron_area(double a, double b, double c) {
  const double s = 0.5 * (a + b + c);
  return std::sqrt(std::max(0.0, s * (s - a) * (s - b) * (s - c)));
}

Hinges find_hinges(std::span<const V3> unstretched, std::span<const Triangle> triangles,
                   std::vector<double>& areas) {
  const size_t vertices = unstretched.size();
  Hinges hinges;
  areas.assign(vertices, 0);
  for (size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& v = triangles[t];
    double l[3];  // length of the edge opposite each corner
    for (const uint32_t corner : v)
      if (corner >= vertices)
        fail("triangle " + std::to_string(t) + ": expected vertices below " + std::to_string(vertices) +
             ", found " + std::to_string(corner));
    for (size_t k = 0; k < 3; ++k)
      l[k] = static_cast<double>(length(unstretched[v[(k + 1) % 3]] - unstretched[v[(k + 2) % 3]]));
    const double area = heron_area(l[0], l[1], l[2]);
    if (!(area > 1e-12)) fail("triangle " + std::to_string(t) + ": expected a positive area, found 0");
    double cot[3];
    for (size_t k = 0; k < 3; ++k) {
      const double a = l[k], b = l[(k + 1) % 3], c = l[(k + 2) % 3];
      cot[k] = (b * b + c * c - a * a) / (4 * area);
      areas[v[k]] += area / 3;
    }
    for (size_t k = 0; k < 3; ++k) {
      const size_t i = (k + 1) % 3, j = (k + 2) % 3;
      const bool swapped = v[i] > v[j];
      Hinge& h = hinges[{std::min(v[i], v[j]), std::max(v[i], v[j])}];
      if (h.sides == 2)
        fail("triangle " + std::to_string(t) + ": expected edges of at most two triangles, found three");
      h.length = l[k];
      h.side[h.sides++] = {v[k], area, swapped ? cot[j] : cot[i], swapped ? cot[i] : cot[j]};
    }
  }
  return hinges;
}

// Greedy graph colouring: each edge goes into the first group that does not contain its vertices yet.
void group_edges(Sheet& sheet, const std::vector<StretchEdge>& edges) {
  std::vector<std::vector<StretchEdge>> groups;
  std::vector<uint64_t> used(sheet.size(), 0);  // bit mask of the groups of each vertex
  for (const StretchEdge& e : edges) {
    const uint64_t occupied = used[e.a] | used[e.b];
    size_t group = 0;
    while (group < 64 && occupied >> group & 1) ++group;
    if (group == 64) fail("vertex " + std::to_string(e.a) + ": expected fewer edges");
    if (group >= groups.size()) groups.resize(group + 1);
    groups[group].push_back(e);
    used[e.a] |= uint64_t{1} << group;
    used[e.b] |= uint64_t{1} << group;
  }
  for (const auto& group : groups) {
    sheet.group_start.push_back(static_cast<uint32_t>(sheet.edges.size()));
    sheet.edges.insert(sheet.edges.end(), group.begin(), group.end());
  }
  sheet.group_start.push_back(static_cast<uint32_t>(sheet.edges.size()));
}

// The energy of a hinge is 1/2 stiffness |sum of weight[i] * x[vertex[i]]|^2.
struct HingeBending {
  std::array<uint32_t, 4> vertex;
  std::array<double, 4> weight;
  double stiffness;
};

HingeBending bending_of(const std::array<uint32_t, 2>& ends, const Hinge& h, float bending) {
  const Side &a = h.side[0], &b = h.side[1];
  return {{ends[0], ends[1], a.opposite, b.opposite},
          {a.cot_b + b.cot_b, a.cot_a + b.cot_a, -a.cot_a - a.cot_b, -b.cot_a - b.cot_b},
          // Without Bergou's factor 3, which is too stiff on inextensible sheets (docs/findings.md, 8).
          static_cast<double>(bending) / (a.area + b.area)};
}

// Hinges across slivers would need steps of nanoseconds: their cotangents grow without limit. By Gershgorin's theorem no
// squared frequency of the sheet is above the largest of its vertices' sums. Hinges are softened where these are beyond a
// multiple of the median that no regular mesh reaches. Returns their number.
size_t soften_slivers(std::vector<HingeBending>& bending, std::span<const float> mass) {
  constexpr double kMost = 2.25;  // medians
  const auto share_of = [&](const HingeBending& b, size_t i) {
    return std::fabs(b.weight[i]) / std::sqrt(static_cast<double>(mass[b.vertex[i]]));
  };
  std::vector<double> squared(mass.size(), 0);
  for (const HingeBending& b : bending) {
    double sum = 0;
    for (size_t i = 0; i < 4; ++i) sum += share_of(b, i);
    for (size_t i = 0; i < 4; ++i) squared[b.vertex[i]] += b.stiffness * share_of(b, i) * sum;
  }
  std::vector<double> sorted = squared;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  size_t softened = 0;
  for (HingeBending& b : bending) {
    double most = 0;
    for (const uint32_t v : b.vertex) most = std::max(most, squared[v]);
    if (most <= kMost * *middle) continue;
    b.stiffness *= kMost * *middle / most;
    ++softened;
  }
  return softened;
}

// Assembles the bending matrix from all hinges.
void add_bending(Sheet& sheet, const Hinges& hinges) {
  std::vector<HingeBending> bending;
  for (const auto& [ends, h] : hinges)
    if (h.sides == 2) bending.push_back(bending_of(ends, h, sheet.material.bending));
  sheet.softened_hinges = soften_slivers(bending, sheet.mass);
  std::vector<std::map<uint32_t, double>> rows(sheet.size());
  for (const HingeBending& b : bending)
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 4; ++j)
        rows[b.vertex[i]][b.vertex[j]] += b.stiffness * b.weight[i] * b.weight[j];
  for (const auto& row : rows) {
    sheet.row_start.push_back(static_cast<uint32_t>(sheet.column.size()));
    for (const auto& [column, value] : row) {
      sheet.column.push_back(column);
      sheet.value.push_back(static_cast<float>(value));
    }
  }
  sheet.row_start.push_back(static_cast<uint32_t>(sheet.column.size()));
}

// Stability limit of explicit integration: 2 / omega, less with damping, where omega is the highest bending
// frequency (by power iteration).
float max_stable_step(const Sheet& sheet) {
  constexpr int kRounds = 40;
  constexpr double kSafety = 0.8;
  std::vector<double> u(sheet.size()), next(sheet.size());
  for (size_t v = 0; v < u.size(); ++v) u[v] = v % 2 == 0 ? 1 + 0.1 * static_cast<double>(v % 7) : -1;
  double eigenvalue = 0;
  for (int round = 0; round < kRounds; ++round) {
    double before = 0, after = 0;
    for (size_t v = 0; v < u.size(); ++v) {
      double sum = 0;
      for (uint32_t k = sheet.row_start[v]; k < sheet.row_start[v + 1]; ++k)
        sum += static_cast<double>(sheet.value[k]) * u[sheet.column[k]];
      next[v] = sum / static_cast<double>(sheet.mass[v]);
      before += u[v] * u[v], after += next[v] * next[v];
    }
    if (!(after > 0)) break;
    eigenvalue = std::sqrt(after / before);
    for (size_t v = 0; v < u.size(); ++v) u[v] = next[v] / std::sqrt(after);
  }
  const double omega = std::sqrt(eigenvalue),
               damped = 0.5 * static_cast<double>(sheet.material.damping) * omega;
  return omega > 0 ? static_cast<float>(kSafety * 2 / omega * (std::sqrt(1 + damped * damped) - damped)) : 1;
}

// Moves connected components far apart.
std::vector<V3> rest_positions(std::span<const V3> unstretched, std::span<const Triangle> triangles) {
  constexpr float kPieceOffset = 100;  // m
  std::vector<uint32_t> piece(unstretched.size());
  for (uint32_t v = 0; v < piece.size(); ++v) piece[v] = v;
  const auto first = [&](uint32_t v) {
    while (piece[v] != v) v = piece[v] = piece[piece[v]];
    return v;
  };
  for (const Triangle& t : triangles)
    for (const uint32_t v : t) {
      const uint32_t a = first(t[0]), b = first(v);
      piece[std::max(a, b)] = std::min(a, b);
    }
  std::vector<V3> positions(unstretched.begin(), unstretched.end());
  std::map<uint32_t, size_t> piece_index;
  for (uint32_t v = 0; v < piece.size(); ++v) {
    const size_t index = piece_index.emplace(first(v), piece_index.size()).first->second;
    positions[v].x += kPieceOffset * static_cast<float>(index);
  }
  return positions;
}

}  // namespace

const std::vector<std::string>& material_names() {
  static const std::vector<std::string> names{"cotton", "wool", "silk"};
  return names;
}

Material material_named(std::string_view name) {
  Material m;
  if (name == "cotton") return m;
  if (name == "wool") {
    m.density = 0.25f, m.stretch = 3000, m.bending = 1.4e-5f, m.thickness = 0.005f, m.friction = 0.4f;
    return m;
  }
  if (name == "silk") {
    m.density = 0.08f, m.stretch = 3000, m.bending = 4.0e-6f, m.thickness = 0.003f, m.friction = 0.2f;
    m.self_friction = 0.2f;
    return m;
  }
  throw std::invalid_argument("material: expected cotton, wool or silk, found '" + std::string(name) + "'");
}

Sheet make_sheet(std::span<const V3> unstretched, std::span<const Triangle> triangles,
                 const Material& material) {
  Sheet sheet;
  sheet.material = material;
  sheet.triangles.assign(triangles.begin(), triangles.end());
  std::vector<double> areas;
  const Hinges hinges = find_hinges(unstretched, triangles, areas);
  sheet.rest_position = rest_positions(unstretched, triangles);
  for (const double a : areas)
    sheet.mass.push_back(static_cast<float>(static_cast<double>(material.density) * a));
  std::vector<StretchEdge> edges;
  double sum = 0;
  for (const auto& [ends, h] : hinges) {
    const double area = h.side[0].area + (h.sides == 2 ? h.side[1].area : 0);
    const double stiffness = static_cast<double>(material.stretch) * area / (h.length * h.length);
    edges.push_back({ends[0], ends[1], static_cast<float>(h.length), static_cast<float>(1 / stiffness)});
    sum += h.length;
  }
  sheet.spacing = static_cast<float>(sum / static_cast<double>(edges.size()));
  group_edges(sheet, edges);
  add_bending(sheet, hinges);
  sheet.max_step = max_stable_step(sheet);
  return sheet;
}

}  // namespace billow::cloth
