// `billow figures sweeps`: a chain of 14 ropes released from rest, with solvers of increasing accuracy side by side (paper:
// Figure swing_rope). Grey is the converged motion, in the limit of small time steps.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/paint.h"
#include "draw/plot.h"
#include "research/figures/figures.h"
#include "rope_reference.h"
#include "scenes.h"
#include "tools/billow/scenes/draw_scene.h"
#include "tools/billow/scenes/play.h"

namespace billow::tool {
namespace {

constexpr double kSweepsHz = 60, kSweepsSeconds = 3, kSecondsShown = 1;
constexpr uint32_t kExposureInterval = 9;  // frames
constexpr int kSweepsWidth = 680, kSweepsHeight = 480;

using Path = std::vector<std::vector<float>>;  // positions of each frame

struct Variant {
  std::string key, name;
  draw::Colour colour;  // of its curve in the plot
  billow_solver method;
  uint32_t sweeps;
};

Path record(const Variant& v, double& microseconds) {
  Settings settings = billow_settings_default();
  settings.solver.tension.method = settings.solver.impulse.method = v.method;
  settings.solver.tension.sweeps = settings.solver.impulse.sweeps = v.sweeps;
  Path path;
  scenes::Scene scene = scenes::swing(settings);
  microseconds = play(scene, kSweepsSeconds, kSweepsHz, [&](const scenes::Scene& s, uint32_t) {
                   path.push_back(s.positions());
                 }).step_p50;
  return path;
}

// The motion by an independent reference solver, at the same frame times.
Path reference() {
  Path path;
  for (const auto& bones :
       scenes::reference_chain(14, 0.1, std::numbers::pi / 6, kSweepsSeconds, 1 / kSweepsHz, 1600)) {
    std::vector<float>& frame = path.emplace_back();
    for (const auto& [x, y] : bones)
      frame.insert(frame.end(), {static_cast<float>(x), static_cast<float>(y), 0.0f});
  }
  path.erase(path.begin());  // drop the initial state
  return path;
}

// RMS distance per frame over all bones except the root.
std::vector<double> distances(const Path& a, const Path& b) {
  std::vector<double> all;
  for (size_t f = 0; f < a.size(); ++f) {
    double sum = 0;
    for (size_t i = 3; i < a[f].size(); ++i) sum += std::pow(double{a[f][i]} - b[f][i], 2);
    all.push_back(std::sqrt(3 * sum / static_cast<double>(a[f].size() - 3)));
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

draw::Image draw_variant(const Path& path, const Path& truth, const std::string& name,
                         const std::string& note) {
  draw::Canvas canvas(kSweepsWidth, kSweepsHeight);
  const auto count = static_cast<size_t>(kSecondsShown * kSweepsHz);
  for (size_t f = kExposureInterval - 1; f < count; f += kExposureInterval) {
    const float share = static_cast<float>(f) / static_cast<float>(count);
    add_chain(canvas, truth[f], 9, draw::srgb(0xc3c8d1), 0, false);
    // Draw later exposures darker and in front.
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

Figure figure_sweeps(const FigureInputs& inputs) {
  const Variant variants[] = {
      {"1", "1 sweep", draw::srgb(0xd62f2f), BILLOW_SOLVER_SWEEPS, 1},
      {"5", "5 sweeps", draw::srgb(0xe58a1f), BILLOW_SOLVER_SWEEPS, 5},
      {"10", "10 sweeps", draw::srgb(0xc9b400), BILLOW_SOLVER_SWEEPS, 10},
      {"tolerance", "sweeps to 1e-6", draw::srgb(0x8db4ec), BILLOW_SOLVER_TOLERANCE, 10000},
      {"direct", "direct", draw::srgb(0x118a35), BILLOW_SOLVER_DIRECT, 1},
  };
  const Path truth = reference();
  Figure figure;
  std::vector<draw::Image> panels;
  draw::Plot plot{.title = "distance to the converged motion",
                  .x_label = "time, s",
                  .y_label = "RMS over the bones, m",
                  .series = {},
                  .width = kSweepsWidth,
                  .height = kSweepsHeight,
                  .x_range = {{0, kSweepsSeconds}},
                  .log_y = true};
  for (const Variant& v : variants) {
    double microseconds = 0;
    const Path path = record(v, microseconds);
    // The curves of tolerance and direct coincide: draw one wider so that both are visible.
    draw::Series curve{
        v.name, {}, distances(path, truth), v.colour, v.method == BILLOW_SOLVER_TOLERANCE ? 6.0f : 2.2f};
    for (size_t f = 0; f < curve.y.size(); ++f) curve.x.push_back(static_cast<double>(f + 1) / kSweepsHz);
    const double max_1s = largest(curve.y, kSweepsHz), max_3s = largest(curve.y, 3 * kSweepsHz);
    plot.series.push_back(std::move(curve));
    panels.push_back(
        draw_variant(path, truth, v.name, "at most " + rounded(100 * max_1s, 1) + " cm off in this second"));
    figure.numbers[v.key] = {{"rms_1s_m", max_1s}, {"rms_3s_m", max_3s}, {"frame_us", microseconds}};
  }
  panels.push_back(draw::draw_plot(plot));
  add_picture(figure, inputs, "sweeps", draw::strip(panels, 3, 6));
  figure.shows =
      "14 ropes of 0.1 m let go 30 degrees below horizontal, at 60 frames a second, drawn every 0.15 s for 1 "
      "s "
      "over the converged motion (grey). With few Gauss-Seidel sweeps the chain is damped: it comes to hang "
      "where it should swing through. Swept to a relative 1e-6 and solved directly it is right, and directly "
      "it costs no more than a few sweeps. Numbers: the largest RMS distance over the bones up to that time.";
  return figure;
}

}  // namespace billow::tool
