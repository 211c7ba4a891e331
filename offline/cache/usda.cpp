// Writes USD as text: one mesh whose points have a time sample per frame, numbered from 1. The default value
// is the first frame, for readers that ignore time samples. upAxis is Y, metersPerUnit is 1.
#include <algorithm>
#include <cctype>

#include "cache/formats.h"
#include "files/whole_file.h"

namespace billow::cache {
namespace {

template <size_t N> void append(std::string& out, const std::array<float, N>& vector) {
  for (size_t k = 0; k < N; ++k) out += k == 0 ? "(" : ", ", append_number(out, vector[k]);
  out += ')';
}

void append(std::string& out, const std::vector<Triangle>& triangles) {
  out += '[';
  for (const Triangle& t : triangles)
    for (const uint32_t k : t) out += (out.back() == '[' ? "" : ", ") + std::to_string(k);
  out += "]\n";
}

// A valid USD identifier: letters, digits and _, not starting with a digit.
std::string identifier(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) || static_cast<unsigned char>(c) > 127) c = '_';
  return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "_" + name : name;
}

class UsdaWriter : public Writer {
  void begin() override {
    file_ = std::make_unique<files::AtomicFile>(path_);
    const std::string name = identifier(path_.stem().string());
    std::string rate;
    append_number(rate, static_cast<float>(fps_));
    std::string out =
        "#usda 1.0\n(\n    defaultPrim = \"" + name + "\"\n    upAxis = \"Y\"\n    metersPerUnit = 1\n";
    out +=
        "    timeCodesPerSecond = " + rate + "\n    framesPerSecond = " + rate + "\n    startTimeCode = 1\n";
    out += "    endTimeCode = " + std::to_string(frames_) + "\n)\n\ndef Mesh \"" + name + "\"\n{\n";
    out +=
        "    uniform token subdivisionScheme = \"none\"\n    uniform bool doubleSided = 1\n    int[] "
        "faceVertexCounts = [";
    for (size_t t = 0; t < topology_.triangles.size(); ++t) out += t == 0 ? "3" : ", 3";
    out += "]\n    int[] faceVertexIndices = ";
    append(out, topology_.triangles);
    if (!topology_.uv_triangles.empty()) {
      out += "    texCoord2f[] primvars:st = [";
      for (size_t k = 0; k < topology_.uvs.size(); ++k)
        out += k == 0 ? "" : ", ", append(out, topology_.uvs[k]);
      out += "] (\n        interpolation = \"faceVarying\"\n    )\n    int[] primvars:st:indices = ";
      append(out, topology_.uv_triangles);
    }
    file_->write(out);
  }

  void add(std::span<const V3> positions) override {
    std::string points = "[";
    V3 low = positions[0], high = positions[0];
    for (size_t v = 0; v < positions.size(); ++v) {
      const V3 p = positions[v];
      low = body::component_min(low, p), high = body::component_max(high, p);
      points += v == 0 ? "" : ", ", append(points, std::array{p.x, p.y, p.z});
    }
    points += "]";
    std::string box = "[";
    append(box, std::array{low.x, low.y, low.z});
    box += ", ", append(box, std::array{high.x, high.y, high.z});
    box += "]";
    if (written_ == 0)
      file_->write("    float3[] extent = " + box + "\n    point3f[] points = " + points +
                   "\n    point3f[] points.timeSamples = {\n");
    const std::string time = "        " + std::to_string(written_ + 1) + ": ";
    file_->write(time + points + ",\n");
    extents_ += time + box + ",\n";
  }

  void end() override {
    file_->write("    }\n    float3[] extent.timeSamples = {\n" + extents_ + "    }\n}\n");
    file_->commit();
  }

  std::unique_ptr<files::AtomicFile> file_;
  std::string extents_;
};

}  // namespace

std::unique_ptr<Writer> make_usda_writer() { return std::make_unique<UsdaWriter>(); }

}  // namespace billow::cache
