#include "garment/tailor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "body/surface.h"
#include "garment/attach.h"
#include "garment/pattern.h"

namespace billow::garment {
namespace {

constexpr float kAbove = 0.005f;  // m, seams lie so far above the skin

// A line on the body that a garment hangs from, with its length up to each point.
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

Seam measured(std::vector<V3> points) {
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
    // Start outside of the body, above the shoulders and behind the neck, and go down to it.
    V3 p{u * 0.85f * arm.x, neck.y + size * (0.03f + 0.05f * out * out),
         neck.z - size * 0.11f * (1 - out * std::sqrt(out)) - size * 0.005f};
    for (int k = 0; k < 30; ++k) {
      const body::Surface::Sample s = surface.at(p);
      p -= s.gradient * (0.8f * (s.distance - kAbove));
    }
    points.push_back(p);
  }
  return measured(points);
}

// Round the waist, from the front over the left side and back.
Seam waist_line(const body::Person& person, const body::Surface& surface) {
  const std::vector<Transform> rest = body::rest_transforms(person.skeleton);
  const V3 spine = rest[static_cast<size_t>(person.skeleton.at("spine_lower"))].position;
  const V3 centre = spine + V3{0, 0.02f * person.shape.height / 1.75f, 0};
  std::vector<V3> points;
  constexpr int kSteps = 360;
  for (int i = 0; i <= kSteps; ++i) {
    const double turn = 2 * std::numbers::pi * (i % kSteps) / kSteps;
    const V3 way{static_cast<float>(std::sin(turn)), 0, static_cast<float>(std::cos(turn))};
    float inside = 0, outside = 0.4f;
    for (int k = 0; k < 40; ++k) {
      const float middle = 0.5f * (inside + outside);
      (surface.at(centre + way * middle).distance > kAbove ? outside : inside) = middle;
    }
    points.push_back(centre + way * outside);
  }
  return measured(points);
}

// Each vertex of a seam with the two beside it; at the ends of an open one with itself.
std::vector<std::vector<uint32_t>> along_seam(size_t count, bool closed) {
  std::vector<std::vector<uint32_t>> out(count);
  for (uint32_t i = 0; i < count; ++i) {
    const auto last = static_cast<uint32_t>(count) - 1;
    const uint32_t before = i > 0 ? i - 1 : closed ? last : 0, after = i < last ? i + 1 : closed ? 0 : last;
    out[i] = {before, after};
  }
  return out;
}

// The place of the pattern at a radius and a share of its angle.
Embedding embed(const RingPattern& pattern, float radius, float share) {
  const float width = pattern.outer - pattern.inner;
  const float rows = static_cast<float>(pattern.rows() - 1);
  const float row = std::clamp((radius - pattern.inner) / width, 0.0f, 1.0f) * rows;
  // Look at the triangles between the rows on both sides.
  const auto polar = [&](float r, float s) {
    const float a = (s - share) * pattern.angle;
    return std::array<float, 2>{r * std::cos(a) - radius, r * std::sin(a)};
  };
  Embedding best;
  float best_least = -1e30f;
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
    const float least = std::min({w0, w1, w2}) / sum;
    if (least > best_least) {
      best_least = least;
      best = {t, {std::max(0.0f, w0 / sum), std::max(0.0f, w1 / sum), std::max(0.0f, w2 / sum)}};
      const float total = best.weights[0] + best.weights[1] + best.weights[2];
      for (float& w : best.weights) w /= total;
    }
  }
  return best;
}

// Chains along the radii; the bones of one are evenly spaced from the seam to the hem. Half way between two roots there
// is one more bone that follows the body.
void layout_chains(Garment& garment, const RingPattern& pattern, const std::vector<float>& shares,
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

struct CutPattern {
  RingPattern pattern;
  Seam seam;
  V3 centre, across, along;  // of the flat pattern in space: its centre, the ways of angles 0 and 90 degrees
  float first_angle;
};

Garment sew(const CutPattern& cut, const body::Person& person, const body::Skin& skin) {
  Garment g;
  g.triangles = cut.pattern.triangles;
  for (const auto& v : cut.pattern.vertices) {
    const float a = cut.first_angle + v[1] * cut.pattern.angle;
    g.pattern_uvs.push_back({v[0] * std::cos(a), v[0] * std::sin(a)});
    g.shape.push_back(cut.centre + cut.across * g.pattern_uvs.back()[0] +
                      cut.along * g.pattern_uvs.back()[1]);
  }
  for (uint32_t v = 0; v < cut.pattern.row_start[1]; ++v)
    g.attachments.push_back(attach(skin, v, cut.seam.at(cut.pattern.vertices[v][1])));
  smooth_weights(g.attachments, person.skeleton.size(), along_seam(g.attachments.size(), cut.pattern.closed));
  return g;
}

Garment make_cape(const body::Person& person, const body::Skin& skin, size_t vertices) {
  constexpr float kAngle = 1.5f;  // radians
  constexpr float kTilt = 0.5f;   // radians, below the horizontal, from where it falls
  const float drop = 1.10f * person.shape.height / 1.75f;
  const body::Surface surface(person.skeleton, person.colliders);
  CutPattern cut;
  cut.seam = shoulder_line(person, surface);
  const float inner = cut.seam.length() / kAngle;
  cut.pattern = make_ring_pattern(inner, inner + drop, kAngle, false, vertices);
  cut.across = {0, -std::sin(kTilt), -std::cos(kTilt)};
  cut.along = {-1, 0, 0};
  cut.first_angle = -0.5f * kAngle;
  cut.centre = cut.seam.at(0.5f) - cut.across * (inner + 0.02f);
  Garment g = sew(cut, person, skin);
  g.name = "cape", g.key_joint = "neck", g.material = "cotton";
  std::vector<float> shares;
  for (int c = 0; c < 10; ++c) shares.push_back(0.03f + 0.94f * static_cast<float>(c) / 9);
  layout_chains(g, cut.pattern, shares, {13, 14, 14, 15, 15, 15, 15, 14, 14, 13});
  return g;
}

Garment make_skirt(const body::Person& person, const body::Skin& skin, size_t vertices) {
  const float drop = 0.56f * person.shape.height / 1.75f;
  const float turn = static_cast<float>(2 * std::numbers::pi);
  const body::Surface surface(person.skeleton, person.colliders);
  CutPattern cut;
  cut.seam = waist_line(person, surface);
  const float inner = cut.seam.length() / turn;
  cut.pattern = make_ring_pattern(inner, inner + drop, turn, true, vertices);
  cut.across = {0, 0, 1};
  cut.along = {1, 0, 0};
  cut.first_angle = 0;
  cut.centre = {0, 0, 0};
  for (int i = 0; i < 4; ++i) cut.centre += cut.seam.at(0.25f * static_cast<float>(i)) * 0.25f;
  Garment g = sew(cut, person, skin);
  g.name = "skirt", g.key_joint = "pelvis", g.material = "cotton", g.closed = true;
  std::vector<float> shares;
  for (int c = 0; c < 26; ++c) shares.push_back((static_cast<float>(c) + 0.5f) / 26);
  layout_chains(g, cut.pattern, shares, std::vector<size_t>(26, 9));
  return g;
}

}  // namespace

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
  throw std::invalid_argument("there is no garment '" + std::string(name) + "'; there are cape and skirt");
}

}  // namespace billow::garment
