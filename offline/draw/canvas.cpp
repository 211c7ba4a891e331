#include "draw/canvas.h"

#include <stdexcept>
#include <string>

namespace billow::draw {

Canvas::Canvas(int width, int height, int samples)
    : width_(std::max(1, width)), height_(std::max(1, height)), samples_(std::clamp(samples, 1, 8)) {}

void Canvas::mesh(const MeshView& mesh, const Material& material) {
  const size_t count = mesh.positions.size() / 3;
  for (uint32_t i : mesh.indices)
    if (i >= count)
      throw std::out_of_range("a mesh of " + std::to_string(count) + " vertices has the index " +
                              std::to_string(i));
  std::vector<float> made;
  std::span<const float> normals = mesh.normals;
  if (normals.size() < 3 * count) normals = made = smooth_normals(mesh.positions, mesh.indices);

  const auto first = static_cast<uint32_t>(vertices_.size()), kind = static_cast<uint32_t>(materials_.size());
  materials_.push_back(material);
  for (size_t i = 0; i < count; ++i) {
    const float *p = mesh.positions.data() + 3 * i, *n = normals.data() + 3 * i;
    const Colour colour = mesh.colours.size() == count ? mesh.colours[i] : material.colour;
    vertices_.push_back({{p[0], p[1], p[2]}, {n[0], n[1], n[2]}, colour, material.back.value_or(colour)});
  }
  for (size_t t = 0; t + 2 < mesh.indices.size(); t += 3)
    triangles_.push_back(
        {{first + mesh.indices[t], first + mesh.indices[t + 1], first + mesh.indices[t + 2]}, kind});
}

void Canvas::sphere(Vec3 centre, float radius, const Material& material, int sides) {
  mesh(sphere_mesh(centre, radius, sides), material);
}

void Canvas::capsule(Vec3 a, Vec3 b, float radius_a, float radius_b, const Material& material, int sides) {
  mesh(capsule_mesh(a, b, radius_a, radius_b, sides), material);
}

void Canvas::tube(Vec3 a, Vec3 b, float radius, const Material& material, int sides) {
  mesh(capsule_mesh(a, b, radius, radius, sides), material);
}

void Canvas::line(Vec3 a, Vec3 b, float pixels, Colour colour, float alpha, float lift) {
  lines_.push_back({a, b, pixels, alpha, lift, colour});
}

void Canvas::point(Vec3 at, float pixels, Colour colour, float alpha, float lift) {
  line(at, at, pixels, colour, alpha, lift);
}

void Canvas::ground(const Ground& ground) { ground_ = ground; }

}  // namespace billow::draw
