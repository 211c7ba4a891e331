#include "draw/show_through.h"

namespace billow::draw {
namespace {

// One nearness a pixel (raster.h); 0: nothing there.
class Depths {
 public:
  Depths(const View& view, int width, int height)
      : view_(view),
        width_(width),
        height_(height),
        nearness_(static_cast<size_t>(width) * static_cast<size_t>(height), 0.0f) {}

  enum class Faces { kFront, kBack, kAll };
  // Adds the nearest surface of a mesh; beyond that of `beyond`, if it is given.
  void add(const MeshView& mesh, Faces faces, const Depths* beyond = nullptr) {
    for (size_t t = 0; t + 2 < mesh.indices.size(); t += 3) {
      Vec3 corner[3];
      for (size_t k = 0; k < 3; ++k) {
        const float* p = mesh.positions.data() + 3 * size_t{mesh.indices[t + k]};
        corner[k] = {p[0], p[1], p[2]};
      }
      const Vec3 normal = cross(corner[1] - corner[0], corner[2] - corner[0]);
      const bool front = dot(normal, view_.eye - corner[0]) > 0;
      if (faces != Faces::kAll && front != (faces == Faces::kFront)) continue;
      raster_triangle(view_.project(corner[0]), view_.project(corner[1]), view_.project(corner[2]), width_,
                      height_, [&](int x, int y, float near, float, float, float) {
                        const size_t i =
                            static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
                        if (near > nearness_[i] && (!beyond || near < beyond->nearness_[i]))
                          nearness_[i] = near;
                      });
    }
  }
  const std::vector<float>& nearness() const { return nearness_; }

 private:
  const View& view_;
  int width_, height_;
  std::vector<float> nearness_;
};

}  // namespace

size_t count_show_through(const MeshView& body, const MeshView& cloth, const Camera& camera, int width,
                          int height) {
  const View view(camera, width, height);
  Depths entry(view, width, height), exit(entry), nearest_cloth(entry);
  entry.add(body, Depths::Faces::kFront);
  exit.add(body, Depths::Faces::kBack, &entry);
  nearest_cloth.add(cloth, Depths::Faces::kAll);
  size_t count = 0;
  for (size_t i = 0; i < entry.nearness().size(); ++i) {
    const float of_cloth = nearest_cloth.nearness()[i];
    count += entry.nearness()[i] > of_cloth && of_cloth > exit.nearness()[i];
  }
  return count;
}

}  // namespace billow::draw
