#include "draw/canvas.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>
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
  std::vector<float> computed;
  std::span<const float> normals = mesh.normals;
  if (normals.size() < 3 * count) normals = computed = smooth_normals(mesh.positions, mesh.indices);

  const auto first = static_cast<uint32_t>(vertices_.size()),
             material_index = static_cast<uint32_t>(materials_.size());
  materials_.push_back(material);
  for (size_t i = 0; i < count; ++i) {
    const float *p = mesh.positions.data() + 3 * i, *n = normals.data() + 3 * i;
    const Colour colour = mesh.colours.size() == count ? mesh.colours[i] : material.colour;
    vertices_.push_back({{p[0], p[1], p[2]}, {n[0], n[1], n[2]}, colour, material.back.value_or(colour)});
  }
  for (size_t t = 0; t + 2 < mesh.indices.size(); t += 3)
    triangles_.push_back({{first + mesh.indices[t], first + mesh.indices[t + 1], first + mesh.indices[t + 2]},
                          material_index});
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

// The rasteriser: opaque triangles and the ground with a depth buffer, then lines, then each translucent
// layer with its nearest surface. All passes run on the supersampled grid, which is averaged at the end.
class Canvas::Renderer {
 public:
  Renderer(const Canvas& canvas, const Camera& camera)
      : canvas_(canvas),
        width_(canvas.width_ * canvas.samples_),
        height_(canvas.height_ * canvas.samples_),
        view_(camera, width_, height_),
        shadow_(canvas.light, casters(canvas)),
        colour_(static_cast<size_t>(width_) * static_cast<size_t>(height_)),
        nearness_(colour_.size(), 0.0f) {}

  Image run() {
    fill_background();
    draw_triangles([](const Material& m) { return m.alpha >= 1; }, colour_, nearness_);
    if (canvas_.ground_) draw_ground(*canvas_.ground_);
    for (const Line& line : canvas_.lines_) draw_line(line);
    for (int layer : layers()) draw_layer(layer);
    return average();
  }

 private:
  static std::vector<Vec3> casters(const Canvas& canvas) {
    std::vector<Vec3> points;
    for (const Triangle& t : canvas.triangles_)
      if (canvas.materials_[t.material].casts_shadow)
        for (uint32_t v : t.vertex) points.push_back(canvas.vertices_[v].position);
    return points;
  }

  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }
  // The index of a sample within its pixel.
  int sample_index(int x, int y) const {
    return x % canvas_.samples_ + canvas_.samples_ * (y % canvas_.samples_);
  }

  void fill_background() {
    for (int y = 0; y < height_; ++y) {
      const float share = static_cast<float>(y) / static_cast<float>(height_);
      const Colour c = mix(canvas_.background_top, canvas_.background_bottom, share);
      std::fill_n(colour_.begin() + static_cast<std::ptrdiff_t>(index(0, y)), width_, c);
    }
  }

  // Draws the triangles whose material passes the filter, with a depth test.
  template <class Filter>
  void draw_triangles(Filter filter, std::vector<Colour>& colour, std::vector<float>& nearness) {
    for (const Triangle& t : canvas_.triangles_) {
      const Material& material = canvas_.materials_[t.material];
      if (!filter(material)) continue;
      std::array<Vertex, 3> corner;
      for (size_t k = 0; k < 3; ++k) corner[k] = canvas_.vertices_[t.vertex[k]];
      const Vec3 face =
          normalised(cross(corner[1].position - corner[0].position, corner[2].position - corner[0].position));
      if (material.flat_shading)
        for (Vertex& v : corner) v.normal = face;
      // Clip against the near plane; up to four corners remain.
      std::array<Vertex, 4> clipped;
      const size_t count = clip(corner, clipped);
      for (size_t k = 2; k < count; ++k)
        draw_triangle({clipped[0], clipped[k - 1], clipped[k]}, face, material, colour, nearness);
    }
  }

  size_t clip(const std::array<Vertex, 3>& corner, std::array<Vertex, 4>& clipped) const {
    size_t count = 0;
    for (size_t k = 0; k < 3; ++k) {
      const Vertex &a = corner[k], &b = corner[(k + 1) % 3];
      const float da = view_.distance(a.position) - kNearPlane, db = view_.distance(b.position) - kNearPlane;
      if (da >= 0) clipped[count++] = a;
      if ((da >= 0) != (db >= 0)) {
        const float s = da / (da - db);
        clipped[count++] = {a.position + s * (b.position - a.position), a.normal + s * (b.normal - a.normal),
                            mix(a.colour, b.colour, s), mix(a.back, b.back, s)};
      }
    }
    return count;
  }

  void draw_triangle(const std::array<Vertex, 3>& v, Vec3 face, const Material& material,
                     std::vector<Colour>& colour, std::vector<float>& nearness) {
    ScreenPoint s[3];
    for (size_t k = 0; k < 3; ++k) s[k] = view_.project(v[k].position, material.lift);
    const bool front = dot(face, view_.eye - v[0].position) >= 0;
    raster_triangle(s[0], s[1], s[2], width_, height_,
                    [&](int x, int y, float near, float b0, float b1, float b2) {
                      const size_t i = index(x, y);
                      if (near <= nearness[i]) return;
                      nearness[i] = near;
                      const Vec3 p = b0 * v[0].position + b1 * v[1].position + b2 * v[2].position;
                      const Vec3 view = normalised(view_.eye - p);
                      Vec3 normal = normalised(b0 * v[0].normal + b1 * v[1].normal + b2 * v[2].normal);
                      if (dot(normal, face) < 0) normal = -1.0f * normal;
                      if (!front) normal = -1.0f * normal;
                      const Colour surface = front ? b0 * v[0].colour + b1 * v[1].colour + b2 * v[2].colour
                                                   : b0 * v[0].back + b1 * v[1].back + b2 * v[2].back;
                      const float lit = shadow_.lit(p, normal, sample_index(x, y));
                      colour[i] = shade(canvas_.light, surface, material.gloss, normal, view, lit);
                    });
  }

  void draw_ground(const Ground& ground) {
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const Vec3 ray = view_.ray(x, y);
        const float along = (ground.height - view_.eye.y) / ray.y;  // infinite or negative: no intersection
        const size_t i = index(x, y);
        if (!(along > kNearPlane && along < 1e6f) || 1 / along <= nearness_[i]) continue;
        const Vec3 p = view_.eye + along * ray;
        const float fade = smooth_step(ground.reach, 0.35f * ground.reach, length(p - ground.centre));
        // Darken the grid lines. Their width grows with distance, so that far lines do not alias.
        Colour surface = ground.colour;
        if (ground.grid > 0) {
          const float half = 0.004f + 0.0012f * along;
          const auto from_line = [&](float v) {
            return std::fabs(v - ground.grid * std::round(v / ground.grid));
          };
          if (std::min(from_line(p.x), from_line(p.z)) < half) surface = 0.86f * surface;
        }
        const Vec3 up = {0, view_.eye.y > ground.height ? 1.0f : -1.0f, 0};
        const Colour c = shade(canvas_.light, surface, 0, up, normalised(view_.eye - p),
                               shadow_.lit(p, up, sample_index(x, y)));
        colour_[i] = mix(colour_[i], c, fade);
        if (fade > 0) nearness_[i] = 1 / along;
      }
  }

  void draw_line(const Line& line) {
    // Clip against the near plane.
    Vec3 a = line.a, b = line.b;
    const float da = view_.distance(a) - kNearPlane, db = view_.distance(b) - kNearPlane;
    if (da < 0 && db < 0) return;
    if (da < 0) a = a + (da / (da - db)) * (b - a);
    if (db < 0) b = b + (db / (db - da)) * (a - b);
    const float radius = 0.5f * line.pixels * static_cast<float>(canvas_.samples_);
    raster_line(view_.project(a, line.lift), view_.project(b, line.lift), radius, width_, height_,
                [&](int x, int y, float near) {
                  const size_t i = index(x, y);
                  if (near <= nearness_[i]) return;
                  colour_[i] = mix(colour_[i], line.colour, line.alpha);
                  if (line.alpha >= 1) nearness_[i] = near;
                });
  }

  std::set<int> layers() const {
    std::set<int> found;
    for (const Material& m : canvas_.materials_)
      if (m.alpha < 1) found.insert(m.layer);
    return found;
  }

  // Draws each alpha of a layer to its own buffer, depth-tested against the scene, then blends it over the
  // picture.
  void draw_layer(int layer) {
    for (float alpha : alphas(layer)) {
      std::vector<Colour> colour(colour_.size());
      std::vector<float> nearness = nearness_;
      draw_triangles([&](const Material& m) { return m.layer == layer && m.alpha == alpha; }, colour,
                     nearness);
      for (size_t i = 0; i < colour_.size(); ++i)
        if (nearness[i] > nearness_[i]) colour_[i] = mix(colour_[i], colour[i], alpha);
    }
  }

  std::set<float> alphas(int layer) const {
    std::set<float> found;
    for (const Material& m : canvas_.materials_)
      if (m.alpha < 1 && m.layer == layer) found.insert(m.alpha);
    return found;
  }

  Image average() const {
    Image image(canvas_.width_, canvas_.height_);
    const int n = canvas_.samples_;
    const float share = 1.0f / static_cast<float>(n * n);
    for (int y = 0; y < canvas_.height_; ++y)
      for (int x = 0; x < canvas_.width_; ++x) {
        Colour sum;
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i) {
            // Clamp each sample before averaging, so that a bright highlight keeps an antialiased edge.
            const Colour& c = colour_[index(n * x + i, n * y + j)];
            sum = sum + Colour{std::min(c.r, 1.0f), std::min(c.g, 1.0f), std::min(c.b, 1.0f)};
          }
        image.at(x, y) = share * sum;
      }
    return image;
  }

  const Canvas& canvas_;
  int width_, height_;
  View view_;
  ShadowMap shadow_;
  std::vector<Colour> colour_;
  std::vector<float> nearness_;
};

Image Canvas::render(const Camera& camera) const { return Renderer(*this, camera).run(); }

#ifndef BILLOW_EMBREE
// Fall back to the rasteriser; embree/trace.cpp has the ray tracer.
Image Canvas::trace(const Camera& camera, int, int) const { return render(camera); }
bool Canvas::can_trace() { return false; }
#endif

}  // namespace billow::draw
