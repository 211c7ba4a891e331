// Runs Blender in tests, if it is installed. Sources that include this need BILLOW_TESTS: see
// tests/CMakeLists.txt.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "offline/cache/caches.h"

namespace billow::cache {

inline bool there_is_blender() { return std::system("command -v blender >/dev/null 2>&1") == 0; }

// Runs a script of tests/offline; its output goes to a file in `folder`.
inline void run_blender(const std::string& script, const Folder& folder, size_t frames) {
  const std::filesystem::path here = BILLOW_TESTS "/offline";
  const std::string command = "blender --background --factory-startup --python-exit-code 3 --python '" +
                              (here / script).string() + "' -- '" + (folder / "").string() + "' " +
                              std::to_string(frames) + " >'" + (folder / "log").string() + "' 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0) << bytes_of(folder / "log");
}

// Reads frames of float32 x y z as the scripts write them, and converts them from z up to y up.
inline std::vector<std::vector<V3>> read_raw(const std::filesystem::path& path, size_t vertices) {
  const std::string bytes = bytes_of(path);
  std::vector<std::vector<V3>> out(bytes.size() / (12 * vertices), std::vector<V3>(vertices));
  for (size_t f = 0; f < out.size(); ++f) {
    std::memcpy(out[f].data(), bytes.data() + f * 12 * vertices, 12 * vertices);
    for (V3& p : out[f]) p = {p.x, p.z, -p.y};
  }
  return out;
}

inline void expect_same(const std::vector<std::vector<V3>>& a, const std::vector<std::vector<V3>>& b,
                        float tolerance) {
  ASSERT_EQ(a.size(), b.size());
  float max_distance = 0;
  for (size_t f = 0; f < a.size(); ++f) max_distance = std::max(max_distance, difference(a[f], b[f]));
  EXPECT_LE(max_distance, tolerance);
  std::printf("  vertices differ by at most %.2g m\n", static_cast<double>(max_distance));
}

}  // namespace billow::cache
