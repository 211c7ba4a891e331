// An engine that loads Billow as a plug-in at run time, and links nothing of it: it looks one symbol up. The character sways, far from
// the origin of its world, which the engine then moves to the character; the cape goes on. Reads what culling and debug drawing need.
//
//     example_host [LIBRARY [GARMENT.billow]]
#include <billow/billow_api.h>
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Lines {
  int count = 0;
};

// What the engine's own debug drawing would do.
void draw_line(void* user, const float*, const float*, uint32_t) { ++static_cast<Lines*>(user)->count; }

void write_log(void*, billow_status status, const char* message) {
  std::printf("log: %d: %s\n", static_cast<int>(status), message);
}

void check(const billow_api* billow, billow_status status) {
  if (status == BILLOW_OK) return;
  std::fprintf(stderr, "billow: %s\n", billow->last_error());
  std::exit(EXIT_FAILURE);
}

const billow_api* load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "%s\n", dlerror());
    return nullptr;
  }
  const auto get_api = reinterpret_cast<const billow_api* (*)(uint32_t)>(dlsym(library, "billow_get_api"));
  if (!get_api) return nullptr;
  const billow_api* billow = get_api(BILLOW_API_VERSION);
  if (!billow) std::fprintf(stderr, "%s: built from other headers than this program\n", path);
  return billow;
}

int main(int count, char** arguments) {
  const billow_api* billow = load(count > 1 ? arguments[1] : BILLOW_LIBRARY);
  if (!billow) return EXIT_FAILURE;
  std::printf("Billow %s\n", billow->version());
  const billow_log log{write_log, nullptr};
  check(billow, billow->set_log(&log));

  billow_garment* garment = nullptr;
  billow_instance* cape = nullptr;
  check(billow, billow->garment_load(count > 2 ? arguments[2] : "assets/cape.billow", nullptr, &garment));
  check(billow, billow->instance_create(garment, nullptr, &cape));
  const uint32_t joint_count = billow->garment_joint_count(garment);
  std::vector<billow_transform> rest(joint_count), joints;
  check(billow, billow->garment_get_joint_rest(garment, rest.data(), joint_count));

  // The character stands at `place` in the engine's world, and sways.
  float place[3] = {3000, 0, -2000};
  billow_bounds box{};
  for (int number = 0; number < 90; ++number) {
    joints = rest;
    for (billow_transform& joint : joints) {
      for (int k = 0; k < 3; ++k) joint.position[k] += place[k];
      joint.position[0] += 0.2f * std::sin(0.1f * static_cast<float>(number));
    }
    billow_frame frame = billow->frame_default();
    frame.dt = 1.0f / 60;
    frame.joints = joints.data(), frame.joint_count = joint_count;
    check(billow, billow->instance_step(cape, &frame));

    // Cull with the box of what the frame shows.
    check(billow, billow->instance_get_bounds(cape, &box));

    // The engine moves the origin of its world here, once it is far away.
    if (std::hypot(place[0], place[2]) > 2000) {
      const float offset[3] = {-place[0], -place[1], -place[2]};
      check(billow, billow->instance_shift_origin(cape, offset));
      for (int k = 0; k < 3; ++k) place[k] += offset[k];
    }
  }
  std::printf("x %.2f to %.2f m, y %.2f to %.2f m, z %.2f to %.2f m\n", static_cast<double>(box.low[0]),
              static_cast<double>(box.high[0]), static_cast<double>(box.low[1]),
              static_cast<double>(box.high[1]), static_cast<double>(box.low[2]),
              static_cast<double>(box.high[2]));

  Lines lines;
  billow_debug_draw draw{};
  draw.line = draw_line, draw.user = &lines;
  check(billow, billow->instance_debug_draw(cape, BILLOW_DEBUG_ROPES | BILLOW_DEBUG_COLLIDERS, &draw));
  std::printf("%d lines\n", lines.count);

  billow->instance_destroy(cape);
  billow->garment_destroy(garment);
  check(billow, billow->set_log(nullptr));
  return lines.count > 0 && box.high[1] > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
