// The shipped garments on a moving person: the same motion at any frame rate, and rest after a stop.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/wearer.h"

namespace billow::testing {
namespace {

// RMS distance of two sets of bones, mm.
double distance_mm(const Bones& a, const Bones& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::pow(1000.0 * (a[i] - b[i]), 2);
  return std::sqrt(3 * sum / static_cast<double>(a.size()));
}

// The bones over 3 s, six times a second, which all rates have in common.
std::vector<Bones> play(const std::string& garment, const Motion& motion, int hz) {
  Wearer wearer(garment, motion);
  wearer.settle();
  std::vector<Bones> out;
  for (int k = 1; k <= 3 * hz; ++k) {
    wearer.step(hz);
    if (k % (hz / 6) == 0) out.push_back(wearer.bones());
  }
  return out;
}

class FrameRates : public ::testing::TestWithParam<const char*> {
 protected:
  void expect_same(const Motion& motion) {
    const std::vector<Bones> expected = play(GetParam(), motion, 240);
    for (const int hz : {30, 60, 144}) {
      const std::vector<Bones> found = play(GetParam(), motion, hz);
      double squares = 0;
      for (size_t k = 0; k < found.size(); ++k) squares += std::pow(distance_mm(found[k], expected[k]), 2);
      const double rms = std::sqrt(squares / static_cast<double>(found.size()));
      std::printf("  %s, %d Hz: %.1f mm from 240 Hz\n", GetParam(), hz, rms);
      // Contacts of the skirt switch by rounding, so that its figure is not the same on every processor.
      EXPECT_LT(rms, GetParam() == std::string("skirt") ? 25 : 15) << hz << " Hz";
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Shipped, FrameRates, ::testing::Values("cape", "skirt"));

TEST_P(FrameRates, MoveAlikeOnAWalkInACircle) { expect_same(walk_in_circle(person(), 100)); }

TEST_P(FrameRates, MoveAlikeOnACapturedRun) {
  const motion::MotionBundle bundle = motion::read_bundle(motion::shipped_bundle());
  const motion::Clip clip = motion::on_person(motion::clip_in(bundle, "127_04"), person());
  expect_same(captured(clip));
}

// The fastest tip in the sixth second after standing still, mm/s, of chains that may sleep and of others. A tip is followed by another chain's root.
TEST_P(FrameRates, ComeToRest) {
  constexpr double kStop = 3, kStill = kStop + kSlowingDown;
  // Folds of the cape, which push each other apart, creep on.
  const double most_awake = GetParam() == std::string("cape") ? 8 : 2;
  for (const bool may_sleep : {true, false})
    for (const int hz : {30, 60, 144}) {
      Wearer wearer(GetParam(), walk_in_circle(person(), kStop));
      billow_settings settings;
      billow_chains_get_settings(wearer.chains(), &settings);
      if (!may_sleep) settings.sleep_after = 0;
      ASSERT_EQ(billow_chains_set_settings(wearer.chains(), &settings), BILLOW_OK);
      wearer.settle();
      double fastest = 0;
      Bones before;
      for (int k = 1; k <= static_cast<int>((kStill + 6) * hz); ++k) {
        wearer.step(hz);
        const Bones x = wearer.bones();
        const auto away = [&](const Bones& a, size_t i, const Bones& b, size_t j) {
          return std::hypot(a[i] - b[j], a[i + 1] - b[j + 1], a[i + 2] - b[j + 2]);
        };
        if (k > static_cast<int>((kStill + 5) * hz))
          for (size_t i = 0; i < x.size(); i += 3)
            if (i + 3 == x.size() || away(x, i, x, i + 3) > 0.2f)
              fastest = std::max(fastest, 1000.0 * hz * away(x, i, before, i));
        before = x;
      }
      std::printf("  %s, %d Hz%s: tips at %.2f mm/s\n", GetParam(), hz, may_sleep ? "" : ", awake", fastest);
      EXPECT_LT(fastest, may_sleep ? 2 : most_awake) << hz << " Hz";
    }
}

// Positions are rounded to 0.06 mm one kilometre away. The energy guard must not amplify that.
TEST_P(FrameRates, GuardDoesNotAmplifyRounding) {
  double apart[2];
  for (const int guard : {0, 1}) {
    Bones x[2];
    for (const int far : {0, 1}) {
      Wearer wearer(GetParam(), walk_in_circle(person(), 100), {1000.0f * static_cast<float>(far), 0, 0});
      billow_settings s;
      billow_chains_get_settings(wearer.chains(), &s);
      s.solver.energy_guard = guard;
      billow_chains_set_settings(wearer.chains(), &s);
      wearer.settle();
      for (int k = 0; k < 10; ++k) wearer.step(60);
      x[far] = wearer.bones();
    }
    apart[guard] = distance_mm(x[0], x[1]);
  }
  std::printf("  %s, 1 km away: %.1f mm with the guard, %.1f without\n", GetParam(), apart[1], apart[0]);
  EXPECT_LT(apart[1], 2 * apart[0]);
}

}  // namespace
}  // namespace billow::testing
