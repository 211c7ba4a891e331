// Canvas::trace: a Monte Carlo ray tracer on Embree. Each camera ray takes one sample of the key light, one
// of a rim light behind the subject and one of the hemisphere: the sky, or one diffuse bounce where a surface
// hides it.
#include <embree3/rtcore.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <thread>

#include "draw/canvas.h"

namespace billow::draw {
namespace {

constexpr float kRayBias = 4e-4f;    // offset of secondary rays from a surface, m
constexpr float kKeySpread = 0.09f;  // tangent of the key light's half angle
constexpr float kRimSpread = 0.20f;
constexpr uint32_t kVisibleMask = 1, kShadowMask = 2;  // ray masks of camera rays and of shadow rays

// A low-discrepancy sequence with a random offset per pixel (Cranley-Patterson rotation), so that the error
// looks like fine grain.
class Samples {
 public:
  static constexpr size_t kDimensions = 10;

  Samples(uint32_t x, uint32_t y) {
    for (uint32_t d = 0; d < kDimensions; ++d) shift_[d] = hash(x, y, d);
  }
  void next() { ++index_; }
  // Each dimension advances by an irrational step: powers of the generalised golden ratio.
  float operator[](size_t dimension) const {
    static const std::array<double, kDimensions> steps = make_steps();
    const double v = shift_[dimension] + steps[dimension] * index_;
    return static_cast<float>(v - std::floor(v));
  }

 private:
  static std::array<double, kDimensions> make_steps() {
    double root = 1.5;  // of x^(d+1) = x + 1
    for (int i = 0; i < 60; ++i) root = std::pow(1 + root, 1.0 / (kDimensions + 1));
    std::array<double, kDimensions> steps{};
    double power = 1;
    for (double& s : steps) s = power /= root;
    return steps;
  }
  static double hash(uint32_t x, uint32_t y, uint32_t d) {
    uint32_t h = x * 0x9e3779b1u ^ (y * 0x85ebca77u + 0x165667b1u) ^ (d * 0xc2b2ae3du);
    h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    h = (h ^ (h >> 12)) * 0x297a2d39u;
    return (h ^ (h >> 15)) / 4294967296.0;
  }
  std::array<double, kDimensions> shift_{};
  uint32_t index_ = 0;
};

// A cosine-weighted direction of the hemisphere about a normal.
Vec3 cosine_direction(Vec3 normal, float u, float v) {
  const float r = std::sqrt(u), angle = 2 * std::numbers::pi_v<float> * v;
  const Vec3 a = across(normal), b = cross(normal, a);
  return normalised((r * std::cos(angle)) * a + (r * std::sin(angle)) * b +
                    std::sqrt(std::fmax(0.0f, 1 - u)) * normal);
}

// A direction within a cone; `spread` is the tangent of its half angle.
Vec3 cone_direction(Vec3 axis, float spread, float u, float v) {
  const float r = spread * std::sqrt(u), angle = 2 * std::numbers::pi_v<float> * v;
  const Vec3 a = across(axis), b = cross(axis, a);
  return normalised(axis + (r * std::cos(angle)) * a + (r * std::sin(angle)) * b);
}

struct SurfaceHit {
  Vec3 point, normal, face;  // shading normal and face normal, both towards the ray's origin
  Colour colour;
  float gloss = 0;
  Finish finish = Finish::kPlain;
};

// BRDF times cosine for one light direction.
Colour reflected(const SurfaceHit& at, Vec3 toward_light, Vec3 toward_eye) {
  const float n_dot_l = dot(at.normal, toward_light), n_dot_v = std::max(0.0f, dot(at.normal, toward_eye));
  const Vec3 half = normalised(toward_light + toward_eye);
  const float n_dot_h = std::max(0.0f, dot(at.normal, half));
  switch (at.finish) {
    case Finish::kSkin: {
      // Approximate subsurface scattering by wrapped diffuse light, widest in red.
      const auto wrapped = [&](float wrap) { return std::max(0.0f, (n_dot_l + wrap) / (1 + wrap)); };
      const Colour soft{wrapped(0.28f), wrapped(0.16f), wrapped(0.10f)};
      const float shine = 0.10f * std::pow(n_dot_h, 22.0f) * std::max(0.0f, n_dot_l);
      return at.colour * soft + Colour{shine, shine, shine};
    }
    case Finish::kCloth: {
      // Add the sheen of fibres at grazing angles and a broad, weak highlight.
      const float lit = std::max(0.0f, n_dot_l);
      const float sheen = 0.35f * std::pow(1 - n_dot_v, 3.0f) * lit;
      const float shine = at.gloss * std::pow(n_dot_h, 10.0f) * lit;
      const Colour pale = mix(at.colour, {1, 1, 1}, 0.45f);
      return lit * at.colour + (sheen + shine) * pale;
    }
    case Finish::kPlain:
      break;
  }
  const float lit = std::max(0.0f, n_dot_l), shine = at.gloss * std::pow(n_dot_h, 30.0f) * lit;
  return lit * at.colour + Colour{shine, shine, shine};
}

// Tone curve: compresses highlights smoothly towards 1.
float soft_clip(float v) { return v < 0.7f ? v : 0.7f + 0.3f * (1 - std::exp(-(v - 0.7f) / 0.3f)); }

}  // namespace

class Canvas::Tracer {
  struct ReleaseDevice {
    void operator()(RTCDevice d) const { rtcReleaseDevice(d); }
  };
  struct ReleaseScene {
    void operator()(RTCScene s) const { rtcReleaseScene(s); }
  };

 public:
  Tracer(const Canvas& canvas, const Camera& camera)
      : canvas_(canvas),
        camera_(camera),
        forward_(normalised(camera.target - camera.eye)),
        right_(normalised(cross(forward_, camera.up))),
        up_(cross(right_, forward_)),
        tangent_(std::tan(camera.field_of_view / 2)),
        key_(normalised(canvas.light.toward)) {
    // Place the rim light behind the subject, on the side opposite to the key light in view space.
    rim_ = normalised(forward_ - (dot(key_, right_) > 0 ? 0.8f : -0.8f) * right_ + 0.55f * up_);
    device_.reset(rtcNewDevice(nullptr));
    if (!device_) throw std::runtime_error("Embree did not start");
    scene_.reset(rtcNewScene(device_.get()));
    triangles_ = canvas.triangles_;
    vertices_ = canvas.vertices_;
    materials_ = canvas.materials_;
    add_lines();
    add_geometries();
    rtcCommitScene(scene_.get());
  }

  Image run(int rays, int threads) const {
    Image image(canvas_.width_, canvas_.height_);
    std::atomic<int> next_row{0};
    const auto work = [&] {
      for (int y; (y = next_row++) < canvas_.height_;)
        for (int x = 0; x < canvas_.width_; ++x) image.at(x, y) = pixel(x, y, rays);
    };
    std::vector<std::thread> others;
    const int count =
        threads > 0 ? threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    for (int i = 1; i < count; ++i) others.emplace_back(work);
    work();
    for (std::thread& t : others) t.join();
    return image;
  }

 private:
  // Lines become capsules of the same width in pixels, moved towards the eye by their lift.
  void add_lines() {
    const float pixel = 2 * tangent_ / static_cast<float>(canvas_.height_);
    for (const Line& line : canvas_.lines_) {
      const auto lifted = [&](Vec3 p) { return p + line.lift * normalised(camera_.eye - p); };
      const auto radius = [&](Vec3 p) { return 0.5f * line.pixels * pixel * dot(p - camera_.eye, forward_); };
      const Vec3 a = lifted(line.a), b = lifted(line.b);
      if (dot(a - camera_.eye, forward_) <= 0 || dot(b - camera_.eye, forward_) <= 0) continue;
      const Mesh tube =
          length(b - a) > 1e-6f ? capsule_mesh(a, b, radius(a), radius(b), 8) : sphere_mesh(a, radius(a), 10);
      const auto first = static_cast<uint32_t>(vertices_.size()),
                 material_index = static_cast<uint32_t>(materials_.size());
      materials_.push_back({.colour = line.colour, .alpha = line.alpha, .casts_shadow = false});
      unlit_from_ = std::min(unlit_from_, material_index);
      for (size_t i = 0; i + 2 < tube.positions.size(); i += 3) {
        const float *p = &tube.positions[i], *n = &tube.normals[i];
        vertices_.push_back({{p[0], p[1], p[2]}, {n[0], n[1], n[2]}, line.colour, line.colour});
      }
      for (size_t t = 0; t + 2 < tube.indices.size(); t += 3)
        triangles_.push_back(
            {{first + tube.indices[t], first + tube.indices[t + 1], first + tube.indices[t + 2]},
             material_index});
    }
  }

  // Embree's masks are per geometry: one for shadow casters, one for the rest.
  void add_geometries() {
    std::stable_partition(triangles_.begin(), triangles_.end(),
                          [&](const Triangle& t) { return materials_[t.material].casts_shadow; });
    size_t begin = 0;
    for (const bool casts : {true, false}) {
      size_t end = begin;
      while (end < triangles_.size() && materials_[triangles_[end].material].casts_shadow == casts) ++end;
      first_triangle_.push_back(begin);
      if (end > begin)
        add_geometry(begin, end, casts ? kVisibleMask | kShadowMask : kVisibleMask, casts ? 0 : 1);
      begin = end;
    }
  }

  void add_geometry(size_t begin, size_t end, uint32_t mask, uint32_t id) {
    const RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* points = static_cast<float*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), vertices_.size()));
    for (size_t i = 0; i < vertices_.size(); ++i) {
      const Vec3 p = vertices_[i].position;
      points[3 * i] = p.x, points[3 * i + 1] = p.y, points[3 * i + 2] = p.z;
    }
    auto* indices = static_cast<uint32_t*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t), end - begin));
    for (size_t t = begin; t < end; ++t) std::copy_n(triangles_[t].vertex, 3, indices + 3 * (t - begin));
    rtcSetGeometryMask(geometry, mask);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene_.get(), geometry, id);
    rtcReleaseGeometry(geometry);
  }

  Colour pixel(int x, int y, int rays) const {
    Samples random(static_cast<uint32_t>(x), static_cast<uint32_t>(y));
    const float w = static_cast<float>(canvas_.width_), h = static_cast<float>(canvas_.height_);
    // Stop early where the first rays agree on bright ground or background: nothing there needs antialiasing.
    constexpr int kFirstRays = 16;
    constexpr float kMaxSpread = 0.004f, kBright = 1.8f;  // sums of three channels
    Colour sum;
    float low = 1e30f, high = -1e30f;
    int taken = 0;
    while (taken < rays && (taken != kFirstRays || high - low > kMaxSpread || low < kBright)) {
      const float px = static_cast<float>(x) + random[0], py = static_cast<float>(y) + random[1];
      const Vec3 ray =
          normalised(forward_ + (tangent_ * (2 * px - w) / h) * right_ + (tangent_ * (1 - 2 * py / h)) * up_);
      const Colour c = radiance(camera_.eye, ray, py / h, random);
      sum = sum + Colour{soft_clip(c.r), soft_clip(c.g), soft_clip(c.b)};
      low = std::min(low, c.r + c.g + c.b), high = std::max(high, c.r + c.g + c.b);
      ++taken;
      random.next();
    }
    return (1 / static_cast<float>(taken)) * sum;
  }

  // Light along a camera ray. `height` is the ray's position in the picture, 0 at the top and 1 at the
  // bottom.
  Colour radiance(Vec3 from, Vec3 ray, float height, const Samples& random) const {
    const Colour behind = mix(canvas_.background_top, canvas_.background_bottom, height);
    float start = 0;
    // Stochastic transparency: a translucent surface passes a fraction 1 - alpha of the rays.
    for (int layer = 0; layer < 16; ++layer) {
      SurfaceHit hit;
      float distance = 0;
      const std::optional<uint32_t> material = intersect(from, ray, start, hit, distance);
      const float ground = intersect_ground(from, ray);
      if (ground > 0 && (!material || ground < distance))
        return shade_ground(from, ray, ground, behind, random);
      if (!material) return behind;
      const float alpha = materials_[*material].alpha,
                  chance = random[9] + 0.618034f * static_cast<float>(layer);
      if (alpha < 1 && chance - std::floor(chance) > alpha) {
        start = distance + kRayBias;
        continue;
      }
      return *material >= unlit_from_ ? hit.colour : shade_surface(hit, -1.0f * ray, random);
    }
    return behind;
  }

  // The index of the material that the ray hits, if any.
  std::optional<uint32_t> intersect(Vec3 from, Vec3 ray, float start, SurfaceHit& hit,
                                    float& distance) const {
    RTCRayHit r{};
    r.ray = {from.x, from.y, from.z, start, ray.x, ray.y, ray.z, 0, 1e30f, kVisibleMask, 0, 0};
    r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcIntersect1(scene_.get(), &context, &r);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
    const Triangle& t = triangles_[first_triangle_[r.hit.geomID] + r.hit.primID];
    const Material& material = materials_[t.material];
    const Vertex &a = vertices_[t.vertex[0]], &b = vertices_[t.vertex[1]], &c = vertices_[t.vertex[2]];
    const float u = r.hit.u, v = r.hit.v, w = 1 - u - v;
    distance = r.ray.tfar;
    hit.point = from + distance * ray;
    Vec3 face = normalised({r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z});
    Vec3 normal = material.flat_shading ? face : normalised(w * a.normal + u * b.normal + v * c.normal);
    if (dot(normal, face) < 0) normal = -1.0f * normal;
    const bool front = dot(face, ray) <= 0;
    hit.colour = front ? w * a.colour + u * b.colour + v * c.colour : w * a.back + u * b.back + v * c.back;
    hit.face = front ? face : -1.0f * face;
    hit.normal = front ? normal : -1.0f * normal;
    hit.gloss = material.gloss, hit.finish = material.finish;
    return t.material;
  }

  bool unoccluded(Vec3 from, Vec3 toward, float reach) const {
    RTCRay r{from.x, from.y, from.z, kRayBias, toward.x, toward.y, toward.z, 0, reach, kShadowMask, 0, 0};
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene_.get(), &context, &r);
    return r.tfar > 0;
  }

  Colour sky(Vec3 toward) const {
    return mix(canvas_.light.bounce, canvas_.light.sky, smooth_step(-0.4f, 0.7f, toward.y));
  }

  Colour shade_surface(const SurfaceHit& hit, Vec3 eye, const Samples& random) const {
    const Vec3 start = hit.point + kRayBias * hit.face;
    Colour out;
    const Vec3 key = cone_direction(key_, kKeySpread, random[2], random[3]);
    // Wrapped diffuse light of skin reaches slightly behind the terminator.
    if (dot(hit.face, key) > -0.2f && unoccluded(start + (2 * kRayBias) * key, key, 1e30f))
      out = out + canvas_.light.key * reflected(hit, key, eye);
    const Vec3 rim = cone_direction(rim_, kRimSpread, random[4], random[5]);
    if (dot(hit.face, rim) > 0 && unoccluded(start, rim, 1e30f))
      out = out + 0.45f * (canvas_.light.sky * reflected(hit, rim, eye));
    return out + hit.colour * ambient(hit, random);
  }

  // One hemisphere sample: the sky, the ground, or one diffuse bounce.
  Colour ambient(const SurfaceHit& hit, const Samples& random) const {
    const Vec3 toward = cosine_direction(hit.normal, random[6], random[7]);
    if (dot(toward, hit.face) <= 0) return 0.4f * sky(toward);
    SurfaceHit other;
    float distance = 0;
    if (!intersect(hit.point + kRayBias * hit.face, toward, kRayBias, other, distance)) {
      const float ground = intersect_ground(hit.point, toward);
      // Darken ground that is near: the subject stands on it and shades it.
      if (ground > 0)
        return smooth_step(0.0f, 1.2f, ground) * canvas_.light.bounce + 0.25f * canvas_.light.bounce;
      return sky(toward);
    }
    return 0.45f * (other.colour * sky(other.normal));
  }

  // The distance along a ray to the ground; 0 if it misses.
  float intersect_ground(Vec3 from, Vec3 ray) const {
    if (!canvas_.ground_ || ray.y >= -1e-5f) return 0;
    const float along = (canvas_.ground_->height - from.y) / ray.y;
    return along > 1e-4f && along < 1e4f ? along : 0;
  }

  Colour shade_ground(Vec3 from, Vec3 ray, float along, Colour behind, const Samples& random) const {
    const Ground& ground = *canvas_.ground_;
    SurfaceHit hit{from + along * ray, {0, 1, 0}, {0, 1, 0}, ground.colour};
    const float fade = smooth_step(ground.reach, 0.35f * ground.reach, length(hit.point - ground.centre));
    if (fade <= 0) return behind;
    if (ground.grid > 0) {
      const float half = 0.003f + 0.0006f * along;
      const auto from_line = [&](float v) {
        return std::fabs(v - ground.grid * std::round(v / ground.grid));
      };
      if (std::min(from_line(hit.point.x), from_line(hit.point.z)) < half) hit.colour = 0.90f * hit.colour;
    }
    // Use a constant irradiance times visibility, so that the ground fades into the background without a
    // seam.
    const Vec3 key = cone_direction(key_, kKeySpread, random[2], random[3]);
    const Vec3 sky_direction = cosine_direction(hit.normal, random[6], random[7]);
    const float direct = unoccluded(hit.point, key, 1e30f) ? 0.62f : 0.0f;
    const float ambient = unoccluded(hit.point, sky_direction, 3.0f) ? 0.38f : 0.06f;
    return mix(behind, (direct + ambient) * hit.colour, fade);
  }

  const Canvas& canvas_;
  Camera camera_;
  Vec3 forward_, right_, up_;
  float tangent_;
  Vec3 key_, rim_;
  std::vector<Vertex> vertices_;
  std::vector<Triangle> triangles_;
  std::vector<Material> materials_;
  uint32_t unlit_from_ = UINT32_MAX;    // materials from this index on are those of lines
  std::vector<size_t> first_triangle_;  // index of each geometry's first triangle
  std::unique_ptr<RTCDeviceTy, ReleaseDevice> device_;
  std::unique_ptr<RTCSceneTy, ReleaseScene> scene_;
};

Image Canvas::trace(const Camera& camera, int rays, int threads) const {
  return Tracer(*this, camera).run(std::clamp(rays, 1, 4096), threads);
}
bool Canvas::can_trace() { return true; }

}  // namespace billow::draw
