// References for chains: the exact pendulum, and the motion of a hanging chain in the limit of small steps,
// from an independent solver in double precision.
//
// The chain: unit masses in a plane under gravity. Each tiny step is symplectic Euler with inelastic impulses
// (Moreau): the smallest impulses that keep every rope within its length at the step's end, from a
// tri-diagonal complementarity problem.
#pragma once

#include <cmath>
#include <vector>

namespace billow::scenes {

struct PlanePoint {
  double x, y;
};

// Positions of bones 0..ropes every `every` seconds, for ropes of `length` released straight at rest.
inline std::vector<std::vector<PlanePoint>> reference_chain(int ropes, double length, double below_horizontal,
                                                            double seconds, double every,
                                                            int steps_per_sample) {
  const size_t m = static_cast<size_t>(ropes);
  std::vector<PlanePoint> x(m + 1), v(m + 1, {0, 0}), l(m + 2, {0, 0});
  for (size_t i = 0; i <= m; ++i)
    x[i] = {static_cast<double>(i) * length * std::cos(below_horizontal),
            -static_cast<double>(i) * length * std::sin(below_horizontal)};
  std::vector<double> diagonal(m + 2, 2.0), next(m + 2, 0), b(m + 2, 0), t(m + 2, 0), ratio(m + 2, 0);
  std::vector<char> candidate(m + 2), pulls(m + 2);
  diagonal[1] = 1;
  const double dt = every / steps_per_sample;
  std::vector<std::vector<PlanePoint>> samples{x};
  for (int sample = 0; sample < static_cast<int>(std::lround(seconds / every)); ++sample) {
    for (int step = 0; step < steps_per_sample; ++step) {
      for (size_t i = 1; i <= m; ++i) v[i].y -= 9.81 * dt;
      for (size_t i = 1; i <= m; ++i) {
        const double dx = x[i].x - x[i - 1].x, dy = x[i].y - x[i - 1].y, now = std::hypot(dx, dy);
        l[i] = {dx / now, dy / now};
        const double ux = v[i].x - v[i - 1].x, uy = v[i].y - v[i - 1].y;
        const double along = ux * l[i].x + uy * l[i].y, across = -ux * l[i].y + uy * l[i].x;
        // Excess length at the step's end, to second order, as a velocity.
        b[i] = along + across * across * dt / (2 * now) - (length - now) / dt;
        candidate[i] = pulls[i] = b[i] > -1e-3 || now > length * (1 - 1e-5);
      }
      for (size_t i = 1; i < m; ++i) next[i] = -(l[i].x * l[i + 1].x + l[i].y * l[i + 1].y);
      for (int round = 0; round < 60; ++round) {
        double r = 0, previous = 0, link = 0;
        for (size_t i = 1; i <= m; ++i) {
          const double inverse = 1 / (diagonal[i] - link * r);
          previous = pulls[i] ? (b[i] - link * previous) * inverse : 0;
          link = pulls[i] && i < m && pulls[i + 1] ? next[i] : 0;
          r = pulls[i] ? link * inverse : 0;
          t[i] = previous;
          ratio[i] = r;
        }
        for (size_t i = m; i-- > 1;) t[i] -= ratio[i] * t[i + 1];
        bool changed = false;
        for (size_t i = 1; i <= m; ++i)
          if (pulls[i] && t[i] < 0) pulls[i] = 0, changed = true;
        for (size_t i = 1; i <= m && !changed && round < 20; ++i) {
          const double missing =
              b[i] - (i > 1 ? next[i - 1] * t[i - 1] : 0) - (i < m ? next[i] * t[i + 1] : 0);
          if (!pulls[i] && candidate[i] && missing > 1e-12) pulls[i] = 1, changed = true;
        }
        if (!changed) break;
      }
      t[m + 1] = 0;
      for (size_t i = 1; i <= m; ++i) {
        v[i].x += t[i + 1] * l[i + 1].x - t[i] * l[i].x;
        v[i].y += t[i + 1] * l[i + 1].y - t[i] * l[i].y;
      }
      for (size_t i = 1; i <= m; ++i) x[i] = {x[i].x + dt * v[i].x, x[i].y + dt * v[i].y};
    }
    samples.push_back(x);
  }
  return samples;
}

// Angle from the vertical, t seconds after release at rest, of a pendulum of 1 m: 2 asin(k cd(t sqrt(g), k))
// with k = sin(release / 2). Jacobi's functions by descending Landen steps (Abramowitz and Stegun 16.4).
inline double exact_pendulum(double release, double t) {
  const double k = std::sin(release / 2);
  double a[8] = {1}, c[8] = {k}, b = std::sqrt(1 - k * k);
  int n = 0;
  for (; n < 7 && c[n] > 1e-17; ++n) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
  }
  double phase = std::ldexp(a[n] * t * std::sqrt(9.81), n);
  for (; n > 0; --n) phase = (phase + std::asin(c[n] / a[n] * std::sin(phase))) / 2;
  const double sine = std::sin(phase), cosine = std::cos(phase);
  return 2 * std::asin(k * cosine / std::sqrt(1 - k * k * sine * sine));
}

}  // namespace billow::scenes
