#include "cloth/sheet.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace billow::cloth {
namespace {

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument("cloth: " + message); }

// An edge, the triangles beside it, and what they know of it.
struct Side {
  uint32_t opposite = 0;
  double area = 0;
  double cot_a = 0, cot_b = 0;  // of the angles at the edge's ends
};
struct Hinge {
  double length = 0;
  int sides = 0;
  Side side[2];
};
using Hinges = std::map<std::array<uint32_t, 2>, Hinge>;

double flat_area(double a, double b, double c) {
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
    double l[3];  // opposite to each corner
    for (const uint32_t corner : v)
      if (corner >= vertices)
        fail("triangle " + std::to_string(t) + ": expected vertices below " + std::to_string(vertices) +
             ", found " + std::to_string(corner));
    for (size_t k = 0; k < 3; ++k)
      l[k] = static_cast<double>(length(unstretched[v[(k + 1) % 3]] - unstretched[v[(k + 2) % 3]]));
    const double area = flat_area(l[0], l[1], l[2]);
    if (!(area > 1e-12)) fail("triangle " + std::to_string(t) + ": expected an area, found none");
    double cot[3];
    for (size_t k = 0; k < 3; ++k) {
      const double a = l[k], b = l[(k + 1) % 3], c = l[(k + 2) % 3];
      cot[k] = (b * b + c * c - a * a) / (4 * area);
      areas[v[k]] += area / 3;
    }
    for (size_t k = 0; k < 3; ++k) {
      const size_t i = (k + 1) % 3, j = (k + 2) % 3;
      const bool turned = v[i] > v[j];
      Hinge& h = hinges[{std::min(v[i], v[j]), std::max(v[i], v[j])}];
      if (h.sides == 2) fail("an edge of triangle " + std::to_string(t) + " has three triangles");
      h.length = l[k];
      h.side[h.sides++] = {v[k], area, turned ? cot[j] : cot[i], turned ? cot[i] : cot[j]};
    }
  }
  return hinges;
}

// Puts each edge into the first group in which its vertices are still free.
void group_edges(Sheet& sheet, const std::vector<StretchEdge>& edges) {
  std::vector<std::vector<StretchEdge>> groups;
  std::vector<uint64_t> used(sheet.size(), 0);  // groups that a vertex is in, one bit each
  for (const StretchEdge& e : edges) {
    const uint64_t taken = used[e.a] | used[e.b];
    size_t group = 0;
    while (group < 64 && taken >> group & 1) ++group;
    if (group == 64) fail("vertex " + std::to_string(e.a) + " has too many edges");
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

// Adds up the bending energies of all hinges as one matrix.
void add_bending(Sheet& sheet, const Hinges& hinges) {
  std::vector<std::map<uint32_t, double>> rows(sheet.size());
  for (const auto& [ends, h] : hinges) {
    if (h.sides < 2) continue;
    const uint32_t v[4] = {ends[0], ends[1], h.side[0].opposite, h.side[1].opposite};
    const double k[4] = {h.side[0].cot_b + h.side[1].cot_b, h.side[0].cot_a + h.side[1].cot_a,
                         -h.side[0].cot_a - h.side[0].cot_b, -h.side[1].cot_a - h.side[1].cot_b};
    // Bergou's factor 3 is left out: on sheets that do not stretch it is too stiff (docs/findings.md, 8).
    const double scale = static_cast<double>(sheet.material.bending) / (h.side[0].area + h.side[1].area);
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 4; ++j) rows[v[i]][v[j]] += scale * k[i] * k[j];
  }
  for (const auto& row : rows) {
    sheet.row_start.push_back(static_cast<uint32_t>(sheet.column.size()));
    for (const auto& [column, value] : row) {
      sheet.column.push_back(column);
      sheet.value.push_back(static_cast<float>(value));
    }
  }
  sheet.row_start.push_back(static_cast<uint32_t>(sheet.column.size()));
}

// From the fastest way the mesh can bend to and fro (omega, by power iteration): 2 / omega, less with damping.
float steady_step_of(const Sheet& sheet) {
  constexpr int kRounds = 40;
  constexpr double kSafety = 0.8;
  std::vector<double> u(sheet.size()), next(sheet.size());
  for (size_t v = 0; v < u.size(); ++v) u[v] = v % 2 == 0 ? 1 + 0.1 * static_cast<double>(v % 7) : -1;
  double fastest = 0;
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
    fastest = std::sqrt(after / before);
    for (size_t v = 0; v < u.size(); ++v) u[v] = next[v] / std::sqrt(after);
  }
  const double omega = std::sqrt(fastest), damped = 0.5 * static_cast<double>(sheet.material.damping) * omega;
  return omega > 0 ? static_cast<float>(kSafety * 2 / omega * (std::sqrt(1 + damped * damped) - damped)) : 1;
}

// The pieces that hang together, moved apart.
std::vector<V3> places_of(std::span<const V3> unstretched, std::span<const Triangle> triangles) {
  constexpr float kApart = 100;  // m
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
  std::vector<V3> places(unstretched.begin(), unstretched.end());
  std::map<uint32_t, size_t> numbers;
  for (uint32_t v = 0; v < piece.size(); ++v) {
    const size_t number = numbers.emplace(first(v), numbers.size()).first->second;
    places[v].x += kApart * static_cast<float>(number);
  }
  return places;
}

}  // namespace

Sheet make_sheet(std::span<const V3> unstretched, std::span<const Triangle> triangles,
                 const Material& material) {
  Sheet sheet;
  sheet.material = material;
  sheet.triangles.assign(triangles.begin(), triangles.end());
  std::vector<double> areas;
  const Hinges hinges = find_hinges(unstretched, triangles, areas);
  sheet.place = places_of(unstretched, triangles);
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
  sheet.steady_step = steady_step_of(sheet);
  return sheet;
}

}  // namespace billow::cloth
