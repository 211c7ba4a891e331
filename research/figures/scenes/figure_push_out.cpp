// `billow figures push_out`: a sphere pushes six particles and stops, with three collision responses (paper: Figure
// toy_coll).
#include <algorithm>
#include <cmath>

#include "draw/paint.h"
#include "research/figures/figures.h"
#include "scenes.h"
#include "tools/billow/scenes/draw_scene.h"
#include "tools/billow/scenes/play.h"

namespace billow::tool {
namespace {

constexpr double kPushOutHz = 15;  // coarse time steps: with finer ones, push-out alone has less effect
constexpr int kPushOutWidth = 680, kPushOutHeight = 420;

struct Response {
  const char *key, *name;
  draw::Colour colour;
  float pixels;  // dot size; smaller dots are drawn over larger ones, so that all stay visible
  billow_contact_direction push, velocity;
  std::vector<std::vector<float>> path = {};  // positions of each frame
};

// Position of particle i. Each particle is the second bone of a chain whose root is the bone before it.
draw::Vec3 particle(const Response& r, size_t frame, size_t i) {
  const float* p = r.path[frame].data() + 3 * (2 * i + 1);
  return {p[0], p[1], p[2]};
}

draw::Image draw_moment(const std::vector<Response>& responses, const scenes::Scene& scene, size_t frame,
                        draw::Vec3 sphere) {
  draw::Canvas canvas(kPushOutWidth, kPushOutHeight);
  canvas.light.toward = {-0.4f, 1, 1};
  canvas.sphere(sphere, scene.colliders[0].radius, {.colour = draw::srgb(0xb4bcc8)}, 96);
  // Draw all paths and particles over the sphere, largest dots first.
  float lift = 1.3f;
  for (const Response& r : responses) {
    for (size_t i = 0; i < 6; ++i) {
      const draw::Colour pale = draw::mix(r.colour, {1, 1, 1}, 0.35f);
      for (size_t f = 1; f <= frame; ++f)
        canvas.line(particle(r, f - 1, i), particle(r, f, i), 1.8f, pale, 1, lift);
      canvas.point(particle(r, frame, i), r.pixels + 1.5f, {1, 1, 1}, 1, lift + 0.1f);
      canvas.point(particle(r, frame, i), r.pixels, r.colour, 1, lift + 0.11f);
    }
    lift += 0.02f;
  }
  const draw::Camera camera{.eye = {1.85f, 0, 17}, .target = {1.85f, 0, 0}, .field_of_view = 0.275f};
  return canvas.render(camera);
}

}  // namespace

Figure figure_push_out(const FigureInputs& inputs) {
  std::vector<Response> responses = {
      {"gradient", "gradient for push-out and velocity", draw::srgb(0xd62f2f), 22,
       BILLOW_CONTACT_DIRECTION_GRADIENT, BILLOW_CONTACT_DIRECTION_GRADIENT},
      {"mixed", "history for push-out, gradient for velocity", draw::srgb(0x8a2fd0), 14,
       BILLOW_CONTACT_DIRECTION_HISTORY, BILLOW_CONTACT_DIRECTION_GRADIENT},
      {"history", "history for both", draw::srgb(0x118a35), 7, BILLOW_CONTACT_DIRECTION_HISTORY,
       BILLOW_CONTACT_DIRECTION_HISTORY},
  };
  const std::vector<double> moments = {1 / kPushOutHz,  5 / kPushOutHz,  8 / kPushOutHz,
                                       11 / kPushOutHz, 14 / kPushOutHz, 17 / kPushOutHz};
  Figure figure;

  // Simulate the three responses.
  scenes::Scene last;
  std::vector<draw::Vec3> sphere;
  for (Response& r : responses) {
    last = scenes::sphere_and_particles(r.push, r.velocity);
    sphere.clear();
    play(last, moments.back(), kPushOutHz, [&](const scenes::Scene& scene, uint32_t) {
      r.path.push_back(scene.positions());
      const float* p = scene.joints[0].position;
      sphere.push_back({p[0], p[1], p[2]});
    });
    // Count the particles that stay in front of the moving sphere, as clothing should.
    const auto frame = static_cast<size_t>(std::lround(moments[4] * kPushOutHz)) - 1;
    int ahead = 0;
    float widest = 0;
    for (size_t i = 0; i < 6; ++i) {
      const draw::Vec3 p = particle(r, frame, i);
      ahead += p.x > sphere[frame].x && draw::length(p - sphere[frame]) < 1.05f;
      widest = std::max(widest, std::fabs(p.y));
    }
    figure.numbers[r.key] = {{"in_front", ahead}, {"widest_m", widest}};
  }

  // Draw the panels, with a legend in the first.
  std::vector<draw::Image> panels;
  for (double t : moments) {
    const auto frame = static_cast<size_t>(std::lround(t * kPushOutHz)) - 1;
    panels.push_back(draw_moment(responses, last, frame, sphere[frame]));
    label(panels.back(), rounded(t, 2) + " s");
  }
  float y = kPushOutHeight - 64;
  for (const Response& r : responses) {
    draw::paint_disc(panels[0], 24, y - 5, 6, r.colour);
    draw::paint_text(panels[0], 40, y, r.name, {11, Palette{}.ink});
    y += 22;
  }
  add_picture(figure, inputs, "push_out", draw::strip(panels, 3, 6));
  figure.shows =
      "A sphere moves into six free particles at 3 m/s and stops after 1 s; steps of 1/15 s, no friction. Of "
      "6, so many are "
      "still in contact with its front just before it stops: red (gradient for push-out and velocity) " +
      figure.numbers["gradient"]["in_front"].dump() + ", purple (history for push-out) " +
      figure.numbers["mixed"]["in_front"].dump() + ", green (history for both) " +
      figure.numbers["history"]["in_front"].dump() + ".";
  return figure;
}

}  // namespace billow::tool
