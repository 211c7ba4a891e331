// Grids and networks give the same bits everywhere, as golden_hashes.cpp has it for chains: distances and gradients of
// a body of both, at points in and around it. When a change is meant, run it and note the hash it prints.
#include <billow/billow.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "support/colliders.h"
#include "support/fields.h"

int main() {
  using namespace billow::testing;
  constexpr uint64_t kGolden = 0x6ffd266ef1b4a28cull;
  // Integers, so that no library function has a say in the values.
  TestGrid grid = make_grid(17, 21, 19, 1.0 / 64, 1.0 / 4096, [](const Vector& p) {
    return std::round(4096 * (p[0] * p[0] + p[1] * p[1] * 0.75 + p[2] * p[2] - 0.01)) / 4096;
  });
  const TestNetwork network = wavy_network(16, 0.125, 0.01, 3);
  billow_collider colliders[2] = {field_collider(grid.grid), field_collider(network.network)};
  colliders[0].position[0] = 0.5f;
  const float turned[4] = {0.5f, 0.5f, -0.5f, 0.5f};
  std::memcpy(colliders[1].rotation, turned, sizeof turned);
  const BodyHandle body = make_body({colliders[0], colliders[1]});
  if (!body) return std::printf("%s\n", billow_last_error()), 1;

  std::vector<float> points;
  Random random(11);
  for (int i = 0; i < 3 * 3001; ++i) points.push_back(random.uniform_float(-1, 1));
  std::vector<float> distances(3001), gradients(points.size());
  if (billow_body_query(body.get(), BILLOW_ALL_GROUPS, points.data(), 3001, BILLOW_NO_LIMIT, distances.data(),
                        gradients.data(), nullptr))
    return std::printf("%s\n", billow_last_error()), 1;
  uint64_t hash = 14695981039346656037ull;
  const auto add = [&](float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    hash = (hash ^ bits) * 1099511628211ull;
  };
  for (const float d : distances) add(d);
  for (const float g : gradients) add(g);
  std::printf("fields 0x%016" PRIx64 "ull%s\n", hash, hash == kGolden ? "" : "   <- not the noted one");
  return hash == kGolden ? 0 : 1;
}
