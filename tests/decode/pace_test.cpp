// Coefficients of patches keep pace: what networks decode anew is shown over several frames.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "runtime/frame.h"

namespace billow::pace_test {
namespace {

constexpr float kFrame = 1.0f / 60;
constexpr uint32_t kComponents = 2, kCoefficients = 3 * kComponents;

// Two patches. The first moves its vertices by up to 1 and 0.1 m per unit of its components, the second hardly.
class Pace : public ::testing::Test {
 protected:
  Pace() {
    record_.components = kComponents;
    garment_.view.patches.record = &record_;
    garment_.view.patches.patches = patches_;
    const size_t deviations = round_up_to_panels(kCoefficients);
    const size_t stride = deviations + round_up_to_panels(record_.basis_columns());
    bases_.assign(2 * stride, 0.0f);
    bases_[deviations] = 1, bases_[deviations + 1] = 0.1f;
    bases_[stride + deviations] = bases_[stride + deviations + 1] = 1e-4f;
    garment_.view.patches.bases = bases_;
    coefficients_.assign(2 * garment_.coefficients_stride(), 0.0f);
    shown_.assign(2 * kCoefficients, 0.0f);
    instance_.garment = &garment_;
    instance_.coefficients = coefficients_.data();
    instance_.pace = {shown_.data(), shown_.size()};
  }

  // What is shown of the coefficients of both patches.
  std::vector<float> show(float first, float second, float dt = kFrame) {
    const size_t stride = garment_.coefficients_stride();
    for (uint32_t c = 0; c < kCoefficients; ++c) coefficients_[c] = first, coefficients_[stride + c] = second;
    keep_pace(instance_, dt);
    std::vector<float> out(coefficients_.begin(), coefficients_.begin() + kCoefficients);
    out.insert(out.end(), &coefficients_[stride], &coefficients_[stride] + kCoefficients);
    return out;
  }
  static std::vector<float> both(float first, float second) {
    std::vector<float> out(kCoefficients, first);
    out.insert(out.end(), kCoefficients, second);
    return out;
  }

  asset::PatchesRecord record_{};
  std::vector<asset::PatchRecord> patches_{2};
  std::vector<float> bases_, coefficients_, shown_;
  Garment garment_;
  Instance instance_;
};

TEST_F(Pace, StartsWhereTheNetworksAre) { EXPECT_EQ(show(5, 7), both(5, 7)); }

TEST_F(Pace, ShowsAJumpOverSeveralFrames) {
  show(0, 0);
  const float reach = std::sqrt(3 * 1.01f);  // m that vertices move at most per unit of all coefficients
  float last = 0;
  for (int k = 1; last < 0.1f; ++k) {
    const std::vector<float> now = show(0.1f, 0.1f);
    ASSERT_LE(reach * (now[0] - last), 0.5f * kFrame * 1.001f) << k;
    ASSERT_GT(now[0], last) << k;
    for (uint32_t c = 0; c < kCoefficients; ++c) ASSERT_EQ(now[c], now[0]) << "in the direction of the jump";
    ASSERT_EQ(now[kCoefficients], 0.1f) << "a patch that hardly moves its vertices is free";
    last = now[0];
    ASSERT_LT(k, 30);
  }
  EXPECT_EQ(last, 0.1f) << "exactly, in the end";
}

TEST_F(Pace, LeavesUsualMotionAlone) {
  show(0, 0);
  EXPECT_EQ(show(0.004f, 1), both(0.004f, 1)) << "7 mm in a frame";
}

TEST_F(Pace, StandsStillWithoutTime) {
  show(0.02f, 0);
  EXPECT_EQ(show(0.1f, 0, 0), both(0.02f, 0));
}

TEST_F(Pace, ForgetsWhatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    instance_.pace.fresh = 1;
    show(0, 0);
    show(bad, bad);
    EXPECT_EQ(show(0.1f, 0.2f), both(0.1f, 0.2f));
  }
}

}  // namespace
}  // namespace billow::pace_test
