// `billow figures pendulum`: compares one rope with the analytic pendulum over 2 and over 20 seconds (paper: Figure analy).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "draw/plot.h"
#include "research/figures/figures.h"
#include "rope_reference.h"
#include "scenes.h"
#include "tools/billow/scenes/play.h"

namespace billow::tool {
namespace {

constexpr double kPendulumHz = 60, kPendulumSeconds = 20;

struct Curve {
  std::string name;
  draw::Colour colour;
  std::vector<double> time = {}, angle = {};  // s; rad from the vertical
};

Curve analytic() {
  Curve curve{"analytic", draw::srgb(0xb9bec7)};
  for (int frame = 1; frame <= static_cast<int>(kPendulumHz * kPendulumSeconds); ++frame) {
    curve.time.push_back(frame / kPendulumHz);
    curve.angle.push_back(scenes::exact_pendulum(std::numbers::pi / 3, frame / kPendulumHz));
  }
  return curve;
}

Curve simulated(const std::string& name, draw::Colour colour, const Settings& settings) {
  Curve curve{name, colour};
  scenes::Scene scene = scenes::pendulum(settings);
  play(scene, kPendulumSeconds, kPendulumHz, [&](const scenes::Scene& s, uint32_t) {
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

// A plot series of the first `seconds`.
draw::Series series(const Curve& curve, const std::vector<double>& values, double seconds) {
  const auto count = static_cast<std::ptrdiff_t>(seconds * kPendulumHz);
  return {curve.name,
          {curve.time.begin(), curve.time.begin() + count},
          {values.begin(), values.begin() + count},
          curve.colour,
          2.2f};
}

}  // namespace

Figure figure_pendulum(const FigureInputs& inputs) {
  // The paper's literal method: a rope is taut only at its maximum length (up to rounding), and a remaining length gap is
  // not closed.
  Settings literal = billow_settings_default();
  literal.solver.tautness = 1e-6f;
  literal.solver.gap_return = 0;
  literal.solver.max_substeps = 1;
  const Curve truth = analytic();
  const Curve curves[] = {simulated("Billow", draw::srgb(0x118a35), billow_settings_default()),
                          simulated("taut at full length only", draw::srgb(0xd62f2f), literal)};

  Figure figure;
  std::vector<draw::Image> panels;
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
    angles.series.push_back(series(truth, truth.angle, seconds));
    angles.series[0].width = 5;
    for (const Curve& c : curves) {
      const std::vector<double> error = error_of(c, truth);
      angles.series.push_back(series(c, c.angle, seconds));
      errors.series.push_back(series(c, error, seconds));
      const std::string key = "max_error_" + rounded(seconds, 0) + "s_rad";
      (&c == curves ? figure.numbers : figure.numbers["literal"])[key] =
          largest(error, seconds * kPendulumHz);
    }
    panels.push_back(draw::draw_plot(angles));
    panels.push_back(draw::draw_plot(errors));
  }
  add_picture(figure, inputs, "pendulum", draw::strip(panels, 2, 8));
  figure.shows =
      "A rope of 1 m released at 60 degrees, at 60 frames a second, against the analytic (elliptic) "
      "solution: at most " +
      rounded(figure.numbers["max_error_2s_rad"], 4) + " rad off over 2 s and " +
      rounded(figure.numbers["max_error_20s_rad"], 3) +
      " rad over 20 s. Red: the paper's text to the letter, where a rope is taut at its full length only; it "
      "loses energy.";
  return figure;
}

}  // namespace billow::tool
