// Plays a garment on swaying joints and prints the hash of each frame. The joints are computed by sums and
// products only, so that a native program and WebAssembly get the same input and their outputs can be
// compared line by line.
//
//     billow_frames GARMENT.billow FRAMES
#include <billow/billow.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

int fail(const char* what) { return std::fprintf(stderr, "billow_frames: %s\n", what), 1; }

// A periodic function between -1 and 1 with period 2, made of parabolas.
float swing(float t) {
  while (t > 1) t -= 2;
  return 4 * t * (1 - (t < 0 ? -t : t));
}

// The character moves rigidly: along z, with small translations and rotations about x and y.
std::vector<billow_transform> sway(const std::vector<billow_transform>& rest, float seconds) {
  const float x = 0.25f * swing(0.7f * seconds), y = 0.3f * swing(0.45f * seconds);
  const billow_transform by{{0.2f * swing(seconds), 0.05f * swing(3 * seconds), 3 * seconds}, {x, y, 0, 1}};
  const float n = 1 / (1 + x * x + y * y);
  std::vector<billow_transform> out = rest;
  for (billow_transform& t : out) {
    // p + 2 u x (u x p + p) / |q|^2, where u is the vector part and the scalar part is 1.
    const float p[3] = {t.position[0], t.position[1], t.position[2]};
    const float a[3] = {y * p[2] + p[0], -x * p[2] + p[1], x * p[1] - y * p[0] + p[2]};
    const float b[3] = {y * a[2], -x * a[2], x * a[1] - y * a[0]};
    for (int k = 0; k < 3; ++k) t.position[k] = p[k] + 2 * n * b[k] + by.position[k];
    const float q[4] = {t.rotation[0], t.rotation[1], t.rotation[2], t.rotation[3]};
    t.rotation[0] = q[0] + x * q[3] + y * q[2];
    t.rotation[1] = q[1] + y * q[3] - x * q[2];
    t.rotation[2] = q[2] + x * q[1] - y * q[0];
    t.rotation[3] = q[3] - x * q[0] - y * q[1];
  }
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return fail("expected a garment file and a number of frames");
  billow_garment* garment = nullptr;
  billow_instance* instance = nullptr;
  if (billow_garment_load(arguments[1], nullptr, &garment) ||
      billow_instance_create(garment, nullptr, &instance))
    return fail(billow_last_error());
  std::vector<billow_transform> rest(billow_garment_joint_count(garment));
  if (billow_garment_get_joint_rest(garment, rest.data(), static_cast<uint32_t>(rest.size())))
    return fail(billow_last_error());
  const int frames = std::atoi(arguments[2]);
  for (int k = 0; k < frames; ++k) {
    const auto joints = sway(rest, static_cast<float>(k) / 64);
    billow_frame frame{};
    frame.dt = 1.0f / 64;
    frame.joints = joints.data(), frame.joint_count = static_cast<uint32_t>(joints.size());
    if (billow_instance_step(instance, &frame)) return fail(billow_last_error());
    std::printf("%d 0x%016" PRIx64 "\n", k, billow_instance_hash(instance));
  }
  billow_instance_destroy(instance);
  billow_garment_destroy(garment);
}
