// A 3D scene of bodies, cloth and ropes, and its software renderer: add primitives, then render from a
// camera.
//
//     Canvas canvas(600, 600);
//     canvas.ground(0);
//     canvas.capsule({0, 1, 0}, {0, 1.5f, 0}, 0.2f, 0.1f, {srgb(0xd0b8a8)});
//     canvas.line({0, 1, 0}, {1, 1, 0}, 2, srgb(0x2e9e4f));
//     write_png(canvas.render({.eye = {3, 2, 3}, .target = {0, 1, 0}}), "picture.png");
//
// Triangles are lit on both sides. Metres, right-handed, y up.
#pragma once

#include <optional>
#include <vector>

#include "draw/image.h"
#include "draw/light.h"
#include "draw/mesh.h"
#include "draw/view.h"

namespace billow::draw {

// The reflection model of the ray tracer. The rasteriser ignores it and uses gloss only.
enum class Finish { kPlain, kCloth, kSkin };

struct Material {
  Colour colour = {0.6f, 0.6f, 0.6f};
  std::optional<Colour> back = {};  // colour of back faces (clockwise winding); none: as the front
  float alpha = 1;
  // Translucent materials (alpha under 1) of one layer show their nearest surface only, so that a body of
  // many colliders looks like one. Layers are blended in ascending order.
  int layer = 0;
  bool flat_shading = false;  // one normal per triangle
  bool casts_shadow = true;
  float gloss = 0.15f;
  Finish finish = Finish::kPlain;
  float lift = 0;  // depth bias towards the eye, m
};

struct Ground {
  float height = 0;
  float grid = 0.5f;  // spacing of grid lines, m; 0: no grid
  Colour colour = {0.62f, 0.63f, 0.65f};
  Vec3 centre = {};  // the ground fades out with distance from here
  float reach = 6;   // distance at which it is fully transparent, m
};

class Canvas {
 public:
  // Supersampling: `samples` x `samples` per pixel.
  Canvas(int width, int height, int samples = 3);

  Light light;
  Colour background_top = {0.80f, 0.85f, 0.91f}, background_bottom = {0.92f, 0.93f, 0.94f};

  // Throws std::out_of_range for an index beyond the vertices.
  void mesh(const MeshView& mesh, const Material& material);
  void sphere(Vec3 centre, float radius, const Material& material, int sides = 32);
  void capsule(Vec3 a, Vec3 b, float radius_a, float radius_b, const Material& material, int sides = 32);
  void tube(Vec3 a, Vec3 b, float radius, const Material& material, int sides = 10);
  // An unlit line. `lift` is a depth bias towards the eye in metres, so that a line on a surface stays
  // visible.
  void line(Vec3 a, Vec3 b, float pixels, Colour colour, float alpha = 1, float lift = 0.004f);
  void point(Vec3 at, float pixels, Colour colour, float alpha = 1, float lift = 0.004f);
  void ground(const Ground& ground);

  Image render(const Camera& camera) const;

  // Renders by ray tracing: area lights, ambient light and the reflection models of Finish. Slower. Without
  // Embree at build time (can_trace() is false) this is render(). `rays` per pixel; `threads` 0 uses all
  // cores.
  Image trace(const Camera& camera, int rays = 64, int threads = 0) const;
  static bool can_trace();

 private:
  struct Vertex {
    Vec3 position, normal;
    Colour colour, back;
  };
  struct Triangle {
    uint32_t vertex[3];
    uint32_t material;
  };
  struct Line {
    Vec3 a, b;
    float pixels, alpha, lift;
    Colour colour;
  };
  class Renderer;
  class Tracer;

  int width_, height_, samples_;
  std::vector<Vertex> vertices_;
  std::vector<Triangle> triangles_;
  std::vector<Material> materials_;
  std::vector<Line> lines_;
  std::optional<Ground> ground_;
};

}  // namespace billow::draw
