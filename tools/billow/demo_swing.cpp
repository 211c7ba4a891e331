// `billow demo`: a chain of 14 ropes let go, with solvers of growing accuracy side by side (paper: Velocity
// Update). Grey is the same chain with so many sub-steps that it hardly changes any more.
#include <algorithm>
#include <cmath>

#include "demo.h"
#include "draw/paint.h"
#include "draw/plot.h"
#include "draw_scene.h"
#include "play.h"
#include "scenes.h"

namespace billow::tool {
namespace {

constexpr double kHz = 60, kSeconds = 1;
constexpr uint32_t kEvery = 9;  // frames from one exposure to the next
constexpr int kWidth = 680, kHeight = 480;

using Path = std::vector<std::vector<float>>;  // positions of each frame

struct Variant {
  std::string name;
  draw::Colour colour;  // in the plot
  Settings settings;
};

Settings with_solver(billow_solver method, uint32_t sweeps) {
  Settings s = billow_settings_default();
  s.tension.method = s.impulse.method = method;
  s.tension.sweeps = s.impulse.sweeps = sweeps;
  return s;
}

Numbers record(const Settings& settings, Path& path) {
  scenes::Scene scene = scenes::swing(settings);
  return play(scene, kSeconds, kHz, [&](const scenes::Scene& s, uint32_t) { path.push_back(s.positions()); });
}

// The RMS distance of the bones in each frame.
std::vector<double> distances(const Path& a, const Path& b) {
  std::vector<double> all;
  for (size_t f = 0; f < a.size(); ++f) {
    double sum = 0;
    for (size_t i = 0; i < a[f].size(); ++i) sum += std::pow(double{a[f][i]} - b[f][i], 2);
    all.push_back(std::sqrt(3 * sum / static_cast<double>(a[f].size())));
  }
  return all;
}

void add_chain(draw::Canvas& canvas, const std::vector<float>& p, float pixels, draw::Colour colour,
               float lift, bool bones) {
  for (size_t i = 3; i + 2 < p.size(); i += 3) {
    const draw::Vec3 a{p[i - 3], p[i - 2], p[i - 1]}, b{p[i], p[i + 1], p[i + 2]};
    canvas.line(a, b, pixels, colour, 1, lift);
    if (bones) canvas.point(b, 2.2f * pixels, colour, 1, lift);
  }
}

draw::Image draw_variant(const Path& path, const Path& reference, const std::string& name,
                         const std::string& note) {
  draw::Canvas canvas(kWidth, kHeight);
  const size_t count = path.size();
  for (size_t f = kEvery - 1; f < count; f += kEvery) {
    const float share = static_cast<float>(f) / static_cast<float>(count);
    add_chain(canvas, reference[f], 9, draw::srgb(0xc3c8d1), 0, false);
    // Later is darker and in front.
    const draw::Colour green = draw::mix(draw::srgb(0x8fd39a), draw::srgb(0x0a4a20), share);
    add_chain(canvas, path[f], 2.6f, green, 0.01f + 0.01f * share, true);
  }
  canvas.sphere({}, 0.025f, {.colour = Palette{}.ink});
  draw::Image image =
      canvas.render({.eye = {0, -0.62f, 8}, .target = {0, -0.62f, 0}, .field_of_view = 0.262f});
  label(image, name);
  draw::paint_text(image, 14, 52, note, {11, Palette{}.ink});
  return image;
}

}  // namespace

DemoPicture demo_swing(const std::filesystem::path& folder) {
  const Variant variants[] = {
      {"1 sweep", draw::srgb(0xd62f2f), with_solver(BILLOW_SWEEPS, 1)},
      {"5 sweeps", draw::srgb(0xe58a1f), with_solver(BILLOW_SWEEPS, 5)},
      {"10 sweeps", draw::srgb(0xc9b400), with_solver(BILLOW_SWEEPS, 10)},
      {"sweeps to 1e-6", draw::srgb(0x8db4ec), with_solver(BILLOW_TOLERANCE, 10000)},
      {"direct", draw::srgb(0x118a35), with_solver(BILLOW_DIRECT, 1)},
  };
  Settings fine = billow_settings_default();
  fine.min_substeps = fine.max_substeps = BILLOW_MAX_SUBSTEPS;
  Path reference;
  record(fine, reference);

  DemoPicture picture{folder / "swing.png",
                      "14 ropes of 0.1 m let go 30 degrees below horizontal, at 60 Hz, every 0.15 s",
                      {}};
  std::vector<draw::Image> panels;
  draw::Plot plot{.title = "distance to the fine solution",
                  .x_label = "time, s",
                  .y_label = "RMS over the bones, m",
                  .series = {},
                  .width = kWidth,
                  .height = kHeight,
                  .x_range = {{0, kSeconds}},
                  .log_y = true};
  for (const Variant& v : variants) {
    Path path;
    const Numbers n = record(v.settings, path);
    // To tolerance and direct agree: draw one wider.
    draw::Series curve{v.name,
                       {},
                       distances(path, reference),
                       v.colour,
                       v.settings.tension.method == BILLOW_TOLERANCE ? 6.0f : 2.2f};
    for (size_t f = 0; f < curve.y.size(); ++f) curve.x.push_back(static_cast<double>(f + 1) / kHz);
    const std::string off = rounded(100 * *std::max_element(curve.y.begin(), curve.y.end()), 1) + " cm";
    plot.series.push_back(std::move(curve));
    panels.push_back(
        draw_variant(path, reference, v.name, "at most " + off + " off the fine solution (grey)"));
    picture.numbers.push_back(v.name + ": at most " + off + " off (RMS over the bones), " +
                              rounded(n.step_p50, 1) + " us a frame");
  }
  panels.push_back(draw::draw_plot(plot));
  draw::write_png(draw::strip(panels, 3, 6), picture.file);
  return picture;
}

}  // namespace billow::tool
