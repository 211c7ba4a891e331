// What the shipped garments show on rope chains: cloth of the pattern's lengths, and a mesh that rests when the person does.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "evaluate/sted.h"
#include "pack/garment_asset.h"
#include "support/wearer.h"

namespace billow::testing {
namespace {

struct Strain {
  double mean = 0, p99 = 0;  // percent, of every eighth edge in every fourth frame
  double longest = 0;        // of all edges in every other frame, relative to the pattern
};

Strain strain_of(const std::string& name, const motion::Clip& clip, billow_lengths lengths) {
  Wearer wearer(name, captured(clip), {0, 0, 0}, true);
  billow_instance_options options = billow_instance_options_default();
  options.lengths = lengths;
  EXPECT_EQ(billow_instance_set_options(wearer.instance(), &options), BILLOW_OK);
  const auto edges = evaluate::edges_of(pack::read_garment_asset("assets/" + name + ".billow").garment);
  std::vector<float> strains;
  Strain out;
  wearer.settle();
  for (int k = 1; k <= 180; ++k) {
    wearer.step(60);
    const float* x = wearer.mesh().data();
    const auto ratio = [&](const evaluate::Edge& e) {
      const float *a = x + 3 * size_t{e.a}, *b = x + 3 * size_t{e.b};
      return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / e.length;
    };
    for (size_t e = 0; k % 2 == 0 && e < edges.size(); ++e)
      out.longest = std::max(out.longest, static_cast<double>(ratio(edges[e])));
    for (size_t e = k % edges.size() % 8; k % 4 == 0 && e < edges.size(); e += 8)
      strains.push_back(std::abs(ratio(edges[e]) - 1));
  }
  for (const float s : strains)
    out.mean += 100 * static_cast<double>(s) / static_cast<double>(strains.size());
  const auto at = strains.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(strains.size()));
  std::nth_element(strains.begin(), at, strains.end());
  out.p99 = 100 * static_cast<double>(*at);
  return out;
}

class ShownMesh : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Garments, ShownMesh, ::testing::Values("cape", "skirt"));

// A walk, a run and a dance of people of whom nothing was learnt.
TEST_P(ShownMesh, KeepsTheLengthsOfThePattern) {
  const motion::MotionBundle bundle = motion::read_bundle("assets/motions/captured.billowmotion");
  for (const char* name : {"55_04", "143_04", "55_01"}) {
    const motion::BundledClip& clip = motion::clip_in(bundle, name);
    ASSERT_TRUE(clip.test);
    const motion::Clip played = motion::on_person(clip, person());
    const Strain shown = strain_of(GetParam(), played, BILLOW_LENGTHS_HIGH),
                 decoded = strain_of(GetParam(), played, BILLOW_LENGTHS_OFF);
    std::printf("%s %s: %.2f %.1f, longest %.1f; decoded %.2f %.1f\n", GetParam(), name, shown.mean,
                shown.p99, shown.longest, decoded.mean, decoded.p99);
    EXPECT_LT(shown.mean, 3.5) << name;
    EXPECT_LT(shown.p99, 20) << name;
    EXPECT_LT(shown.longest, 8) << name;  // where a limb tears cloth apart it is 14 to 20
    EXPECT_GT(decoded.mean, 1.5 * shown.mean) << name;
  }
}

TEST_P(ShownMesh, RestsFiveSecondsAfterAStop) {
  constexpr double kStop = 2;
  Wearer wearer(GetParam(), walk_in_circle(person(), kStop), {0, 0, 0}, true);
  wearer.settle();
  const int still = static_cast<int>(60 * (kStop + kSlowingDown + 5));
  std::vector<float> before;
  double sum = 0, most = 0;
  for (int k = 1; k <= still + 30; ++k) {
    wearer.step(60);
    const std::span<const float> x = wearer.mesh();
    for (size_t v = 0; k > still && v < x.size(); v += 3) {
      const double moved = static_cast<double>(
          std::hypot(x[v] - before[v], x[v + 1] - before[v + 1], x[v + 2] - before[v + 2]));
      sum += moved, most = std::max(most, moved);
    }
    before.assign(x.begin(), x.end());
  }
  const double mean = 60e3 * sum / (30.0 * static_cast<double>(before.size() / 3));
  std::printf("%s: mean %.2f mm/s, most %.1f mm/s\n", GetParam(), mean, 60e3 * most);
  EXPECT_LT(mean, 1);
  EXPECT_LT(60e3 * most, 10);
}

}  // namespace
}  // namespace billow::testing
