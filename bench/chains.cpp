// The cost of the chains per step, per bone and per stage, compared with a lower bound: the time of the same
// arithmetic at full throughput.
#include "chains.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/simd.h"
#include "garment_steps.h"

namespace billow::bench {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Operations {
  double cheap = 0, divide = 0, root = 0, memory = 0;
};

// Forces the compiler to compute a value in a register.
void keep(F4& v) {
#if defined(BILLOW_SIMD_NEON)
  asm volatile("" : "+w"(v.v));
#elif defined(BILLOW_SIMD_SSE)
  asm volatile("" : "+x"(v.v));
#endif
}

// The shortest time of one vector operation at full throughput: sixteen independent dependency chains.
template <class Op> double best_seconds(Op op) {
  double best = 1;
  for (int round = 0; round < 20; ++round) {
    F4 a = splat(1.1f), b = splat(1.2f), c = splat(1.3f), d = splat(1.4f), e = splat(1.5f), f = splat(1.6f),
       g = splat(1.7f), h = splat(1.8f);
    F4 i = a, j = b, k = c, l = d, m = e, n = f, o = g, p = h;
    const auto start = Clock::now();
    constexpr int kRounds = 20000;
    auto apply_all = [&](auto&... v) { ((v = op(v), keep(v)), ...); };
    for (int r = 0; r < kRounds; ++r) apply_all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
    best = std::min(best, seconds_since(start) / (16.0 * kRounds));
  }
  return best;
}

// Runs counted/count_operations and parses its output, by scene.
std::map<std::string, Operations> count_operations(const std::string& program) {
  std::map<std::string, Operations> counts;
  FILE* pipe = popen(("\"" + program + "\"").c_str(), "r");
  if (!pipe) return counts;
  char name[64];
  Operations n;
  while (std::fscanf(pipe, "%63s %lf %lf %lf %lf", name, &n.cheap, &n.divide, &n.root, &n.memory) == 5)
    counts[name] = n;
  pclose(pipe);
  return counts;
}

struct Timing {
  double p50 = 0, p99 = 0;
  double stage[BILLOW_CHAIN_STAGE_COUNT] = {};
  double contacts = 0;
};

Timing time_garment(const Garment& garment) {
  Timing t;
  std::vector<double> steps;
  {
    scenes::Scene scene = garment.make();
    play(scene, [&](auto step) {
      const auto start = Clock::now();
      step();
      steps.push_back(seconds_since(start));
      t.contacts += scene.chains.report().contacts;
    });
  }
  std::sort(steps.begin(), steps.end());
  t.p50 = steps[steps.size() / 2];
  t.p99 = steps[steps.size() * 99 / 100];
  t.contacts /= kSteps;

  scenes::Scene scene = garment.make();
  Settings profiled = scene.chains.settings();
  profiled.profile = 1;
  if (!scene.chains.set(profiled)) std::abort();
  play(scene, [&](auto step) {
    step();
    const Report r = scene.chains.report();
    for (int i = 0; i < BILLOW_CHAIN_STAGE_COUNT; ++i) t.stage[i] += r.stage_seconds[i] / kSteps;
  });
  return t;
}

}  // namespace

void report_chains(const std::string& count_program) {
  const double cheap = best_seconds([](F4 v) { return v * splat(0.999f); }),
               divide = best_seconds([](F4 v) { return splat(1.5f) / v; }),
               root = best_seconds([](F4 v) { return sqrt(v); });
  std::printf(
      "one vector operation of four lanes at best: cheap %.3f ns, divide %.3f ns, square root %.3f ns\n",
      1e9 * cheap, 1e9 * divide, 1e9 * root);
  const auto counts = count_operations(count_program);
  for (const Garment& garment : kGarments) {
    const scenes::Scene scene = garment.make();
    const Timing t = time_garment(garment);
    const double bones = scene.chains.bone_count() - scene.chains.chain_count();
    std::printf(
        "\n%s: %u chains, %.0f simulated bones, 16 colliders, one sub-step of 1/240 s, %.1f bones in "
        "contact\n",
        garment.name, scene.chains.chain_count(), bones, t.contacts);
    std::printf("  p50 %.1f us, p99 %.1f us, %.0f ns per bone\n", 1e6 * t.p50, 1e6 * t.p99,
                1e9 * t.p50 / bones);
    double sum = 0;
    for (double s : t.stage) sum += s;
    for (int i = 0; i < BILLOW_CHAIN_STAGE_COUNT; ++i)
      std::printf("  %-11s %6.2f us  %4.1f %%\n", billow_chain_stage_name(static_cast<billow_chain_stage>(i)),
                  1e6 * t.stage[i], 100 * t.stage[i] / sum);
    const auto n = counts.find(garment.name);
    if (n == counts.end()) {
      std::printf("  ceiling: not counted (%s did not run)\n", count_program.c_str());
      continue;
    }
    const double ceiling = n->second.cheap * cheap + n->second.divide * divide + n->second.root * root;
    std::printf(
        "  ceiling of the same arithmetic (%.0f cheap, %.0f divisions, %.0f roots): %.1f us; this is %.2f "
        "times it\n",
        n->second.cheap, n->second.divide, n->second.root, 1e6 * ceiling, t.p50 / ceiling);
  }
}

}  // namespace billow::bench
