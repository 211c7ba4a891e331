#include "picture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <thread>

#include "draw/paint.h"
#include "draw_body.h"
#include "parallel.h"

namespace billow::tool {
namespace {

using draw::Vec3;

constexpr float kDegree = std::numbers::pi_v<float> / 180;
constexpr size_t kMaxPicturesAtATime = 16;  // about 100 MB each

}  // namespace

PictureStyle style_for(const garment::Garment& garment) {
  PictureStyle style;
  if (!garment.closed) return style;
  style.azimuth = 35, style.behind = 0;
  style.cloth = draw::srgb(0x2f5da8), style.lining = draw::srgb(0x234a86);
  return style;
}

std::vector<Following> follow(std::span<const V3> pelvis, float first_heading, float frames_per_second) {
  // Average over half a second either way, so that the camera does not bob and sway with the person.
  const auto max_half_window = static_cast<std::ptrdiff_t>(0.5f * frames_per_second),
             count = std::ssize(pelvis);
  const V3 travel = pelvis.back() - pelvis.front();
  const float heading =
      std::hypot(travel.x, travel.z) > 1.5f ? std::atan2(travel.x, travel.z) : first_heading;
  std::vector<Following> all;
  for (std::ptrdiff_t f = 0; f < count; ++f) {
    V3 sum{0, 0, 0};
    // Keep the window symmetric near the ends, where the mean would otherwise lag or lead.
    const std::ptrdiff_t half_window = std::min({max_half_window, f, count - 1 - f});
    for (std::ptrdiff_t k = f - half_window; k <= f + half_window; ++k) sum += pelvis[static_cast<size_t>(k)];
    sum = sum * (1 / static_cast<float>(2 * half_window + 1));
    all.push_back({{sum.x, 0, sum.z}, heading});
  }
  return all;
}

std::vector<Following> follow(const Playback& playback) {
  std::vector<V3> pelvis;
  for (size_t f = 0; f < playback.frames(); ++f) pelvis.push_back(playback.joints_at(f)[0].position);
  const V3 ahead = rotate(playback.joints_at(0)[0].rotation, {0, 0, 1});
  return follow(pelvis, std::atan2(ahead.x, ahead.z), playback.clip().frames_per_second);
}

Following following(const std::vector<Transform>& joints) {
  const V3 ahead = rotate(joints[0].rotation, {0, 0, 1});
  return {{joints[0].position.x, 0, joints[0].position.z}, std::atan2(ahead.x, ahead.z)};
}

Picture::Picture(const PictureStyle& style, const DrawnBody& body, const std::vector<Transform>& joints)
    : style_(style), canvas_(style.width, style.height, style.samples) {
  body.draw(canvas_, joints);
}

void Picture::add_cloth(std::span<const float> positions, std::span<const garment::Triangle> triangles,
                        float alpha) {
  canvas_.mesh({.positions = positions, .indices = {triangles[0].data(), 3 * triangles.size()}},
               {.colour = style_.cloth,
                .back = style_.lining,
                .alpha = alpha,
                .casts_shadow = alpha >= 1,
                .gloss = style_.gloss,
                .finish = draw::Finish::kCloth});
}

void Picture::add_clothes(const Playback& playback) {
  add_cloth(playback.positions(), playback.garment().triangles);
  if (!playback.under()) return;
  const PictureStyle outer = style_;
  const PictureStyle inner = style_for(playback.under()->garment());
  style_.cloth = inner.cloth, style_.lining = inner.lining;
  add_clothes(*playback.under());
  style_ = outer;
}

void Picture::add_dots(std::span<const V3> positions, draw::Colour colour) {
  for (const V3& p : positions) canvas_.sphere(to_draw(p), 0.009f, {.colour = colour}, 8);
}

void Picture::add_chains(const garment::Garment& garment, std::span<const V3> bones) {
  const draw::Material rope{.colour = draw::srgb(0x159a3c), .gloss = 0.3f},
      lateral{.colour = draw::srgb(0x8a2fd0), .gloss = 0.2f},
      bone{.colour = draw::srgb(0x0f5a26), .gloss = 0.3f},
      fixed{.colour = draw::srgb(0x1f5fbf), .gloss = 0.3f};
  const auto at = [&](uint32_t b) { return to_draw(bones[b]); };
  std::vector<bool> in_chain(bones.size());
  for (size_t c = 0; c < garment.chains.size(); ++c) {
    const auto& chain = garment.chains[c];
    for (size_t i = 0; i < chain.size(); ++i) {
      in_chain[chain[i]] = true;
      canvas_.sphere(at(chain[i]), 0.010f, bone, 12);
      if (i > 0) canvas_.tube(at(chain[i - 1]), at(chain[i]), 0.006f, rope);
    }
    if (c + 1 == garment.chains.size() && !garment.closed) continue;
    const auto& next = garment.chains[(c + 1) % garment.chains.size()];
    for (size_t i = 1; i < std::min(chain.size(), next.size()); ++i)
      canvas_.tube(at(chain[i]), at(next[i]), 0.0028f, lateral, 6);
  }
  for (uint32_t b = 0; b < bones.size(); ++b)
    if (!in_chain[b]) canvas_.sphere(at(b), 0.008f, fixed, 10);
}

draw::Image Picture::make(const Following& at, const std::string& label) const {
  const float azimuth = at.heading + kDegree * style_.azimuth, elevation = kDegree * style_.elevation;
  const Vec3 target{at.place.x - style_.behind * std::sin(at.heading), style_.look_at,
                    at.place.z - style_.behind * std::cos(at.heading)};
  const Vec3 from{style_.distance * std::cos(elevation) * std::sin(azimuth),
                  style_.distance * std::sin(elevation),
                  style_.distance * std::cos(elevation) * std::cos(azimuth)};
  draw::Canvas canvas = canvas_;
  // Place the key light high and to the side of the camera, so that folds cast shadows across the cloth.
  const float light_azimuth = azimuth + 55 * kDegree;
  canvas.light.toward = {std::sin(light_azimuth), 1.15f, std::cos(light_azimuth)};
  const bool traced = style_.rays > 0 && draw::Canvas::can_trace();
  draw::Ground ground{.centre = {target.x, 0, target.z}};
  if (traced) {
    canvas.light.key = {1.06f, 1.00f, 0.90f};
    canvas.light.sky = {0.55f, 0.60f, 0.68f};
    canvas.light.bounce = {0.40f, 0.38f, 0.36f};
    canvas.background_top = draw::srgb(0xdfe4ea), canvas.background_bottom = draw::srgb(0xeef0f2);
    ground.colour = draw::srgb(0xe9ebee);
    ground.reach = 8;
  }
  canvas.ground(ground);
  const draw::Camera camera{.eye = target + from, .target = target, .field_of_view = 0.50f};
  draw::Image image = traced ? canvas.trace(camera, style_.rays) : canvas.render(camera);
  if (!label.empty()) draw::paint_text(image, 12, 24, label, {12, draw::srgb(0x2a2e36)});
  return image;
}

size_t pictures_at_a_time(const PictureStyle& style) {
  const bool traced = style.rays > 0 && draw::Canvas::can_trace();
  return traced ? 1 : std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxPicturesAtATime);
}

void PictureLine::add(Picture picture, const Following& at, std::string label) {
  waiting_.push_back({std::move(picture), at, std::move(label)});
  if (waiting_.size() >= at_a_time_) finish();
}

void PictureLine::finish() {
  std::vector<std::optional<draw::Image>> made(waiting_.size());
  for_each_in_parallel(waiting_.size(), [&](size_t i) {
    made[i] = waiting_[i].picture.make(waiting_[i].at, waiting_[i].label);
  });
  waiting_.clear();
  for (std::optional<draw::Image>& image : made) use_(std::move(*image));
}

}  // namespace billow::tool
