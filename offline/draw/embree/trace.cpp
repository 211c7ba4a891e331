// Canvas::trace: rays through Embree. Each ray of a pixel meets a surface, which is lit by one point of the key light, one of a
// rim light behind, and one direction of the sky; where that direction is not free, by what the surface there sends back.
#include <embree3/rtcore.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>

#include "draw/canvas.h"
#include "draw/embree/samples.h"
#include "draw/embree/surface.h"

namespace billow::draw {
namespace {

constexpr float kOff = 4e-4f;        // m that rays start off a surface
constexpr float kKeySpread = 0.09f;  // tangent of the key light's half angle
constexpr float kRimSpread = 0.20f;
constexpr uint32_t kSeen = 1, kCasts = 2;  // masks: of what the eye sees, of what casts shadows

// Bright light bends over softly to white instead of being cut off.
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
    // From behind and aside, opposite to the key light, as the eye sees it.
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
  // Lines become tubes as thin as they were wide in pixels, moved toward the eye by their lift.
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
                 kind = static_cast<uint32_t>(materials_.size());
      materials_.push_back({.colour = line.colour, .alpha = line.alpha, .casts_shadow = false});
      unlit_from_ = std::min(unlit_from_, kind);
      for (size_t i = 0; i + 2 < tube.positions.size(); i += 3) {
        const float *p = &tube.positions[i], *n = &tube.normals[i];
        vertices_.push_back({{p[0], p[1], p[2]}, {n[0], n[1], n[2]}, line.colour, line.colour});
      }
      for (size_t t = 0; t + 2 < tube.indices.size(); t += 3)
        triangles_.push_back(
            {{first + tube.indices[t], first + tube.indices[t + 1], first + tube.indices[t + 2]}, kind});
    }
  }

  // Two geometries, because a mask is a geometry's: what casts shadows, and what does not.
  void add_geometries() {
    std::stable_partition(triangles_.begin(), triangles_.end(),
                          [&](const Triangle& t) { return materials_[t.material].casts_shadow; });
    size_t begin = 0;
    for (const bool casts : {true, false}) {
      size_t end = begin;
      while (end < triangles_.size() && materials_[triangles_[end].material].casts_shadow == casts) ++end;
      first_triangle_.push_back(begin);
      if (end > begin) add_geometry(begin, end, casts ? kSeen | kCasts : kSeen, casts ? 0 : 1);
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
    // Where the first few rays see the same bright ground or background, there is nothing to smooth.
    constexpr int kFew = 16;
    constexpr float kSame = 0.004f, kBright = 1.8f;  // sums of three channels
    Colour sum;
    float low = 1e30f, high = -1e30f;
    int taken = 0;
    while (taken < rays && (taken != kFew || high - low > kSame || low < kBright)) {
      const float px = static_cast<float>(x) + random[0], py = static_cast<float>(y) + random[1];
      const Vec3 ray =
          normalised(forward_ + (tangent_ * (2 * px - w) / h) * right_ + (tangent_ * (1 - 2 * py / h)) * up_);
      const Colour c = seen(camera_.eye, ray, py / h, random);
      sum = sum + Colour{soft_clip(c.r), soft_clip(c.g), soft_clip(c.b)};
      low = std::min(low, c.r + c.g + c.b), high = std::max(high, c.r + c.g + c.b);
      ++taken;
      random.next();
    }
    return (1 / static_cast<float>(taken)) * sum;
  }

  Colour seen(Vec3 from, Vec3 ray, float share, const Samples& random) const {
    const Colour behind = mix(canvas_.background_top, canvas_.background_bottom, share);
    float start = 0;
    // What is partly clear lets a part of the rays through.
    for (int layer = 0; layer < 16; ++layer) {
      Met met;
      float distance = 0;
      const std::optional<uint32_t> hit = meet(from, ray, start, met, distance);
      const float ground = ground_at(from, ray);
      if (ground > 0 && (!hit || ground < distance)) return on_ground(from, ray, ground, behind, random);
      if (!hit) return behind;
      const float alpha = materials_[*hit].alpha, chance = random[9] + 0.618034f * static_cast<float>(layer);
      if (alpha < 1 && chance - std::floor(chance) > alpha) {
        start = distance + kOff;
        continue;
      }
      return *hit >= unlit_from_ ? met.colour : lit(met, -1.0f * ray, random);
    }
    return behind;
  }

  // Gives the material that was met.
  std::optional<uint32_t> meet(Vec3 from, Vec3 ray, float start, Met& met, float& distance) const {
    RTCRayHit r{};
    r.ray = {from.x, from.y, from.z, start, ray.x, ray.y, ray.z, 0, 1e30f, kSeen, 0, 0};
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
    met.point = from + distance * ray;
    Vec3 face = normalised({r.hit.Ng_x, r.hit.Ng_y, r.hit.Ng_z});
    Vec3 normal = material.pattern_uvs ? face : normalised(w * a.normal + u * b.normal + v * c.normal);
    if (dot(normal, face) < 0) normal = -1.0f * normal;
    const bool front = dot(face, ray) <= 0;
    met.colour = front ? w * a.colour + u * b.colour + v * c.colour : w * a.back + u * b.back + v * c.back;
    met.face = front ? face : -1.0f * face;
    met.normal = front ? normal : -1.0f * normal;
    met.gloss = material.gloss, met.finish = material.finish;
    return t.material;
  }

  bool free(Vec3 from, Vec3 toward, float reach) const {
    RTCRay r{from.x, from.y, from.z, kOff, toward.x, toward.y, toward.z, 0, reach, kCasts, 0, 0};
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(scene_.get(), &context, &r);
    return r.tfar > 0;
  }

  Colour sky(Vec3 toward) const {
    return mix(canvas_.light.bounce, canvas_.light.sky, smooth_step(-0.4f, 0.7f, toward.y));
  }

  Colour lit(const Met& met, Vec3 eye, const Samples& random) const {
    const Vec3 start = met.point + kOff * met.face;
    Colour out;
    const Vec3 key = cone_direction(key_, kKeySpread, random[2], random[3]);
    // Skin takes light a little round the edge; shadows begin at the face itself.
    if (dot(met.face, key) > -0.2f && free(start + (2 * kOff) * key, key, 1e30f))
      out = out + canvas_.light.key * reflected(met, key, eye);
    const Vec3 rim = cone_direction(rim_, kRimSpread, random[4], random[5]);
    if (dot(met.face, rim) > 0 && free(start, rim, 1e30f))
      out = out + 0.45f * (canvas_.light.sky * reflected(met, rim, eye));
    return out + met.colour * around(met, random);
  }

  // Light from the sky, and from what hides it.
  Colour around(const Met& met, const Samples& random) const {
    const Vec3 toward = cosine_direction(met.normal, random[6], random[7]);
    if (dot(toward, met.face) <= 0) return 0.4f * sky(toward);
    Met other;
    float distance = 0;
    if (!meet(met.point + kOff * met.face, toward, kOff, other, distance)) {
      const float ground = ground_at(met.point, toward);
      // The ground is in the shade of whoever stands on it where that is near.
      if (ground > 0)
        return smooth_step(0.0f, 1.2f, ground) * canvas_.light.bounce + 0.25f * canvas_.light.bounce;
      return sky(toward);
    }
    return 0.45f * (other.colour * sky(other.normal));
  }

  float ground_at(Vec3 from, Vec3 ray) const {
    if (!canvas_.ground_ || ray.y >= -1e-5f) return 0;
    const float along = (canvas_.ground_->height - from.y) / ray.y;
    return along > 1e-4f && along < 1e4f ? along : 0;
  }

  Colour on_ground(Vec3 from, Vec3 ray, float along, Colour behind, const Samples& random) const {
    const Ground& ground = *canvas_.ground_;
    Met met{from + along * ray, {0, 1, 0}, {0, 1, 0}, ground.colour};
    const float fade = smooth_step(ground.reach, 0.35f * ground.reach, length(met.point - ground.centre));
    if (fade <= 0) return behind;
    if (ground.grid > 0) {
      const float half = 0.003f + 0.0006f * along;
      const auto from_line = [&](float v) {
        return std::fabs(v - ground.grid * std::round(v / ground.grid));
      };
      if (std::min(from_line(met.point.x), from_line(met.point.z)) < half) met.colour = 0.90f * met.colour;
    }
    // As if lit evenly, times the share of light that is kept from it: so the ground goes over into the background.
    const Vec3 key = cone_direction(key_, kKeySpread, random[2], random[3]);
    const Vec3 around = cosine_direction(met.normal, random[6], random[7]);
    const float direct = free(met.point, key, 1e30f) ? 0.62f : 0.0f;
    const float ambient = free(met.point, around, 3.0f) ? 0.38f : 0.06f;
    return mix(behind, (direct + ambient) * met.colour, fade);
  }

  const Canvas& canvas_;
  Camera camera_;
  Vec3 forward_, right_, up_;
  float tangent_;
  Vec3 key_, rim_;
  std::vector<Vertex> vertices_;
  std::vector<Triangle> triangles_;
  std::vector<Material> materials_;
  uint32_t unlit_from_ = UINT32_MAX;    // materials of lines
  std::vector<size_t> first_triangle_;  // of each geometry
  std::unique_ptr<RTCDeviceTy, ReleaseDevice> device_;
  std::unique_ptr<RTCSceneTy, ReleaseScene> scene_;
};

Image Canvas::trace(const Camera& camera, int rays, int threads) const {
  return Tracer(*this, camera).run(std::clamp(rays, 1, 4096), threads);
}
bool Canvas::can_trace() { return true; }

}  // namespace billow::draw
