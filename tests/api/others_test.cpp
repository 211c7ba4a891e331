// Bodies that cloth meets beside its own: what is refused, indices of contacts, blends, crowds, and saved states.
#include <billow/billow.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/colliders.h"
#include "support/tiny_garment.h"

namespace billow::others_test {
namespace {

using namespace billow::testing;

constexpr uint32_t kChains = 5, kRopes = 6, kBones = kChains * (kRopes + 1);
struct DestroyChains {
  void operator()(billow_chains* c) const { billow_chains_destroy(c); }
};
using ChainsHandle = std::unique_ptr<billow_chains, DestroyChains>;

// A curtain that swings.
class Curtain {
 public:
  explicit Curtain(uint32_t max_colliders = 0) {
    std::vector<float> rest;
    for (uint32_t c = 0; c < kChains; ++c) {
      roots_.push_back(at({{0.1 * c, 0, 0}}));
      for (uint32_t i = 0; i <= kRopes; ++i)
        for (const double x : {0.1 * c, -0.1 * i, 0.0}) rest.push_back(static_cast<float>(x));
    }
    const std::vector<uint32_t> bones(kChains, kRopes + 1);
    billow_chains_desc desc = billow_chains_desc_default();
    desc.chain_count = kChains, desc.bone_counts = bones.data(), desc.rest_positions = rest.data();
    desc.neighbours = 1, desc.max_colliders = max_colliders;
    billow_chains* chains = nullptr;
    EXPECT_EQ(billow_chains_create(&desc, &chains), BILLOW_OK) << billow_last_error();
    chains_.reset(chains);
  }
  billow_status step(const billow_body* body, const std::vector<const billow_body*>& others,
                     float dt = 1.0f / 60) {
    for (billow_transform& r : roots_)
      r.position[2] = 0.3f * static_cast<float>(std::sin(0.2 * frame_)),
      r.position[1] = -0.004f * static_cast<float>(frame_);
    billow_step step = billow_step_default();
    step.dt = dt, step.roots = roots_.data(), step.root_count = kChains, step.space = roots_.data(),
    step.body = body;
    step.others = others.data(), step.other_count = static_cast<uint32_t>(others.size());
    const billow_status status = billow_chains_step(chains_.get(), &step);
    frame_ += status == BILLOW_OK;
    return status;
  }
  std::vector<billow_contact> contacts() const {
    std::vector<billow_contact> out(kBones);
    uint32_t count = 0;
    EXPECT_EQ(billow_chains_get_contacts(chains_.get(), out.data(), kBones, &count), BILLOW_OK);
    out.resize(count);
    return out;
  }
  uint64_t hash() const { return billow_chains_hash(chains_.get()); }
  billow_chains* get() const { return chains_.get(); }

 private:
  std::vector<billow_transform> roots_;
  ChainsHandle chains_;
  int frame_ = 0;
};

// Two blended shapes, a box and a floor under the curtain.
std::vector<billow_collider> furniture() {
  std::vector<billow_collider> out = {sphere({{0.2, -0.5, 0.12}}, 0.08), sphere({{0.3, -0.5, 0.12}}, 0.08),
                                      box({{0.1, -0.75, -0.1}}, {{0.2, 0.05, 0.1}}, 0.01),
                                      half_space({{0, -0.8, 0}})};
  out[1].blend_with = 0, out[1].blend_radius = 0.06f;
  return out;
}

// Also by chains that feel only a part of their space's motion.
TEST(Others, AreMetAsTheBodyIs) {
  const BodyHandle body = make_body(furniture());
  for (const float inertia : {1.0f, 0.3f}) {
    Curtain first, second;
    billow_settings s = billow_settings_default();
    s.translation_inertia = inertia;
    for (const Curtain* c : {&first, &second}) ASSERT_EQ(billow_chains_set_settings(c->get(), &s), BILLOW_OK);
    uint32_t touched = 0;
    for (int k = 0; k < 90; ++k) {
      ASSERT_EQ(first.step(body.get(), {}), BILLOW_OK);
      ASSERT_EQ(second.step(nullptr, {body.get()}), BILLOW_OK);
      ASSERT_EQ(first.hash(), second.hash()) << "frame " << k << ", inertia " << inertia;
      touched += static_cast<uint32_t>(first.contacts().size());
    }
    EXPECT_GT(touched, 100u);
  }
}

// Far colliders, blended ones among them, come before: what is left out does not shift what is met, nor its index.
TEST(Others, AreFoundBehindFarOnes) {
  std::vector<billow_collider> far;
  for (int k = 0; k < 9; ++k) {
    far.push_back(sphere({{30 + 0.1 * k, 0, 0}}, 0.2));
    if (k > 0) far.back().blend_with = k - 1, far.back().blend_radius = 0.1f;
  }
  const BodyHandle own = make_body(furniture()), away = make_body(far),
                   near = make_body({sphere({{0.1, -0.3, 0.1}}, 0.05)});
  std::vector<billow_collider> all = furniture();
  all.push_back(sphere({{0.1, -0.3, 0.1}}, 0.05));
  const BodyHandle together = make_body(all);
  Curtain one, many;
  bool met = false;
  for (int k = 0; k < 90; ++k) {
    ASSERT_EQ(one.step(together.get(), {}), BILLOW_OK);
    ASSERT_EQ(many.step(own.get(), {away.get(), near.get()}), BILLOW_OK);
    ASSERT_EQ(one.hash(), many.hash()) << "frame " << k;
    const auto a = one.contacts(), b = many.contacts();
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      met |= a[i].collider == 4;
      EXPECT_EQ(b[i].collider, a[i].collider == 4 ? 4 + 9 : a[i].collider);
    }
  }
  EXPECT_TRUE(met) << "the last one is meant to be touched";
}

TEST(Others, OfAnotherScaleKeepIt) {
  std::vector<billow_collider> small = furniture();
  for (billow_collider& c : small) {
    for (float* lengths : {c.position, c.half_extents})
      for (int k = 0; k < 3; ++k) lengths[k] *= 0.5f;
    c.radius *= 0.5f, c.blend_radius *= 0.5f;
  }
  const BodyHandle grown = make_body(small), as_is = make_body(furniture()),
                   own = make_body({sphere({{0, -9, 0}}, 1)});
  const billow_transform nowhere = at({});
  ASSERT_EQ(billow_body_pose(grown.get(), &nowhere, 1, 2), BILLOW_OK);
  Curtain a, b;
  for (int k = 0; k < 60; ++k) {
    ASSERT_EQ(a.step(own.get(), {as_is.get()}), BILLOW_OK);
    ASSERT_EQ(b.step(own.get(), {grown.get()}), BILLOW_OK);
    ASSERT_EQ(a.hash(), b.hash()) << "frame " << k;
  }
}

// One that comes fast enough to leap over the curtain in a step is met on its way.
TEST(Others, AreSweptWithTheirMotion) {
  const BodyHandle door = make_body({box({{0.2, -0.5, 0}}, {{0.5, 0.5, 0.01}})});
  billow_transform place = at({{0, 0, 6}});
  ASSERT_EQ(billow_body_pose(door.get(), &place, 1, 1), BILLOW_OK);
  Curtain curtain;
  ASSERT_EQ(curtain.step(nullptr, {door.get()}), BILLOW_OK);
  place = at({{0, 0, -6}});
  ASSERT_EQ(billow_body_pose(door.get(), &place, 1, 1), BILLOW_OK);
  ASSERT_EQ(curtain.step(nullptr, {door.get()}), BILLOW_OK);
  EXPECT_FALSE(curtain.contacts().empty());
}

TEST(Others, OfGroupsThatAreNotMetAreNot) {
  billow_body* ground = nullptr;
  ASSERT_EQ(billow_body_create_ground(-0.3f, nullptr, &ground), BILLOW_OK);
  const BodyHandle held(ground);
  billow_collider described;
  ASSERT_EQ(billow_body_get_collider(ground, 0, &described), BILLOW_OK);
  EXPECT_EQ(described.group, uint32_t{BILLOW_COLLIDER_GROUP_WORLD});
  for (const bool met : {true, false}) {
    Curtain curtain;
    billow_settings s = billow_settings_default();
    if (!met) s.collider_groups &= ~(1u << BILLOW_COLLIDER_GROUP_WORLD);
    ASSERT_EQ(billow_chains_set_settings(curtain.get(), &s), BILLOW_OK);
    size_t contacts = 0;
    for (int k = 0; k < 20; ++k) {
      ASSERT_EQ(curtain.step(nullptr, {ground}), BILLOW_OK);
      contacts += curtain.contacts().size();
    }
    EXPECT_EQ(contacts > 0, met) << contacts;
  }
}

TEST(Others, SavedChainsGoOnBitForBit) {
  const BodyHandle body = make_body(furniture()), ball = make_body({sphere({{0, 0, 0}}, 0.1)});
  const auto play = [&](Curtain& curtain, int from, int to) {
    for (int k = from; k < to; ++k) {
      const billow_transform last = at({{0.2, -0.4, 0.02 * (k - 1) - 0.5}}),
                             now = at({{0.2, -0.4, 0.02 * k - 0.5}});
      ASSERT_EQ(billow_body_teleport(ball.get(), &last, 1, 1), BILLOW_OK);
      ASSERT_EQ(billow_body_pose(ball.get(), &now, 1, 1), BILLOW_OK);
      ASSERT_EQ(curtain.step(body.get(), {ball.get()}), BILLOW_OK);
    }
  };
  Curtain original;
  play(original, 0, 25);
  std::vector<char> state(billow_chains_state_size(original.get()));
  ASSERT_EQ(billow_chains_save(original.get(), state.data(), state.size()), BILLOW_OK);
  Curtain restored;
  play(restored, 0, 25);
  play(original, 25, 50);
  ASSERT_EQ(billow_chains_restore(restored.get(), state.data(), state.size()), BILLOW_OK);
  play(restored, 25, 50);
  EXPECT_EQ(restored.hash(), original.hash());
}

void expect_refused(billow_status status, const std::string& why) {
  EXPECT_EQ(status, BILLOW_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(billow_last_error()).find(why), std::string::npos) << billow_last_error();
}

TEST(Others, OfAStepAreChecked) {
  const BodyHandle three = make_body(std::vector<billow_collider>(3, sphere({{0, -9, 0}}, 1))),
                   four = make_body(std::vector<billow_collider>(4, sphere({{0, -9, 0}}, 1)));
  Curtain curtain(7);
  ASSERT_EQ(curtain.step(three.get(), {four.get()}), BILLOW_OK) << billow_last_error();
  const uint64_t hash = curtain.hash();
  const billow_transform roots[kChains] = {};
  billow_step step = billow_step_default();
  step.dt = 1.0f / 60, step.roots = roots, step.root_count = kChains, step.other_count = 1;
  expect_refused(billow_chains_step(curtain.get(), &step),
                 "step.others: expected an array of 1 bodies, found NULL");
  expect_refused(billow_chains_settle(curtain.get(), &step, 1), "step.others: expected an array");
  expect_refused(curtain.step(three.get(), {four.get(), nullptr}), "step.others[1]: expected a billow_body");
  alignas(64) const char none[1024] = {};
  expect_refused(curtain.step(three.get(), {reinterpret_cast<const billow_body*>(none)}), "step.others[0]");
  expect_refused(
      curtain.step(four.get(), {three.get(), three.get()}),
      "step.others: expected at most 7 colliders in all, the body's included, found 10 up to number 1");
  EXPECT_EQ(curtain.hash(), hash);
  // The body itself among them is passed over.
  EXPECT_EQ(curtain.step(four.get(), {four.get(), three.get(), four.get()}), BILLOW_OK)
      << billow_last_error();
  expect_refused(billow_body_create_ground(std::numeric_limits<float>::infinity(), nullptr, nullptr), "out");
  billow_body* ground = nullptr;
  expect_refused(billow_body_create_ground(std::numeric_limits<float>::infinity(), nullptr, &ground),
                 "position");
}

// A crowd in which all get the same list: everybody's body, and a floor.
class Dance {
 public:
  static constexpr uint32_t kCount = 11;
  explicit Dance(billow_garment* garment) : garment_(garment) {
    for (uint32_t i = 0; i < kCount; ++i) {
      billow_instance* made = nullptr;
      EXPECT_EQ(billow_instance_create(garment, nullptr, &made), BILLOW_OK);
      instances_.push_back(made);
      bodies_.push_back(billow_instance_body(made));
    }
    billow_body* ground = nullptr;
    EXPECT_EQ(billow_body_create_ground(-0.2f, nullptr, &ground), BILLOW_OK);
    ground_.reset(ground);
    bodies_.push_back(ground);
  }
  ~Dance() {
    for (billow_instance* i : instances_) billow_instance_destroy(i);
  }
  billow_frame frame_of(uint32_t i, int k) {
    joints_[i] = tiny_joints(k + 5 * static_cast<int>(i));
    for (billow_transform& j : joints_[i]) j.position[0] += 0.2f * static_cast<float>(i);
    billow_frame frame = billow_frame_default();
    frame.dt = 1.0f / 60;
    frame.joints = joints_[i].data(), frame.joint_count = kTinyJoints;
    frame.others = bodies_.data(), frame.other_count = static_cast<uint32_t>(bodies_.size());
    return frame;
  }
  std::vector<uint64_t> hashes() const {
    std::vector<uint64_t> out;
    for (const billow_instance* i : instances_)
      out.push_back(billow_instance_hash(i) * 31 + billow_chains_hash(billow_instance_chains(i)));
    return out;
  }

  billow_garment* garment_;
  std::vector<billow_instance*> instances_;
  std::vector<const billow_body*> bodies_;
  BodyHandle ground_;
  decltype(tiny_joints(0)) joints_[kCount];
};

TEST(Others, InACrowdAreWhereTheyAreInTheSameFrame) {
  billow_garment* garment = make_tiny_garment(2, Form::kPatches);
  {
    Dance crowd(garment), backwards(garment), alone(garment), single(garment);
    const auto backwards_run = [](void*, billow_job job, void* data, uint32_t count) {
      while (count-- > 0) job(data, count);
    };
    const billow_jobs jobs{backwards_run, nullptr};
    // The same with bodies of the caller's, which are posed before all steps.
    std::vector<billow_collider> colliders(billow_garment_collider_count(garment));
    for (uint32_t c = 0; c < colliders.size(); ++c)
      ASSERT_EQ(billow_garment_get_collider(garment, c, &colliders[c]), BILLOW_OK);
    std::vector<billow_transform> rest(kTinyJoints);
    ASSERT_EQ(billow_garment_get_joint_rest(garment, rest.data(), kTinyJoints), BILLOW_OK);
    std::vector<BodyHandle> posed;
    for (uint32_t i = 0; i < Dance::kCount; ++i) posed.push_back(make_body(colliders, rest));
    for (int k = 0; k < 30; ++k) {
      std::vector<billow_frame> frames, others;
      for (uint32_t i = 0; i < Dance::kCount; ++i) {
        frames.push_back(crowd.frame_of(i, k)), others.push_back(backwards.frame_of(i, k));
        ASSERT_EQ(billow_body_pose(posed[i].get(), frames[i].joints, kTinyJoints, 1), BILLOW_OK);
      }
      ASSERT_EQ(billow_crowd_step(crowd.instances_.data(), frames.data(), Dance::kCount, nullptr), BILLOW_OK)
          << billow_last_error();
      ASSERT_EQ(billow_crowd_step(backwards.instances_.data(), others.data(), Dance::kCount, &jobs),
                BILLOW_OK);
      for (uint32_t i = 0; i < Dance::kCount; ++i) {
        std::vector<const billow_body*> list;
        for (uint32_t o = 0; o < Dance::kCount; ++o)
          if (o != i) list.push_back(posed[o].get());
        list.push_back(alone.ground_.get());
        billow_frame frame = alone.frame_of(i, k);
        frame.others = list.data(), frame.other_count = static_cast<uint32_t>(list.size());
        ASSERT_EQ(billow_instance_step(alone.instances_[i], &frame), BILLOW_OK);
        frame.other_count = 0;
        ASSERT_EQ(billow_instance_step(single.instances_[i], &frame), BILLOW_OK);
      }
    }
    EXPECT_EQ(crowd.hashes(), backwards.hashes());
    EXPECT_EQ(crowd.hashes(), alone.hashes());
    EXPECT_NE(crowd.hashes(), single.hashes()) << "they are meant to meet";
  }
  billow_garment_destroy(garment);
}

TEST(Others, OfAFrameAreChecked) {
  billow_garment* garment = make_tiny_garment(2, Form::kPatches);
  {
    Dance dance(garment);
    const auto refused = [&](const char* why) {
      billow_frame frames[2] = {dance.frame_of(0, 1), dance.frame_of(1, 1)};
      frames[0].other_count = frames[1].other_count = 0;
      EXPECT_EQ(billow_crowd_step(dance.instances_.data(), frames, 2, nullptr), BILLOW_OK);
      const auto before = dance.hashes();
      billow_frame& bad = frames[1];
      bad = dance.frame_of(1, 2);
      expect_refused(billow_instance_step(dance.instances_[1], &bad), why);
      expect_refused(billow_instance_settle(dance.instances_[1], &bad, 1), why);
      expect_refused(billow_crowd_step(dance.instances_.data(), frames, 2, nullptr), why);
      EXPECT_EQ(dance.hashes(), before);
    };
    const BodyHandle many =
        make_body(std::vector<billow_collider>(BILLOW_MAX_COLLIDERS, sphere({{0, -9, 0}}, 1)));
    dance.bodies_ = {many.get()};
    refused("frame.others: expected at most 128 colliders");
    dance.bodies_ = {dance.ground_.get(), nullptr};
    refused("frame.others[1]: expected a billow_body");
    billow_frame frame = dance.frame_of(0, 3);
    frame.others = nullptr;
    expect_refused(billow_instance_step(dance.instances_[0], &frame), "frame.others: expected an array");
    // In place of its own body, so many are fine.
    frame.other_count = 0, frame.body = many.get();
    EXPECT_EQ(billow_instance_step(dance.instances_[0], &frame), BILLOW_OK);
  }
  billow_garment_destroy(garment);
}

}  // namespace
}  // namespace billow::others_test
