// Motions of the built-in person that are known at any time, so that frame rates can be compared.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "body/person.h"
#include "motion/bundle.h"

namespace billow::testing {

using Motion = std::function<body::Pose(double seconds)>;

// Rises smoothly from 0 to 1 in [0, 1], and its integral, which goes on with slope 1.
inline double rise(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * t * (10 - 15 * t + 6 * t * t);
}
inline double integral_of_rise(double t) {
  if (t >= 1) return t - 0.5;
  return t <= 0 ? 0 : t * t * t * t * (2.5 - 3 * t + t * t);
}

inline constexpr double kSlowingDown = 0.4;  // s, from the start of the stop to standing still

// Walks in a circle of 1.5 m at 1.4 m/s, from standing, and begins to stop at `stop`.
inline Motion walk_in_circle(const body::Person& person, double stop) {
  return [&person, stop](double t) {
    constexpr double kSpeed = 1.4, kRadius = 1.5, kStride = 1.5, kStarting = 0.5, kTau = 6.283185307179586;
    const double walked = kSpeed * (kStarting * integral_of_rise(t / kStarting) -
                                    kSlowingDown * integral_of_rise((t - stop) / kSlowingDown)),
                 share = rise(t / kStarting) * (1 - rise((t - stop) / kSlowingDown)),
                 heading = walked / kRadius, phase = kTau * walked / kStride;
    body::Pose pose = body::rest_pose(person.skeleton);
    pose.root_position += V3{static_cast<float>(kRadius * (1 - std::cos(heading))),
                             static_cast<float>(0.02 * share * std::cos(2 * phase)),
                             static_cast<float>(kRadius * std::sin(heading))};
    const auto turn = [&](const char* joint, V3 axis, double angle) {
      Quat& q = pose.rotations[static_cast<size_t>(person.skeleton.at(joint))];
      q = body::rotation_about(axis, static_cast<float>(angle)) * q;
    };
    turn("pelvis", {0, 1, 0}, heading);
    for (const double side : {1.0, -1.0}) {
      const bool left = side > 0;
      turn(left ? "left_thigh" : "right_thigh", {1, 0, 0}, -side * share * 0.4 * std::sin(phase));
      turn(left ? "left_calf" : "right_calf", {1, 0, 0}, share * 0.3 * (1 - side * std::cos(phase)));
      turn(left ? "left_upper_arm" : "right_upper_arm", {0, 0, 1}, -side * 0.6);
      turn(left ? "left_upper_arm" : "right_upper_arm", {1, 0, 0}, side * share * 0.3 * std::sin(phase));
    }
    return pose;
  };
}

// A captured clip, smooth between its frames (Catmull-Rom), that begins slowly from its first pose.
inline Motion captured(const motion::Clip& clip) {
  return [&clip](double t) {
    constexpr double kStarting = 0.6;
    const long last = static_cast<long>(clip.frames.size()) - 1;
    const double at =
        std::min(kStarting * integral_of_rise(t / kStarting) * static_cast<double>(clip.frames_per_second),
                 static_cast<double>(last) - 1e-6);
    const long k = static_cast<long>(at);
    const double u = at - static_cast<double>(k);
    const double weights[4] = {((-0.5 * u + 1) * u - 0.5) * u, (1.5 * u - 2.5) * u * u + 1,
                               ((-1.5 * u + 2) * u + 0.5) * u, (0.5 * u - 0.5) * u * u};
    const auto frame = [&](long i) -> const body::Pose& {
      return clip.frames[static_cast<size_t>(std::clamp(i, 0l, last))];
    };
    body::Pose pose = frame(k);
    pose.root_position = {0, 0, 0};
    for (long i = 0; i < 4; ++i)
      pose.root_position += frame(k - 1 + i).root_position * static_cast<float>(weights[i]);
    for (size_t j = 0; j < pose.rotations.size(); ++j) {
      Quat sum{0, 0, 0, 0};
      for (long i = 0; i < 4; ++i) {
        const Quat q = frame(k - 1 + i).rotations[j];
        const float w = static_cast<float>(weights[i]) * (dot(q, frame(k).rotations[j]) < 0 ? -1.0f : 1.0f);
        sum = {sum.x + q.x * w, sum.y + q.y * w, sum.z + q.z * w, sum.w + q.w * w};
      }
      pose.rotations[j] = normalized(sum);
    }
    return pose;
  };
}

}  // namespace billow::testing
