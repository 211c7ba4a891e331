// A data set small enough to compute by hand: a sheet behind the person, three chains, two bones between
// their roots, and a walk in which all joints move rigidly together.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "garment/garment_file.h"
#include "learn/frames.h"
#include "offline/garment/cloths.h"

namespace billow::testing {

class SmallSet {
 public:
  // The position of a rest point in a frame of a clip, without the walk.
  using Move = std::function<V3(V3 rest, size_t clip, size_t frame)>;

  static constexpr uint32_t kColumns = 6, kRows = 8;

  // `splits`: one letter per frame for each clip. Ropes move like the cloth by default.
  SmallSet(std::vector<std::string> splits, Move cloth, Move rope = {})
      : splits_(std::move(splits)), cloth_(std::move(cloth)), rope_(rope ? std::move(rope) : cloth_) {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("billow_evaluate_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    make_garment();
    for (size_t c = 0; c < splits_.size(); ++c) write_clip(c);
    write_manifest();
  }
  ~SmallSet() { std::filesystem::remove_all(folder_); }
  SmallSet(const SmallSet&) = delete;

  learn::Frames frames() const { return learn::Frames(folder_); }
  const std::filesystem::path& folder() const { return folder_; }
  const garment::Garment& garment() const { return garment_; }

 private:
  void make_garment() {
    GarmentMesh mesh = make_grid({.columns = kColumns, .rows = kRows}, [](double u, double v) {
      return V3{as_float(0.6 * u - 0.3), as_float(1.4 - 0.8 * v), -0.6f};
    });
    garment_ = as_garment(mesh, [](V3 p) { return p.y > 1.39f; });
    garment_.rest = garment_.shape;
    const auto bone = [&](uint32_t column, uint32_t row) {
      const uint32_t v = row * (kColumns + 1) + column;
      garment_.bones.push_back({{v, v, v}, {1, 0, 0}});
      return static_cast<uint32_t>(garment_.bones.size() - 1);
    };
    for (const uint32_t column : {0u, 3u, 6u}) {
      garment_.chains.emplace_back();
      for (uint32_t row = 0; row <= kRows; row += 2) garment_.chains.back().push_back(bone(column, row));
    }
    bone(1, 0), bone(5, 0);
    garment::write_garment_file(garment_, person_.skeleton, folder_ / "garment.json");
  }

  static Transform walk(size_t frame) {
    const float angle = 0.1f * static_cast<float>(frame);
    return {{0.02f * static_cast<float>(frame), 0.01f, 0}, {0, std::sin(angle / 2), 0, std::cos(angle / 2)}};
  }

  void write_clip(size_t clip) const {
    std::string name = std::to_string(clip);
    name.insert(0, 4 - name.size(), '0');
    const auto at = folder_ / "clips" / name;
    std::filesystem::create_directories(at);
    const size_t frames = splits_[clip].size();
    std::vector<V3> bone_rest(garment_.bones.size());
    garment::bone_positions(garment_, garment_.rest, bone_rest);
    const auto write = [&](const char* file, const std::vector<V3>& rest, const Move& move) {
      files::NpyWriter out(at / file, {frames, rest.size(), 3});
      for (size_t f = 0; f < frames; ++f)
        for (const V3& p : rest) {
          const V3 q = apply(walk(f), move(p, clip, f));
          out.write(std::vector<float>{q.x, q.y, q.z});
        }
      out.finish();
    };
    write("cloth.npy", garment_.rest, cloth_);
    write("bones.npy", bone_rest, cloth_);
    write("rope.npy", bone_rest, rope_);
    const auto joints = body::rest_transforms(person_.skeleton);
    files::NpyWriter out(at / "joints.npy", {frames, joints.size(), 7});
    for (size_t f = 0; f < frames; ++f)
      for (const Transform& j : joints) {
        const Transform t = walk(f) * j;
        out.write(std::vector<float>{t.position.x, t.position.y, t.position.z, t.rotation.x, t.rotation.y,
                                     t.rotation.z, t.rotation.w});
      }
    out.finish();
  }

  void write_manifest() const {
    std::ofstream out(folder_ / "manifest.json");
    out << R"({"format": "billow data set", "version": 1, "garment": "test", "preset": "average", "vertices": )"
        << garment_.size() << ", \"bones\": " << garment_.bones.size()
        << R"(, "simulated_bones": 12, "frames_per_second": 30, "clips": [)";
    for (size_t c = 0; c < splits_.size(); ++c)
      out << (c ? "," : "") << R"({"name": "clip )" << c << R"(", "frames": )" << splits_[c].size()
          << R"(, "usable": true, "split": ")" << splits_[c]
          << R"(", "strain_percent": {"mean": 0, "p99": 0, "worst_frame_p99": 0, "most": 0},
                "penetrating_percent": 0, "deepest_mm": 0, "crossings": 0,
                "checksums": {"cloth.npy": "", "bones.npy": "", "rope.npy": "", "joints.npy": ""}})";
    // The value of the seen clip has to be ignored.
    out << R"(], "chaos": [{"name": "clip 0", "cloth_mm": 99, "bones_mm": 99},)"
        << R"({"name": "clip )" << splits_.size() - 1 << R"(", "cloth_mm": 7, "bones_mm": 5}]})";
  }

  std::vector<std::string> splits_;
  Move cloth_, rope_;
  std::filesystem::path folder_;
  body::Person person_ = body::make_person();
  garment::Garment garment_;
};

}  // namespace billow::testing
