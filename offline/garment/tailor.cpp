#include "garment/tailor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "body/surface.h"
#include "garment/attach.h"

namespace billow::garment {
namespace {

constexpr double kRowHeight = 0.8660254037844386;  // of equilateral triangles of side 1

// Number of vertices of each row for edges of about `spacing`.
std::vector<size_t> row_counts(const RingPattern& p, double spacing) {
  const double width = static_cast<double>(p.outer) - static_cast<double>(p.inner);
  const size_t rows =
      std::max<size_t>(2, static_cast<size_t>(std::lround(width / (spacing * kRowHeight))) + 1);
  std::vector<size_t> counts;
  for (size_t k = 0; k < rows; ++k) {
    const double radius =
        static_cast<double>(p.inner) + width * static_cast<double>(k) / static_cast<double>(rows - 1);
    const size_t edges = static_cast<size_t>(std::lround(radius * static_cast<double>(p.angle) / spacing));
    counts.push_back(p.closed ? std::max<size_t>(3, edges) : std::max<size_t>(1, edges) + 1);
  }
  return counts;
}

size_t sum(const std::vector<size_t>& counts) {
  size_t total = 0;
  for (const size_t c : counts) total += c;
  return total;
}

// Finds the spacing by bisection, then distributes the remaining difference over the rows.
std::vector<size_t> row_counts_for(const RingPattern& p, size_t target) {
  double fine = 1e-4, coarse = static_cast<double>(p.outer);
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(fine * coarse);
    (sum(row_counts(p, middle)) > target ? fine : coarse) = middle;
  }
  std::vector<size_t> counts = row_counts(p, coarse);
  const auto difference = static_cast<std::ptrdiff_t>(target) - static_cast<std::ptrdiff_t>(sum(counts));
  const auto rows = static_cast<std::ptrdiff_t>(counts.size());
  for (std::ptrdiff_t i = 0; i < std::abs(difference); ++i) {
    // Start with the outer rows: they are longest, so one vertex changes them least.
    const auto row = static_cast<size_t>(rows - 1 - i % rows);
    counts[row] = static_cast<size_t>(static_cast<std::ptrdiff_t>(counts[row]) + (difference > 0 ? 1 : -1));
  }
  return counts;
}

// Triangulates the strip between two rows, always advancing the row that is behind.
void stitch(RingPattern& p, size_t row) {
  const uint32_t a0 = p.row_start[row], b0 = p.row_start[row + 1];
  const uint32_t na = b0 - a0, nb = p.row_start[row + 2] - b0;
  const uint32_t steps_a = p.closed ? na : na - 1, steps_b = p.closed ? nb : nb - 1;
  const auto share = [](uint32_t i, uint32_t steps, float shift) {
    return (static_cast<float>(i) + shift) / static_cast<float>(steps);
  };
  const float shift_a = p.closed && row % 2 ? 0.5f : 0, shift_b = p.closed && row % 2 == 0 ? 0.5f : 0;
  uint32_t i = 0, j = 0;
  while (i < steps_a || j < steps_b) {
    const uint32_t a = a0 + i % na, b = b0 + j % nb;
    const bool inner =
        j == steps_b || (i < steps_a && share(i + 1, steps_a, shift_a) + share(i, steps_a, shift_a) <
                                            share(j + 1, steps_b, shift_b) + share(j, steps_b, shift_b));
    if (inner) {
      p.triangles.push_back({a, b, a0 + (i + 1) % na});
      ++i;
    } else {
      p.triangles.push_back({a, b, b0 + (j + 1) % nb});
      ++j;
    }
  }
}

constexpr float kClearance = 0.005f;  // m, of seams above the skin

// A polyline on the body from which a garment hangs, with its arc lengths.
struct Seam {
  std::vector<V3> points;
  std::vector<float> along;

  float length() const { return along.back(); }
  V3 at(float share) const {
    const float s = std::clamp(share, 0.0f, 1.0f) * length();
    const size_t i = static_cast<size_t>(std::upper_bound(along.begin(), along.end() - 1, s) - along.begin());
    const float part = (s - along[i - 1]) / std::max(1e-9f, along[i] - along[i - 1]);
    return points[i - 1] + (points[i] - points[i - 1]) * part;
  }
};

Seam with_lengths(std::vector<V3> points) {
  Seam seam{std::move(points), {0}};
  for (size_t i = 1; i < seam.points.size(); ++i)
    seam.along.push_back(seam.along.back() + length(seam.points[i] - seam.points[i - 1]));
  return seam;
}

// From the left shoulder round the back of the neck to the right one.
Seam shoulder_line(const body::Person& person, const body::Surface& surface) {
  const std::vector<Transform> rest = body::rest_transforms(person.skeleton);
  const auto joint = [&](const char* name) {
    return rest[static_cast<size_t>(person.skeleton.at(name))].position;
  };
  const V3 arm = joint("left_upper_arm"), neck = joint("neck");
  const float size = person.shape.height / 1.75f;
  std::vector<V3> points;
  constexpr int kSteps = 200;
  for (int i = 0; i <= kSteps; ++i) {
    const float u = 1 - 2 * static_cast<float>(i) / kSteps, out = std::fabs(u);
    // Start outside the body, above the shoulders and behind the neck, and project onto it.
    V3 p{u * 0.85f * arm.x, neck.y + size * (0.03f + 0.05f * out * out),
         neck.z - size * 0.11f * (1 - out * std::sqrt(out)) - size * 0.005f};
    for (int k = 0; k < 30; ++k) {
      const body::Surface::Sample s = surface.at(p);
      p -= s.gradient * (0.8f * (s.distance - kClearance));
    }
    points.push_back(p);
  }
  return with_lengths(points);
}

// Round the waist, from the front via the left side.
Seam waist_line(const body::Person& person, const body::Surface& surface) {
  const std::vector<Transform> rest = body::rest_transforms(person.skeleton);
  const V3 spine = rest[static_cast<size_t>(person.skeleton.at("spine_lower"))].position;
  const V3 centre = spine + V3{0, 0.02f * person.shape.height / 1.75f, 0};
  std::vector<V3> points;
  constexpr int kSteps = 360;
  for (int i = 0; i <= kSteps; ++i) {
    const double turn = 2 * std::numbers::pi * (i % kSteps) / kSteps;
    const V3 direction{static_cast<float>(std::sin(turn)), 0, static_cast<float>(std::cos(turn))};
    float inside = 0, outside = 0.4f;
    for (int k = 0; k < 40; ++k) {
      const float middle = 0.5f * (inside + outside);
      (surface.at(centre + direction * middle).distance > kClearance ? outside : inside) = middle;
    }
    points.push_back(centre + direction * outside);
  }
  return with_lengths(points);
}

// The two neighbours of each vertex of a seam; the ends of an open one are their own neighbours.
std::vector<std::vector<uint32_t>> seam_neighbours(size_t count, bool closed) {
  std::vector<std::vector<uint32_t>> out(count);
  for (uint32_t i = 0; i < count; ++i) {
    const auto last = static_cast<uint32_t>(count) - 1;
    const uint32_t before = i > 0 ? i - 1 : closed ? last : 0, after = i < last ? i + 1 : closed ? 0 : last;
    out[i] = {before, after};
  }
  return out;
}

// Embeds the point of the pattern at a radius and a fraction of its angle.
Embedding embed(const RingPattern& pattern, float radius, float share) {
  const float width = pattern.outer - pattern.inner;
  const float rows = static_cast<float>(pattern.rows() - 1);
  const float row = std::clamp((radius - pattern.inner) / width, 0.0f, 1.0f) * rows;
  // Polar coordinates relative to the point.
  const auto polar = [&](float r, float s) {
    const float a = (s - share) * pattern.angle;
    return std::array<float, 2>{r * std::cos(a) - radius, r * std::sin(a)};
  };
  Embedding best;
  float best_smallest = -1e30f;
  for (const Triangle& t : pattern.triangles) {
    std::array<std::array<float, 2>, 3> p;
    bool near = true;
    for (size_t k = 0; k < 3; ++k) {
      const auto& v = pattern.vertices[t[k]];
      float s = v[1];
      if (pattern.closed) s -= std::round(s - share);
      near &= std::fabs((v[0] - pattern.inner) / width * rows - row) < 1.5f &&
              std::fabs(s - share) * pattern.angle * radius < 3 * width / rows;
      p[k] = polar(v[0], s);
    }
    if (!near) continue;
    const auto area = [](const std::array<float, 2>& a, const std::array<float, 2>& b) {
      return a[0] * b[1] - a[1] * b[0];
    };
    const float w0 = area(p[1], p[2]), w1 = area(p[2], p[0]), w2 = area(p[0], p[1]), sum = w0 + w1 + w2;
    const float smallest = std::min({w0, w1, w2}) / sum;
    if (smallest > best_smallest) {
      best_smallest = smallest;
      best = {t, {std::max(0.0f, w0 / sum), std::max(0.0f, w1 / sum), std::max(0.0f, w2 / sum)}};
      const float total = best.weights[0] + best.weights[1] + best.weights[2];
      for (float& w : best.weights) w /= total;
    }
  }
  return best;
}

// Radial chains with evenly spaced bones from seam to hem, and a kinematic bone halfway between neighbouring
// roots.
void add_radial_chains(Garment& garment, const RingPattern& pattern, const std::vector<float>& shares,
                       const std::vector<size_t>& bones) {
  const float width = pattern.outer - pattern.inner;
  for (size_t c = 0; c < shares.size(); ++c) {
    std::vector<uint32_t> chain;
    for (size_t b = 0; b <= bones[c]; ++b) {
      chain.push_back(static_cast<uint32_t>(garment.bones.size()));
      const float down = static_cast<float>(b) / static_cast<float>(bones[c]);
      garment.bones.push_back(embed(pattern, pattern.inner + width * down, shares[c]));
    }
    garment.chains.push_back(chain);
  }
  for (size_t c = 0; c + (pattern.closed ? 0 : 1) < shares.size(); ++c) {
    const float next = c + 1 < shares.size() ? shares[c + 1] : 1 + shares[0];
    garment.bones.push_back(embed(pattern, pattern.inner, std::fmod(0.5f * (shares[c] + next), 1.0f)));
  }
}

// A flat pattern in space, and the seam it is attached to.
struct PlacedPattern {
  RingPattern pattern;
  Seam seam;
  V3 centre, across, along;  // centre of the pattern, directions of the angles 0 and 90 degrees
  float first_angle;
};

Garment make_from_pattern(const PlacedPattern& placed, const body::Person& person, const body::Skin& skin) {
  Garment g;
  g.triangles = placed.pattern.triangles;
  for (const auto& v : placed.pattern.vertices) {
    const float a = placed.first_angle + v[1] * placed.pattern.angle;
    g.pattern_uvs.push_back({v[0] * std::cos(a), v[0] * std::sin(a)});
    g.shape.push_back(placed.centre + placed.across * g.pattern_uvs.back()[0] +
                      placed.along * g.pattern_uvs.back()[1]);
  }
  for (uint32_t v = 0; v < placed.pattern.row_start[1]; ++v)
    g.attachments.push_back(attach(skin, v, placed.seam.at(placed.pattern.vertices[v][1])));
  smooth_weights(g.attachments, person.skeleton.size(),
                 seam_neighbours(g.attachments.size(), placed.pattern.closed));
  return g;
}

Garment make_cape(const body::Person& person, const body::Skin& skin, size_t vertices) {
  constexpr float kAngle = 1.5f;  // radians
  constexpr float kTilt = 0.5f;   // radians below the horizontal, initial state of the drape
  const float drop = 1.10f * person.shape.height / 1.75f;
  const body::Surface surface(person.skeleton, person.colliders);
  PlacedPattern placed;
  placed.seam = shoulder_line(person, surface);
  const float inner = placed.seam.length() / kAngle;
  placed.pattern = make_ring_pattern(inner, inner + drop, kAngle, false, vertices);
  placed.across = {0, -std::sin(kTilt), -std::cos(kTilt)};
  placed.along = {-1, 0, 0};
  placed.first_angle = -0.5f * kAngle;
  placed.centre = placed.seam.at(0.5f) - placed.across * (inner + 0.02f);
  Garment g = make_from_pattern(placed, person, skin);
  g.name = "cape", g.key_joint = "neck", g.material = "cotton";
  g.contacts = default_contacts(g);
  std::vector<float> shares;
  for (int c = 0; c < 10; ++c) shares.push_back(0.03f + 0.94f * static_cast<float>(c) / 9);
  add_radial_chains(g, placed.pattern, shares, {13, 14, 14, 15, 15, 15, 15, 14, 14, 13});
  return g;
}

Garment make_skirt(const body::Person& person, const body::Skin& skin, size_t vertices) {
  const float drop = 0.56f * person.shape.height / 1.75f;
  const float turn = static_cast<float>(2 * std::numbers::pi);
  const body::Surface surface(person.skeleton, person.colliders);
  PlacedPattern placed;
  placed.seam = waist_line(person, surface);
  const float inner = placed.seam.length() / turn;
  placed.pattern = make_ring_pattern(inner, inner + drop, turn, true, vertices);
  placed.across = {0, 0, 1};
  placed.along = {1, 0, 0};
  placed.first_angle = 0;
  placed.centre = {0, 0, 0};
  for (int i = 0; i < 4; ++i) placed.centre += placed.seam.at(0.25f * static_cast<float>(i)) * 0.25f;
  Garment g = make_from_pattern(placed, person, skin);
  g.name = "skirt", g.key_joint = "pelvis", g.material = "cotton", g.closed = true;
  g.contacts = default_contacts(g);
  std::vector<float> shares;
  for (int c = 0; c < 26; ++c) shares.push_back((static_cast<float>(c) + 0.5f) / 26);
  add_radial_chains(g, placed.pattern, shares, std::vector<size_t>(26, 9));
  return g;
}

}  // namespace

float RingPattern::distance(uint32_t a, uint32_t b) const { return distance(vertices[a], vertices[b]); }

float RingPattern::distance(std::array<float, 2> a, std::array<float, 2> b) const {
  float separation = std::fabs(a[1] - b[1]);
  if (closed) separation = std::min(separation, 1 - separation);
  const double turn = static_cast<double>(separation) * static_cast<double>(angle);
  const double ra = static_cast<double>(a[0]), rb = static_cast<double>(b[0]);
  if (turn > std::numbers::pi) return static_cast<float>(ra + rb);
  return static_cast<float>(std::sqrt(std::max(0.0, ra * ra + rb * rb - 2 * ra * rb * std::cos(turn))));
}

RingPattern make_ring_pattern(float inner, float outer, float angle, bool closed, size_t vertices) {
  if (!(inner > 0) || !(outer > inner) || !(angle > 0) || !std::isfinite(outer) || !std::isfinite(angle))
    throw std::invalid_argument("pattern: expected 0 < inner < outer and a positive angle, found " +
                                std::to_string(inner) + ", " + std::to_string(outer) + ", " +
                                std::to_string(angle));
  if (vertices < 12)
    throw std::invalid_argument("pattern: expected at least 12 vertices, found " + std::to_string(vertices));
  RingPattern p;
  p.inner = inner, p.outer = outer, p.angle = angle, p.closed = closed;
  const std::vector<size_t> counts = row_counts_for(p, vertices);
  for (size_t row = 0; row < counts.size(); ++row) {
    p.row_start.push_back(static_cast<uint32_t>(p.vertices.size()));
    const float radius =
        inner + (outer - inner) * static_cast<float>(row) / static_cast<float>(counts.size() - 1);
    const size_t steps = closed ? counts[row] : counts[row] - 1;
    // Every other row of a closed ring is shifted by half an edge; an open one keeps its straight edges.
    const float shift = closed && row % 2 ? 0.5f : 0;
    for (size_t i = 0; i < counts[row]; ++i)
      p.vertices.push_back({radius, (static_cast<float>(i) + shift) / static_cast<float>(steps)});
  }
  p.row_start.push_back(static_cast<uint32_t>(p.vertices.size()));
  for (size_t row = 0; row + 1 < counts.size(); ++row) stitch(p, row);
  return p;
}

const std::vector<BuiltIn>& built_in_garments() {
  static const std::vector<BuiltIn> garments{
      {"cape", "from the shoulders to the calves, 10 chains", 12690},
      {"skirt", "a full circle from the waist to the knees, 26 chains", 18546}};
  return garments;
}

Garment make_garment(std::string_view name, const body::Person& person, const body::Skin& skin,
                     size_t vertices) {
  for (const BuiltIn& b : built_in_garments()) {
    if (b.name != name) continue;
    const size_t count = vertices > 0 ? vertices : b.vertices;
    return name == "cape" ? make_cape(person, skin, count) : make_skirt(person, skin, count);
  }
  throw std::invalid_argument("garment: expected cape or skirt, found '" + std::string(name) + "'");
}

}  // namespace billow::garment
