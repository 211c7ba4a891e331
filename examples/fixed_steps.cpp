// One chain in steps of exactly 1/60 s, in a game whose frames take 4 to 20 ms. For replays and rollback, which need the same steps again.
#include <billow/billow_chains.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>

void check(billow::Status status) {
  if (status) return;
  std::fprintf(stderr, "billow: %s\n", status.message());
  std::exit(EXIT_FAILURE);
}

// Where the game has the root: it swings.
float root_at(double seconds) { return 0.4f * static_cast<float>(std::sin(3 * seconds)); }

int main() {
  const uint32_t bones = 8;
  float rest[3 * 8] = {};
  for (uint32_t b = 0; b < bones; ++b) rest[3 * b + 1] = -0.1f * static_cast<float>(b);
  billow_chains_desc description = billow::chains_desc_default();
  description.chain_count = 1;
  description.bone_counts = &bones;
  description.rest_positions = rest;
  auto made = billow::Chains::create(description);
  check(made.status());
  billow::Chains chains = std::move(made).value();

  billow::Clock clock(60);
  double now = 0;
  int frames = 0, idle = 0;
  for (; now < 3; ++frames) {
    const float frame_time = 0.012f + 0.008f * std::sin(0.7f * static_cast<float>(frames));
    const float last = root_at(now);
    now += static_cast<double>(frame_time);
    const float present = root_at(now);

    auto due = clock.advance(frame_time);
    check(due.status());
    for (uint32_t step = 0; step < due.value(); ++step) {
      const float share = clock.share(step);
      const billow::Transform root = billow::translation(last + (present - last) * share, 0, 0);
      check(chains.step(clock.dt(), {&root, 1}));
    }

    idle += due.value() == 0;
  }

  float positions[3 * 8];
  check(chains.positions(positions));
  std::printf("%d frames, %d without a step, %llu steps in %.3f s; the tip is at %.3f %.3f\n", frames, idle,
              static_cast<unsigned long long>(clock.get().steps), now, static_cast<double>(positions[3 * 7]),
              static_cast<double>(positions[3 * 7 + 1]));
  return clock.get().steps == 180 && idle > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
