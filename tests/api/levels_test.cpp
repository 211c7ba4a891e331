// Levels of detail: frames between updates, blends, and the policy of a crowd.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/walker.h"

namespace billow::levels_test {
namespace {

using testing::Walk;
using testing::Walker;

constexpr double kHz = 60;

void set(const Walker& w, billow_lengths lengths, uint32_t interval, uint32_t stagger = 0,
         uint32_t blend = 0) {
  billow_instance_options o;
  ASSERT_EQ(billow_instance_get_options(w.instance(), &o), BILLOW_OK);
  o.lengths = lengths, o.interval = interval, o.stagger = stagger, o.blend = blend;
  ASSERT_EQ(billow_instance_set_options(w.instance(), &o), BILLOW_OK) << billow_last_error();
}

billow_instance_options options_of(const Walker& w) {
  billow_instance_options o;
  EXPECT_EQ(billow_instance_get_options(w.instance(), &o), BILLOW_OK);
  return o;
}

std::vector<float> mesh_of(const Walker& w) { return {w.mesh().begin(), w.mesh().end()}; }

std::vector<std::byte> state_of(const Walker& w) {
  std::vector<std::byte> state(billow_instance_state_size(w.instance()));
  EXPECT_EQ(billow_instance_save(w.instance(), state.data(), state.size()), BILLOW_OK) << billow_last_error();
  return state;
}

double rms_apart(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += std::pow(double{a[k]} - double{b[k]}, 2);
  return std::sqrt(3 * sum / static_cast<double>(a.size()));
}

TEST(Levels, ChainsAreSteppedInTheFramesThatAreDue) {
  for (const uint32_t stagger : {0u, 3u}) {
    Walker w("cape", {});
    w.settle();
    for (int k = 0; k < 60; ++k) w.step(kHz);
    set(w, BILLOW_LENGTHS_OFF, 4, stagger);
    w.step(kHz);  // the first is always due: nothing is known yet that could be shown
    int stepped = 0;
    for (int k = 0; k < 40; ++k) {
      const std::vector<float> bones = w.bones(), mesh = mesh_of(w);
      w.step(kHz);
      stepped += w.bones() != bones;
      EXPECT_NE(mesh_of(w), mesh) << "the mesh is on its way in every frame";
    }
    EXPECT_EQ(stepped, 10);
  }
}

// What is shown is a few frames late, not elsewhere.
TEST(Levels, StaysNearTheClothOfEveryFrame) {
  for (const uint32_t interval : {2u, 4u, 8u}) {
    Walker every("cape", {}), some("cape", {});
    every.settle(), some.settle();
    set(every, BILLOW_LENGTHS_OFF, 1), set(some, BILLOW_LENGTHS_OFF, interval);
    double worst = 0;
    for (int k = 0; k < 180; ++k) {
      every.step(kHz), some.step(kHz);
      worst = std::max(worst, rms_apart(every.mesh(), some.mesh()));
    }
    EXPECT_LT(worst, 0.01 + 0.012 * interval) << interval;
    EXPECT_GT(worst, 1e-4);
  }
}

// Largest motion of a vertex in a frame beside the key joint, m. Walkers turn slowly: their joint 0 will do.
class Motion {
 public:
  float step(Walker& w) {
    const std::vector<float> last = mesh_of(w);
    V from = middle(last);
    w.step(kHz);
    const std::span<const float> now = w.mesh();
    const V to = middle(now);
    float most = 0;
    for (size_t v = 0; v < now.size(); v += 3)
      most = std::max(most, std::hypot(now[v] - last[v] - (to.x - from.x), now[v + 1] - last[v + 1],
                                       now[v + 2] - last[v + 2] - (to.z - from.z)));
    return most;
  }

 private:
  struct V {
    float x, z;
  };
  static V middle(std::span<const float> mesh) {
    double x = 0, z = 0;
    for (size_t v = 0; v < mesh.size(); v += 3) x += double{mesh[v]}, z += double{mesh[v + 2]};
    const double n = static_cast<double>(mesh.size()) / 3;
    return {static_cast<float>(x / n), static_cast<float>(z / n)};
  }
};

TEST(Levels, DoNotPopWhereTheyChange) {
  for (const char* garment : {"cape", "skirt"}) {
    Walker plain(garment, {}), changing(garment, {});
    plain.settle(), changing.settle();
    Motion motion;
    float usual = 0, most = 0;
    for (int k = 0; k < 60; ++k) plain.step(kHz), changing.step(kHz);
    const struct {
      billow_lengths lengths;
      uint32_t interval;
    } levels[] = {{BILLOW_LENGTHS_LOW, 2}, {BILLOW_LENGTHS_OFF, 4}, {BILLOW_LENGTHS_OFF, 8},
                  {BILLOW_LENGTHS_OFF, 4}, {BILLOW_LENGTHS_LOW, 2}, {BILLOW_LENGTHS_HIGH, 1}};
    uint32_t number = 0;
    for (const auto& level : levels) {
      set(changing, level.lengths, level.interval, number++, 20);
      for (int k = 0; k < 45; ++k)
        usual = std::max(usual, motion.step(plain)), most = std::max(most, motion.step(changing));
    }
    std::printf("  %s: %.0f mm in a frame, with levels that change %.0f\n", garment, 1e3 * double{usual},
                1e3 * double{most});
    EXPECT_LT(most, 1.5f * usual) << "what is late catches up";
    EXPECT_LT(rms_apart(plain.mesh(), changing.mesh()), 0.08);
  }
}

TEST(Levels, BlendsAreOverInTime) {
  Walker blended("cape", {}), at_once("cape", {});
  blended.settle(), at_once.settle();
  for (int k = 0; k < 60; ++k) blended.step(kHz), at_once.step(kHz);
  set(blended, BILLOW_LENGTHS_OFF, 1, 0, 20), set(at_once, BILLOW_LENGTHS_OFF, 1);
  for (int k = 0; k < 20; ++k) {
    blended.step(kHz), at_once.step(kHz);
    if (k < 19) {
      EXPECT_NE(mesh_of(blended), mesh_of(at_once)) << k;
    }
  }
  EXPECT_LT(rms_apart(blended.mesh(), at_once.mesh()), 2e-4) << "places have a unit of 0.1 mm";
  blended.step(kHz), at_once.step(kHz);
  EXPECT_EQ(mesh_of(blended), mesh_of(at_once));
}

TEST(Levels, GoOnFromASavedState) {
  for (const uint32_t frames : {61u, 63u, 64u}) {
    Walker one("cape", {}), other("cape", {});
    one.settle(), other.settle();
    for (Walker* w : {&one, &other}) set(*w, BILLOW_LENGTHS_LOW, 4, 1, 20);
    for (uint32_t k = 0; k < frames; ++k) one.step(kHz), other.step(kHz);
    for (int k = 0; k < 30; ++k) other.step(kHz);  // elsewhere, in another frame of the interval
    const std::vector<std::byte> state = state_of(one);
    ASSERT_EQ(billow_instance_restore(other.instance(), state.data(), state.size()), BILLOW_OK)
        << billow_last_error();
    other.go_to_frame(one.frame());
    for (int k = 0; k < 12; ++k) {
      one.step(kHz), other.step(kHz);
      ASSERT_EQ(billow_instance_hash(one.instance()), billow_instance_hash(other.instance())) << k;
    }
  }
}

TEST(Levels, SettleAtOnceInAnyFrame) {
  Walker every("cape", {}), some("cape", {});
  every.settle(), some.settle();
  set(some, BILLOW_LENGTHS_HIGH, 8);
  for (int k = 0; k < 63; ++k) every.step(kHz), some.step(kHz);
  for (Walker* w : {&every, &some}) w->settle();
  EXPECT_LT(rms_apart(every.mesh(), some.mesh()), 0.03);
}

TEST(Levels, TheSameOptionsAgainChangeNothing) {
  Walker once("cape", {}), again("cape", {});
  once.settle(), again.settle();
  for (int k = 0; k < 30; ++k) once.step(kHz), again.step(kHz);
  set(once, BILLOW_LENGTHS_OFF, 1, 0, 20);
  for (int k = 0; k < 25; ++k) {
    set(again, BILLOW_LENGTHS_OFF, 1, 0, 20);
    once.step(kHz), again.step(kHz);
    ASSERT_EQ(mesh_of(again), mesh_of(once)) << k;
  }
}

TEST(Levels, StandStillWithoutTime) {
  Walker w("cape", {});
  w.settle();
  set(w, BILLOW_LENGTHS_OFF, 4);
  for (int k = 0; k < 62; ++k) w.step(kHz);
  const uint64_t hash = billow_instance_hash(w.instance());
  for (int k = 0; k < 5; ++k) {
    w.pause();
    ASSERT_EQ(billow_instance_hash(w.instance()), hash);
  }
}

class Policy : public ::testing::Test {
 protected:
  static constexpr uint32_t kCount = 6;
  Policy() {
    for (uint32_t k = 0; k < kCount; ++k) {
      walkers_.emplace_back(new Walker("cape", {}));
      instances_.push_back(walkers_.back()->instance());
      frames_.push_back(billow_frame_default());
      views_.push_back({0, 1});
    }
  }
  billow_status choose(const billow_levels* levels = nullptr) {
    return billow_crowd_choose_levels(instances_.data(), frames_.data(), views_.data(), kCount, levels);
  }
  std::vector<uint32_t> intervals() const {
    std::vector<uint32_t> out;
    for (const auto& w : walkers_) out.push_back(options_of(*w).interval);
    return out;
  }
  void look(std::vector<float> distances) {
    for (uint32_t k = 0; k < kCount; ++k) views_[k].distance = distances[k];
  }

  std::vector<std::unique_ptr<Walker>> walkers_;
  std::vector<billow_instance*> instances_;
  std::vector<billow_frame> frames_;
  std::vector<billow_view> views_;
};

TEST_F(Policy, ComputesFarCharactersLessOften) {
  billow_instance_options own = options_of(*walkers_[1]);
  own.clearance = 0.011f;
  ASSERT_EQ(billow_instance_set_options(instances_[1], &own), BILLOW_OK);
  look({2, 10, 20, 60, 1e9f, 3});
  views_[5].visible = 0;
  ASSERT_EQ(choose(), BILLOW_OK);
  EXPECT_EQ(intervals(), (std::vector<uint32_t>{1, 2, 4, 8, 8, 8}));
  EXPECT_EQ(options_of(*walkers_[0]).lengths, BILLOW_LENGTHS_HIGH);
  EXPECT_EQ(options_of(*walkers_[1]).lengths, BILLOW_LENGTHS_LOW);
  EXPECT_EQ(options_of(*walkers_[1]).clearance, 0.011f) << "the rest is the caller's";
  EXPECT_EQ(options_of(*walkers_[3]).lengths, BILLOW_LENGTHS_OFF);
  for (uint32_t k = 0; k < kCount; ++k) EXPECT_EQ(frames_[k].skip_mesh, k == 5);
  look({2, 2, 2, 2, 2, 2});
  views_[5].visible = 1;
  ASSERT_EQ(choose(), BILLOW_OK);
  EXPECT_EQ(intervals(), std::vector<uint32_t>(kCount, 1));
}

TEST_F(Policy, DoesNotChangeToAndFro) {
  look({8.5f, 7.5f, 17, 15, 33, 31});
  ASSERT_EQ(choose(), BILLOW_OK);
  const std::vector<uint32_t> there = intervals();
  look({7.5f, 8.5f, 15, 17, 31, 33});
  ASSERT_EQ(choose(), BILLOW_OK);
  EXPECT_EQ(intervals(), there);
  look({7, 9, 14, 18, 28, 36});
  ASSERT_EQ(choose(), BILLOW_OK);
  EXPECT_EQ(intervals(), (std::vector<uint32_t>{1, 2, 2, 4, 4, 8}));
}

TEST_F(Policy, KeepsABudget) {
  look({1, 2, 3, 4, 5, 6});
  billow_levels levels = billow_levels_default();
  levels.frame_ms = 2, levels.budget_ms = 12;
  ASSERT_EQ(choose(&levels), BILLOW_OK);
  EXPECT_EQ(intervals(), std::vector<uint32_t>(kCount, 1)) << "six full frames";
  levels.budget_ms = 5;
  ASSERT_EQ(choose(&levels), BILLOW_OK);
  const std::vector<uint32_t> chosen = intervals();
  EXPECT_EQ(chosen[0], 1u);
  EXPECT_GE(chosen[5], 4u);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
}

TEST_F(Policy, RefusesNonsense) {
  const auto refused = [&](billow_status status, const char* why) {
    EXPECT_EQ(status, BILLOW_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(std::string(billow_last_error()).find(why), std::string::npos) << billow_last_error();
    EXPECT_EQ(intervals(), std::vector<uint32_t>(kCount, 1)) << "nothing has changed";
  };
  look({99, 99, 99, 99, 99, 99});
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {-1.0f, kNan}) {
    views_[3].distance = bad;
    refused(choose(), "views[3].distance: expected 0 or more");
  }
  views_[3].distance = 99;
  for (float billow_levels::*member :
       {&billow_levels::near_distance, &billow_levels::budget_ms, &billow_levels::frame_ms})
    for (const float bad : {-1.0f, kNan, 1e7f}) {
      billow_levels levels = billow_levels_default();
      levels.*member = bad;
      refused(choose(&levels), "levels.");
    }
  refused(billow_crowd_choose_levels(nullptr, frames_.data(), views_.data(), 1, nullptr), "found NULL");
  refused(billow_crowd_choose_levels(instances_.data(), nullptr, views_.data(), 1, nullptr), "found NULL");
  refused(billow_crowd_choose_levels(instances_.data(), frames_.data(), nullptr, 1, nullptr), "found NULL");
  std::swap(instances_[2], instances_.emplace_back(nullptr));
  refused(choose(), "instance: expected a billow_instance");
  EXPECT_EQ(billow_crowd_choose_levels(nullptr, nullptr, nullptr, 0, nullptr), BILLOW_OK);

  for (const auto& [member, bad] : {std::pair(&billow_instance_options::interval, 0u),
                                    {&billow_instance_options::interval, 17u},
                                    {&billow_instance_options::stagger, 16u},
                                    {&billow_instance_options::blend, 241u}}) {
    billow_instance_options o = options_of(*walkers_[0]);
    o.*member = bad;
    refused(billow_instance_set_options(walkers_[0]->instance(), &o), "frames, found");
  }
}

}  // namespace
}  // namespace billow::levels_test
