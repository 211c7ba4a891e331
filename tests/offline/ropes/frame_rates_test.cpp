// The shipped garments on a moving person: the same motion at any frame rate, and rest after a stop.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "support/moving_person.h"

namespace billow::testing {
namespace {

using Bones = std::vector<float>;

const body::Person& person() {
  static const body::Person average = body::make_person();
  return average;
}

// The chains of a garment that a person wears. They start settled on the motion's first pose.
class Wearer {
 public:
  Wearer(const std::string& name, Motion motion, V3 offset = {0, 0, 0})
      : motion_(std::move(motion)), offset_(offset) {
    billow_garment* garment = nullptr;
    EXPECT_EQ(billow_garment_load(("assets/" + name + ".billow").c_str(), nullptr, &garment), BILLOW_OK)
        << billow_last_error();
    garment_.reset(garment);
    for (uint32_t j = 0; j < billow_garment_joint_count(garment); ++j) {
      char joint[BILLOW_MAX_NAME];
      billow_garment_get_joint_name(garment, j, joint, sizeof joint);
      joints_.push_back(static_cast<size_t>(person().skeleton.at(joint)));
    }
    billow_instance* instance = nullptr;
    EXPECT_EQ(billow_instance_create(garment, nullptr, &instance), BILLOW_OK) << billow_last_error();
    instance_.reset(instance);
  }
  billow_chains* chains() const { return billow_instance_chains(instance_.get()); }
  void settle() { pose(0, 0); }
  void step(double hz) {
    ++frame_;
    pose(static_cast<double>(frame_) / hz, 1 / hz);
  }
  Bones bones() const {
    Bones x(3 * size_t{billow_chains_bone_count(chains())});
    billow_chains_get_positions(chains(), x.data(), billow_chains_bone_count(chains()));
    for (size_t i = 0; i < x.size(); ++i) x[i] -= i % 3 == 0 ? offset_.x : i % 3 == 1 ? offset_.y : offset_.z;
    return x;
  }

 private:
  void pose(double time, double dt) {
    body::Pose pose = motion_(time);
    pose.root_position += offset_;
    const auto all = body::to_api(body::joint_transforms(person().skeleton, pose));
    std::vector<billow_transform> joints;
    for (const size_t j : joints_) joints.push_back(all[j]);
    billow_frame frame = billow_frame_default();
    frame.dt = static_cast<float>(dt), frame.skip_mesh = 1;
    frame.joints = joints.data(), frame.joint_count = static_cast<uint32_t>(joints.size());
    ASSERT_EQ(dt > 0 ? billow_instance_step(instance_.get(), &frame)
                     : billow_instance_settle(instance_.get(), &frame, 5),
              BILLOW_OK)
        << billow_last_error();
  }

  struct Destroy {
    void operator()(billow_garment* p) const { billow_garment_destroy(p); }
    void operator()(billow_instance* p) const { billow_instance_destroy(p); }
  };
  Motion motion_;
  V3 offset_;
  std::vector<size_t> joints_;
  std::unique_ptr<billow_garment, Destroy> garment_;
  std::unique_ptr<billow_instance, Destroy> instance_;
  int frame_ = 0;
};

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
      EXPECT_LT(rms, 15) << hz << " Hz";
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

// The fastest tip in the sixth second after standing still, mm/s. A tip is followed by another chain's root.
TEST_P(FrameRates, ComeToRest) {
  constexpr double kStop = 3, kStill = kStop + kSlowingDown;
  for (const int hz : {30, 60, 144}) {
    Wearer wearer(GetParam(), walk_in_circle(person(), kStop));
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
    std::printf("  %s, %d Hz: tips at %.2f mm/s\n", GetParam(), hz, fastest);
    EXPECT_LT(fastest, 2) << hz << " Hz";
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
