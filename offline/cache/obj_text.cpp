#include <charconv>
#include <cmath>
#include <optional>

#include "cache/formats.h"

namespace billow::cache {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";

// Removes the next word from the line; empty at the line's end.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  ObjMesh parse() {
    std::string joined;
    while (!text_.empty()) {
      std::string_view line = next_line();
      // Join lines that end in a backslash.
      if (line.ends_with('\\')) {
        for (joined.clear(); line.ends_with('\\'); line = next_line())
          joined += line.substr(0, line.size() - 1);
        joined += line;
        line = joined;
      }
      parse_line(line);
    }
    finish_uvs();
    mesh_.topology.vertices = mesh_.positions.size();
    if (mesh_.positions.empty()) fail(name_, ": expected vertices ('v x y z'), found none");
    return std::move(mesh_);
  }

 private:
  struct Corner {
    uint32_t vertex;
    std::optional<uint32_t> uv;
  };

  [[noreturn]] void refuse(const std::string& expected, std::string_view found) const {
    std::string shown(found.substr(0, 40));
    for (char& c : shown)
      if (static_cast<unsigned char>(c) < 32) c = '?';
    fail(name_, ": line ", line_, ": expected ", expected, ", found ",
         (found.empty() ? "the end of the line" : "'" + shown + "'"));
  }

  std::string_view next_line() {
    const size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  float number(std::string_view& line) const {
    const std::string_view word = next_word(line);
    double value = 0;  // double, because from_chars to float rejects 1e-60
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const float out = static_cast<float>(value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(out))
      refuse("a finite number", word);
    return out;
  }

  // OBJ indices start at 1; negative ones count back from the latest element, which is -1.
  uint32_t index(std::string_view word, size_t count, const std::string& of) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (value < 0) value += static_cast<int64_t>(count) + 1;
    if (error != std::errc{} || end != word.data() + word.size() || value < 1 ||
        static_cast<size_t>(value) > count)
      refuse("an index of one of " + std::to_string(count) + " " + of + " so far", word);
    return static_cast<uint32_t>(value - 1);
  }

  void parse_line(std::string_view line) {
    const std::string_view keyword = next_word(line);
    if (keyword == "v") {
      const float x = number(line), y = number(line), z = number(line);
      mesh_.positions.push_back({x, y, z});
    } else if (keyword == "vt") {
      const float u = number(line);
      std::string_view rest = line;
      mesh_.topology.uvs.push_back({u, next_word(rest).empty() ? 0 : number(line)});
    } else if (keyword == "f") {
      parse_face(line);
    }
  }

  void parse_face(std::string_view line) {
    face_.clear();
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      const size_t slash = word.find('/');
      Corner corner{index(word.substr(0, slash), mesh_.positions.size(), "vertices"), {}};
      if (slash != std::string_view::npos) {
        const std::string_view uv = word.substr(slash + 1, word.find('/', slash + 1) - slash - 1);
        if (!uv.empty()) corner.uv = index(uv, mesh_.topology.uvs.size(), "UVs");
      }
      face_.push_back(corner);
    }
    if (face_.size() < 3) refuse("at least 3 corners of a face", std::to_string(face_.size()));
    for (size_t k = 1; k + 1 < face_.size(); ++k) {
      const Corner& a = face_[0];
      const Corner& b = face_[k];
      const Corner& c = face_[k + 1];
      mesh_.topology.triangles.push_back({a.vertex, b.vertex, c.vertex});
      if (a.uv && b.uv && c.uv) {
        mesh_.topology.uv_triangles.push_back({*a.uv, *b.uv, *c.uv});
      } else {
        mesh_.topology.uv_triangles.push_back({UINT32_MAX, UINT32_MAX, UINT32_MAX});
        ++without_uv_;
      }
    }
  }

  // Gives faces without UVs the UV 0 0, or drops all UVs if no face has any.
  void finish_uvs() {
    Topology& t = mesh_.topology;
    if (without_uv_ == t.triangles.size()) {
      t.uvs.clear();
      t.uv_triangles.clear();
    } else if (without_uv_ > 0) {
      const uint32_t zero = static_cast<uint32_t>(t.uvs.size());
      t.uvs.push_back({0, 0});
      for (Triangle& uv : t.uv_triangles)
        if (uv[0] == UINT32_MAX) uv = {zero, zero, zero};
    }
  }

  std::string_view text_;
  const std::string& name_;
  size_t line_ = 0, without_uv_ = 0;
  ObjMesh mesh_;
  std::vector<Corner> face_;
};

}  // namespace

ObjMesh parse_obj(std::string_view text, const std::string& name) { return Parser(text, name).parse(); }

void append_number(std::string& out, float value) {
  char buffer[32];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

std::string obj_vertices(std::span<const V3> positions) {
  std::string out;
  for (const V3& p : positions) {
    out += 'v';
    for (const float value : {p.x, p.y, p.z}) out += ' ', append_number(out, value);
    out += '\n';
  }
  return out;
}

std::string obj_uvs(const Topology& topology) {
  std::string out;
  for (const Uv& uv : topology.uvs) {
    out += "vt ", append_number(out, uv[0]);
    out += ' ', append_number(out, uv[1]);
    out += '\n';
  }
  return out;
}

std::string obj_faces(const Topology& topology) {
  std::string out;
  for (size_t t = 0; t < topology.triangles.size(); ++t) {
    out += 'f';
    for (size_t k = 0; k < 3; ++k) {
      out += ' ' + std::to_string(topology.triangles[t][k] + 1);
      if (!topology.uv_triangles.empty()) out += '/' + std::to_string(topology.uv_triangles[t][k] + 1);
    }
    out += '\n';
  }
  return out;
}

}  // namespace billow::cache
