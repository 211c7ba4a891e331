#include "motion/rotation.h"

namespace billow::motion {

// Divides by the largest of the four components (Shepperd, "Quaternion from rotation matrix", 1978).
Quat to_quat(const Rotation& r) {
  const double xx = r.x.x, yy = r.y.y, zz = r.z.z;
  double x, y, z, w;
  if (xx + yy + zz >= std::max({xx, yy, zz})) {
    w = 0.5 * std::sqrt(1 + xx + yy + zz);
    x = (r.y.z - r.z.y) / (4 * w), y = (r.z.x - r.x.z) / (4 * w), z = (r.x.y - r.y.x) / (4 * w);
  } else if (xx >= yy && xx >= zz) {
    x = 0.5 * std::sqrt(1 + xx - yy - zz);
    w = (r.y.z - r.z.y) / (4 * x), y = (r.x.y + r.y.x) / (4 * x), z = (r.x.z + r.z.x) / (4 * x);
  } else if (yy >= zz) {
    y = 0.5 * std::sqrt(1 - xx + yy - zz);
    w = (r.z.x - r.x.z) / (4 * y), x = (r.x.y + r.y.x) / (4 * y), z = (r.y.z + r.z.y) / (4 * y);
  } else {
    z = 0.5 * std::sqrt(1 - xx - yy + zz);
    w = (r.x.y - r.y.x) / (4 * z), x = (r.x.z + r.z.x) / (4 * z), y = (r.y.z + r.z.y) / (4 * z);
  }
  return {static_cast<float>(x), static_cast<float>(y), static_cast<float>(z), static_cast<float>(w)};
}

Rotation to_rotation(Quat q) {
  const D3 u{static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z)};
  const double w = static_cast<double>(q.w), n = 1 / std::sqrt(dot(u, u) + w * w);
  const D3 v = u * n;
  const auto turned = [&](D3 p) {
    const D3 t = cross(v, p) * 2.0;
    return p + t * (w * n) + cross(v, t);
  };
  return {turned({1, 0, 0}), turned({0, 1, 0}), turned({0, 0, 1})};
}

}  // namespace billow::motion
