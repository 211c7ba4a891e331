// `billow demo`: the pendulum against the exact solution, over 2 and over 20 seconds.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "demo.h"
#include "draw/plot.h"
#include "play.h"
#include "scenes.h"

namespace billow::tool {
namespace {

constexpr double kHz = 60, kSeconds = 20;

struct Curve {
  std::string name;
  draw::Colour colour;
  std::vector<double> time, angle;  // s, rad from straight down
};

// theta'' = -g sin(theta) for a rope of 1 m, by Runge-Kutta of fourth order; its error is under 1e-10 rad.
Curve exact_pendulum() {
  Curve curve{"exact", draw::srgb(0xb9bec7), {}, {}};
  constexpr int kPerFrame = 200;
  const double h = 1 / (kHz * kPerFrame), g = 9.81f;
  const auto pull = [g](double a) { return -g * std::sin(a); };
  double a = std::numbers::pi / 3, w = 0;
  for (int frame = 1; frame <= static_cast<int>(kHz * kSeconds); ++frame) {
    for (int i = 0; i < kPerFrame; ++i) {
      const double a1 = w, w1 = pull(a);
      const double a2 = w + 0.5 * h * w1, w2 = pull(a + 0.5 * h * a1);
      const double a3 = w + 0.5 * h * w2, w3 = pull(a + 0.5 * h * a2);
      const double a4 = w + h * w3, w4 = pull(a + h * a3);
      a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    curve.time.push_back(frame / kHz);
    curve.angle.push_back(a);
  }
  return curve;
}

Curve simulated(const std::string& name, draw::Colour colour, const Settings& settings) {
  Curve curve{name, colour, {}, {}};
  scenes::Scene scene = scenes::pendulum(settings);
  play(scene, kSeconds, kHz, [&](const scenes::Scene& s, uint32_t) {
    const std::vector<float> p = s.positions();
    curve.time.push_back(s.time);
    curve.angle.push_back(std::atan2(p[3], -p[4]));
  });
  return curve;
}

std::vector<double> error_of(const Curve& curve, const Curve& exact) {
  std::vector<double> error;
  for (size_t i = 0; i < curve.angle.size(); ++i) error.push_back(std::fabs(curve.angle[i] - exact.angle[i]));
  return error;
}

double largest(const std::vector<double>& values, double seconds) {
  double most = 0;
  for (size_t i = 0; i < std::min(values.size(), static_cast<size_t>(seconds * kHz)); ++i)
    most = std::max(most, values[i]);
  return most;
}

// Only the first `seconds`.
draw::Series series(const Curve& curve, const std::vector<double>& values, double seconds) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(values.size(), static_cast<size_t>(seconds * kHz)));
  return {curve.name,
          {curve.time.begin(), curve.time.begin() + count},
          {values.begin(), values.begin() + count},
          curve.colour,
          2.2f};
}

}  // namespace

DemoPicture demo_pendulum(const std::filesystem::path& folder) {
  // As the paper has it: a rope is taut at its full length only (but for rounding), and what it is short of
  // stays.
  Settings strict = billow_settings_default();
  strict.tautness = 1e-6f;
  strict.gap_return = 0;
  strict.max_substeps = 1;
  const Curve exact = exact_pendulum();
  const Curve curves[] = {simulated("defaults", draw::srgb(0x118a35), billow_settings_default()),
                          simulated("taut at full length only", draw::srgb(0xd62f2f), strict)};

  std::vector<draw::Image> panels;
  DemoPicture picture{folder / "pendulum.png",
                      "a rope of 1 m released at 60 degrees, at 60 Hz, against the exact solution",
                      {}};
  for (double seconds : {2.0, 20.0}) {
    const std::string span = rounded(seconds, 0) + " s";
    draw::Plot angles{
        .title = "angle over " + span, .x_label = "time, s", .y_label = "angle, rad", .series = {}};
    angles.x_range = {0, seconds};
    angles.width = 1000;
    draw::Plot errors = angles;
    errors.title = "error over " + span;
    errors.y_label = "error, rad";
    errors.y_range = {1e-6, 3};
    errors.log_y = true;
    angles.series.push_back(series(exact, exact.angle, seconds));
    angles.series[0].width = 5;
    for (const Curve& c : curves) {
      angles.series.push_back(series(c, c.angle, seconds));
      errors.series.push_back(series(c, error_of(c, exact), seconds));
      picture.numbers.push_back("largest error over " + span + ", " + c.name + ": " +
                                rounded(largest(error_of(c, exact), seconds), 4) + " rad");
    }
    panels.push_back(draw::draw_plot(angles));
    panels.push_back(draw::draw_plot(errors));
  }
  draw::write_png(draw::strip(panels, 2, 8), picture.file);
  return picture;
}

}  // namespace billow::tool
