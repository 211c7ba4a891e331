#include "garment/mesh_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

#include "files/whole_file.h"

namespace billow::garment {
namespace {

using Point = std::array<double, 2>;

double area(const Point& a, const Point& b, const Point& c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

double square(const Point& a, const Point& b) { return std::pow(a[0] - b[0], 2) + std::pow(a[1] - b[1], 2); }

// Projects the polygon along its normal (Newell) onto two perpendicular axes.
std::vector<Point> flatten(std::span<const V3> positions, std::span<const uint32_t> corners) {
  V3 normal{0, 0, 0};
  for (size_t i = 0; i < corners.size(); ++i)
    normal += cross(positions[corners[i]] - positions[corners[0]],
                    positions[corners[(i + 1) % corners.size()]] - positions[corners[0]]);
  const float size = length(normal);
  normal = size > 0 ? normal * (1 / size) : V3{0, 1, 0};
  V3 across = std::fabs(normal.y) < 0.9f ? cross(V3{0, 1, 0}, normal) : cross(V3{1, 0, 0}, normal);
  across = across * (1 / length(across));
  const V3 along = cross(normal, across);
  std::vector<Point> out;
  for (const uint32_t c : corners) {
    const V3 p = positions[c] - positions[corners[0]];
    out.push_back({static_cast<double>(dot(p, across)), static_cast<double>(dot(p, along))});
  }
  return out;
}

// Quality of the ear at corner i: its area over the square of its longest side; negative if it is no ear.
double ear_quality(const std::vector<Point>& p, const std::vector<size_t>& remaining, size_t i) {
  const size_t n = remaining.size();
  const size_t before = remaining[(i + n - 1) % n], at = remaining[i], after = remaining[(i + 1) % n];
  const double a = area(p[before], p[at], p[after]);
  if (!(a > 0)) return -1;
  for (const size_t k : remaining)
    if (k != before && k != at && k != after && area(p[before], p[at], p[k]) >= 0 &&
        area(p[at], p[after], p[k]) >= 0 && area(p[after], p[before], p[k]) >= 0)
      return -1;
  return a / std::max({square(p[before], p[at]), square(p[at], p[after]), square(p[after], p[before])});
}

// Ear clipping, best-shaped ears first, in the plane of the polygon's mean normal; handles concave polygons.
// `corners` are indices into `positions`. Appends corners.size() - 2 triangles.
void triangulate(std::span<const V3> positions, std::span<const uint32_t> corners,
                 std::vector<Triangle>& out) {
  const std::vector<Point> p = flatten(positions, corners);
  std::vector<size_t> remaining(corners.size());
  for (size_t i = 0; i < remaining.size(); ++i) remaining[i] = i;
  while (remaining.size() > 3) {
    // For a quadrilateral also rate the remaining triangle, so that it gets its better diagonal.
    size_t best = 0;
    double best_score = -2;
    for (size_t i = 0; i < remaining.size(); ++i) {
      double score = ear_quality(p, remaining, i);
      if (remaining.size() == 4 && score > 0) score = std::min(score, ear_quality(p, remaining, (i + 2) % 4));
      if (score > best_score) best_score = score, best = i;
    }
    const size_t n = remaining.size();
    out.push_back({corners[remaining[(best + n - 1) % n]], corners[remaining[best]],
                   corners[remaining[(best + 1) % n]]});
    remaining.erase(remaining.begin() + static_cast<std::ptrdiff_t>(best));
  }
  out.push_back({corners[remaining[0]], corners[remaining[1]], corners[remaining[2]]});
}

constexpr uint32_t kNone = ~0u;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Splits a line into words.
struct LineWords {
  std::string_view text;

  std::string_view next() {
    size_t from = 0;
    while (from < text.size() && is_space(text[from])) ++from;
    size_t to = from;
    while (to < text.size() && !is_space(text[to])) ++to;
    const std::string_view word = text.substr(from, to - from);
    text.remove_prefix(to);
    return word;
  }
  std::string_view rest() {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
  }
};

class ObjReader {
 public:
  explicit ObjReader(float scale) : scale_(scale) {}

  GarmentMesh read(std::string_view text) {
    while (!text.empty()) {
      ++line_;
      const size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (const size_t comment = line.find('#'); comment != std::string_view::npos)
        line = line.substr(0, comment);
      read_line({line});
    }
    if (mesh_.positions.empty() || mesh_.triangles.empty())
      throw std::runtime_error("expected vertices and faces, found " +
                               std::to_string(mesh_.positions.size()) + " and " +
                               std::to_string(mesh_.triangles.size()));
    keep_uv();
    drop_empty(mesh_.groups);
    drop_empty(mesh_.materials);
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    throw std::runtime_error("line " + std::to_string(line_) + ": expected " + expected + ", found " +
                             (found.empty() ? "nothing" : "'" + std::string(found.substr(0, 60)) + "'"));
  }

  float number(std::string_view word) const {
    const std::string_view digits = !word.empty() && word.front() == '+' ? word.substr(1) : word;
    float value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    // Values below the range of a float become 0.
    if (error == std::errc::result_out_of_range && end == digits.data() + digits.size()) {
      const double wide = std::strtod(std::string(digits).c_str(), nullptr);
      if (std::fabs(wide) < 1) return 0;
    }
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value) ||
        std::fabs(value) > 1e9f)
      fail("a number from -1e9 to 1e9", word);
    return value;
  }

  // OBJ indices count from 1; negative ones count back from the end.
  uint32_t index(std::string_view word, size_t count, const char* what) const {
    long long value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const auto n = static_cast<long long>(count);
    if (error != std::errc() || end != word.data() + word.size() || value == 0 || value > n || value < -n)
      fail(
          "a " + std::string(what) + " from 1 to " + std::to_string(count) + " (the file has no more so far)",
          word);
    return static_cast<uint32_t>(value > 0 ? value - 1 : n + value);
  }

  void read_line(LineWords words) {
    const std::string_view kind = words.next();
    if (kind == "v") {
      V3 p{};
      for (float* x : {&p.x, &p.y, &p.z}) *x = scale_ * number(words.next());
      mesh_.positions.push_back(p);
      uv_of_.push_back(kNone);
      if (mesh_.positions.size() > kMaxMeshVertices)
        fail("at most " + std::to_string(kMaxMeshVertices) + " vertices", "more");
    } else if (kind == "vt") {
      const float u = number(words.next());
      const std::string_view v = words.next();
      uv_.push_back({u, v.empty() ? 0.0f : number(v)});
    } else if (kind == "f") {
      read_face(words);
    } else if (kind == "usemtl") {
      material_ = part_named(mesh_.materials, words.rest());
    } else if (kind == "o") {
      object_ = part_named(mesh_.groups, words.rest());
      groups_.clear();
    } else if (kind == "g") {
      groups_.clear();
      for (std::string_view name = words.next(); !name.empty(); name = words.next())
        if (const size_t part = part_named(mesh_.groups, name); part != object_) groups_.push_back(part);
    }
  }

  size_t part_named(std::vector<MeshPart>& parts, std::string_view name) {
    auto& index_of = &parts == &mesh_.groups ? group_index_ : material_index_;
    const auto [found, added] = index_of.try_emplace(std::string(name), parts.size());
    if (added) parts.push_back({std::string(name), {}});
    return found->second;
  }

  void read_face(LineWords words) {
    corners_.clear();
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      const size_t slash = word.find('/');
      const uint32_t v = index(word.substr(0, slash), mesh_.positions.size(), "vertex");
      uint32_t t = kNone;
      if (slash != std::string_view::npos) {
        const std::string_view after = word.substr(slash + 1);
        const std::string_view uv = after.substr(0, after.find('/'));
        if (!uv.empty()) t = index(uv, uv_.size(), "texture vertex");
      }
      for (const uint32_t other : corners_)
        if (other == v) fail("a face with each vertex once", word);
      corners_.push_back(v);
      if (corners_.size() > kMaxCorners) fail("at most " + std::to_string(kMaxCorners) + " corners", word);
      record_uv(v, t);
    }
    if (corners_.size() < 3) fail("at least 3 corners of a face", std::to_string(corners_.size()));
    const auto first = static_cast<uint32_t>(mesh_.triangles.size());
    triangulate(mesh_.positions, corners_, mesh_.triangles);
    for (auto t = first; t < mesh_.triangles.size(); ++t) {
      if (material_ != kNoPart) mesh_.materials[material_].triangles.push_back(t);
      if (object_ != kNoPart) mesh_.groups[object_].triangles.push_back(t);
      for (const size_t g : groups_) mesh_.groups[g].triangles.push_back(t);
    }
  }

  void record_uv(uint32_t vertex, uint32_t t) {
    if (t == kNone) {
      ++corners_without_uv_;
    } else if (uv_of_[vertex] == kNone || std::memcmp(&uv_[uv_of_[vertex]], &uv_[t], sizeof uv_[t]) == 0) {
      uv_of_[vertex] = t;
    } else {
      ++second_uv_;
    }
  }

  // UVs can only serve as a pattern if each vertex has exactly one.
  void keep_uv() {
    if (uv_.empty()) return;
    for (size_t v = 0; v < uv_of_.size() && second_uv_ == 0 && corners_without_uv_ == 0; ++v)
      mesh_.uv.push_back(uv_of_[v] == kNone ? std::array<float, 2>{0, 0} : uv_[uv_of_[v]]);
    if (second_uv_ > 0)
      mesh_.notes.push_back("UVs are ignored: " + std::to_string(second_uv_) +
                            " corners differ from others at the same vertex");
    else if (corners_without_uv_ > 0)
      mesh_.notes.push_back("UVs are ignored: " + std::to_string(corners_without_uv_) + " corners have none");
  }

  static void drop_empty(std::vector<MeshPart>& parts) {
    std::erase_if(parts, [](const MeshPart& part) { return part.triangles.empty(); });
  }

  static constexpr size_t kNoPart = ~size_t{0};
  float scale_;
  size_t line_ = 0;
  GarmentMesh mesh_;
  std::vector<std::array<float, 2>> uv_;
  std::vector<uint32_t> uv_of_;  // UV index per vertex, or kNone
  size_t second_uv_ = 0, corners_without_uv_ = 0;
  std::map<std::string, size_t> group_index_, material_index_;
  size_t material_ = kNoPart, object_ = kNoPart;
  std::vector<size_t> groups_;
  std::vector<uint32_t> corners_;
};

}  // namespace

GarmentMesh obj_from_text(std::string_view text, float scale) { return ObjReader(scale).read(text); }

GarmentMesh read_obj(const std::filesystem::path& file, float scale) {
  const std::string text = files::read_whole_file(file, kMaxMeshBytes);
  try {
    return obj_from_text(text, scale);
  } catch (const std::runtime_error& e) {
    throw std::runtime_error(file.string() + ": " + e.what());
  }
}

std::string obj_to_text(const GarmentMesh& mesh) {
  const bool uv = !mesh.uv.empty();
  std::string out = "# " + std::to_string(mesh.positions.size()) + " vertices, " +
                    std::to_string(mesh.triangles.size()) + " triangles; metres" +
                    (uv ? ", vt is the pattern laid flat" : "") + "\n";
  for (const V3& p : mesh.positions)
    out += "v " + files::shortest(p.x) + " " + files::shortest(p.y) + " " + files::shortest(p.z) + "\n";
  for (const auto& t : mesh.uv) out += "vt " + files::shortest(t[0]) + " " + files::shortest(t[1]) + "\n";
  for (const Triangle& t : mesh.triangles) {
    out += "f";
    for (const uint32_t v : t) {
      const std::string number = std::to_string(v + 1);
      out += " " + number + (uv ? "/" + number : "");
    }
    out += "\n";
  }
  return out;
}

void write_obj(const GarmentMesh& mesh, const std::filesystem::path& file) {
  files::write_whole_file(file, obj_to_text(mesh));
}

size_t weld(GarmentMesh& mesh) {
  std::map<std::array<float, 3>, uint32_t> index_of;
  std::vector<uint32_t> remap(mesh.positions.size());
  GarmentMesh out;
  bool same_uv = true;
  for (size_t v = 0; v < mesh.positions.size(); ++v) {
    const V3 p = mesh.positions[v];
    const auto [found, added] = index_of.try_emplace({p.x + 0.0f, p.y + 0.0f, p.z + 0.0f},
                                                     static_cast<uint32_t>(out.positions.size()));
    remap[v] = found->second;
    if (added) {
      out.positions.push_back(p);
      if (!mesh.uv.empty()) out.uv.push_back(mesh.uv[v]);
    } else if (!mesh.uv.empty()) {
      same_uv &= out.uv[remap[v]] == mesh.uv[v];
    }
  }
  const size_t merged = mesh.positions.size() - out.positions.size();
  if (!same_uv)
    out.uv.clear(), mesh.notes.push_back("UVs are ignored: they differ where vertices were merged");
  mesh.positions = std::move(out.positions);
  mesh.uv = std::move(out.uv);
  for (Triangle& t : mesh.triangles)
    for (uint32_t& v : t) v = remap[v];
  return merged;
}

}  // namespace billow::garment
