// The chain step in tensors does what the runtime's does, and its gradients are those of finite differences.
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

#include "api/handles.h"
#include "support/wearer.h"
#include "train/differentiable/chain_step.h"
#include "train/differentiable/read_chains.h"

namespace billow::train::differentiable {
namespace {

using Change = std::function<void(billow_settings&)>;

// A shipped garment on a person who walks in a circle, as the runtime moves it from the second second on.
struct Recording {
  ChainModel model;
  std::vector<ChainState> states;  // one more than frames
  std::vector<FrameInput> frames;
  std::vector<int64_t> substeps;
  int contacts = 0;
};

Recording record(const std::string& garment, int frames, bool with_body, const Change& change = {}) {
  constexpr int kLeadIn = 60;
  testing::Wearer wearer(garment, testing::walk_in_circle(testing::person(), 100));
  billow_settings settings{};
  EXPECT_EQ(billow_chains_get_settings(wearer.chains(), &settings), BILLOW_OK);
  if (!with_body) settings.collider_groups = 0;
  if (change) change(settings);
  EXPECT_EQ(billow_chains_set_settings(wearer.chains(), &settings), BILLOW_OK) << billow_last_error();
  wearer.settle();
  for (int k = 0; k < kLeadIn; ++k) wearer.step(60);
  const Chains& chains = wearer.chains()->chains;
  const Body& body = wearer.instance()->body->body;
  Recording out;
  out.model = read_chains(chains, with_body ? &body : nullptr);
  for (int k = 0; k < frames; ++k) {
    out.states.push_back(read_state(chains));
    FrameInput f;
    f.dt = 1.0 / 60;
    f.roots_from = read_roots(chains);
    wearer.step(60);
    f.roots_to = read_roots(chains);
    if (with_body) {
      f.colliders_from = read_colliders(body, false).unsqueeze(0);
      f.colliders_to = read_colliders(body, true).unsqueeze(0);
    }
    if (chains.set.has_learnt) f.learnt = read_learnt(chains);
    out.frames.push_back(f);
    out.substeps.push_back(chains.report.substeps);
    out.contacts += chains.report.contacts;
  }
  out.states.push_back(read_state(chains));
  return out;
}

// Largest distance between the bones of two states, mm.
double apart(const ChainModel& model, const ChainState& a, const ChainState& b) {
  return 1e3 * length3((a.x - b.x) * model.is_bone, 0).max().item<double>();
}

// Calls on libtorch are short, and more threads than cores wait for each other.
class Differentiable : public ::testing::Test {
 protected:
  void SetUp() override { torch::set_num_threads(1); }
};

// From the runtime's own states, of which one may be at a jump, and freely for the first `free_frames`: where many bones touch, what
// processors round differently grows.
void expect_agreement(const Recording& runtime, double free_mm, double single_mm, size_t free_frames = 30) {
  const torch::NoGradGuard values_only;
  ChainState free = runtime.states[0];
  int at_jumps = 0;
  for (size_t k = 0; k < runtime.frames.size(); ++k) {
    EXPECT_EQ(count_substeps(runtime.model, runtime.states[k], 1.0 / 60).item<int64_t>(), runtime.substeps[k])
        << k;
    if (k % 3 == 0) {
      const ChainState single = step(runtime.model, runtime.states[k], runtime.frames[k]);
      at_jumps += apart(runtime.model, single, runtime.states[k + 1]) > single_mm;
    }
    if (k >= free_frames) continue;
    free = step(runtime.model, free, runtime.frames[k]);
    EXPECT_LT(apart(runtime.model, free, runtime.states[k + 1]), free_mm) << "frame " << k;
  }
  EXPECT_LE(at_jumps, 1);
}

TEST_F(Differentiable, MovesAsTheRuntimeInTheAir) {
  for (const char* garment : {"cape", "skirt"}) expect_agreement(record(garment, 30, false), 0.02, 0.02);
}

TEST_F(Differentiable, MovesAsTheRuntimeOnABody) {
  const Recording cape = record("cape", 30, true), skirt = record("skirt", 30, true);
  EXPECT_GT(cape.contacts, 30);
  EXPECT_GT(skirt.contacts, 1000);
  expect_agreement(cape, 0.1, 0.05);
  expect_agreement(skirt, 0.1, 0.05, 10);
}

// Of what shipped garments do not use.
TEST_F(Differentiable, KnowsOtherSettings) {
  const Recording drag = record("skirt", 6, false, [](billow_settings& s) {
    s.panel_drag = s.panel_lift = 0, s.rest_speed = 0;
    s.drag.value = 0.01f, s.global_damping = 0.5f, s.shrink.value = 1;
    s.solver.impulses = 15, s.solver.move_with_parent = 0;
  });
  expect_agreement(drag, 0.1, 0.02);
  const Recording limbs = record("skirt", 3, true, [](billow_settings& s) {
    for (float& softness : s.softness) softness = 0;
    s.yielding_groups = 1u << BILLOW_COLLIDER_GROUP_LEG;
    s.solver.lateral_samples = 3, s.solver.rope_samples = 2, s.solver.push_extra = 1e-4f;
  });
  EXPECT_GT(limbs.contacts, 60);
  expect_agreement(limbs, 0.1, 0.1);
}

ChainState to(const ChainState& s, const torch::TensorOptions& options) {
  return {s.x.to(options), s.v.to(options), s.energy_lost.to(options),
          s.sides.defined() ? s.sides.to(options) : s.sides};
}
FrameInput to(FrameInput f, const torch::TensorOptions& options) {
  for (Tensor* t : {&f.roots_from, &f.roots_to, &f.colliders_from, &f.colliders_to, &f.learnt})
    if (t->defined()) *t = t->to(options);
  return f;
}

// Doubles query the body by tensors, floats by the runtime.
TEST_F(Differentiable, IsTheSameInDoubles) {
  const torch::NoGradGuard values_only;
  for (const char* garment : {"cape", "skirt"}) {
    const Recording r = record(garment, 1, true);
    const ChainModel model = r.model.to(torch::kFloat64);
    const ChainState next = step(model, to(r.states[0], torch::kFloat64), to(r.frames[0], torch::kFloat64));
    EXPECT_LT(apart(model, next, to(r.states[1], torch::kFloat64)), 0.05) << garment;
  }
}

TEST_F(Differentiable, ClipsDoNotDependOnEachOther) {
  const torch::NoGradGuard values_only;
  Recording r = record("cape", 4, true);
  r.states[3].v = r.states[3].v * 30;  // needs more sub-steps
  const ChainState alone[2] = {step(r.model, r.states[0], r.frames[0]),
                               step(r.model, r.states[3], r.frames[3])};
  const auto both = [&](auto of) { return torch::cat({of(0), of(3)}, 0); };
  const ChainState states{both([&](size_t k) { return r.states[k].x; }),
                          both([&](size_t k) { return r.states[k].v; }),
                          both([&](size_t k) { return r.states[k].energy_lost; }),
                          both([&](size_t k) { return r.states[k].sides; })};
  const FrameInput frame{1.0 / 60,
                         both([&](size_t k) { return r.frames[k].roots_from; }),
                         both([&](size_t k) { return r.frames[k].roots_to; }),
                         both([&](size_t k) { return r.frames[k].colliders_from; }),
                         both([&](size_t k) { return r.frames[k].colliders_to; }),
                         both([&](size_t k) { return r.frames[k].learnt; })};
  const Tensor counts = count_substeps(r.model, states, 1.0 / 60);
  EXPECT_LT(counts[0].item<int64_t>(), counts[1].item<int64_t>());
  const ChainState together = step(r.model, states, frame);
  for (int64_t k = 0; k < 2; ++k) {
    EXPECT_LT((together.x[k] - alone[k].x[0]).abs().max().item<double>(), 1e-5) << k;
    EXPECT_LT((together.v[k] - alone[k].v[0]).abs().max().item<double>(), 1e-2) << k;
  }
}

// A loss after some frames, in doubles, and what it depends on.
class Loss {
 public:
  Loss(const Recording& r, size_t frames)
      : model(r.model.to(torch::kFloat64)), state(to(r.states[0], torch::kFloat64)) {
    torch::manual_seed(1);
    // Ropes of exactly their length are at a kink.
    const Tensor root = state.x.narrow(kBones, 0, 1);
    state.x = root + (state.x - root) * 0.998;
    force = torch::zeros_like(state.x);
    of_x = torch::randn_like(state.x) * model.is_bone,
    of_v = torch::randn_like(state.x) * model.is_bone * 0.1;
    for (size_t k = 0; k < frames; ++k) frames_.push_back(to(r.frames[k], torch::kFloat64));
  }

  Tensor value() const {
    ChainState s = state;
    for (FrameInput f : frames_) {
      f.learnt = f.learnt.defined() ? f.learnt + force : force;
      s = step(model, s, f);
    }
    return (s.x * of_x + s.v * of_v).sum();
  }

  // The derivative along a random direction, by gradient and by central differences.
  void expect_derivative(const char* name, Tensor& of, double by) {
    SCOPED_TRACE(name);
    of = of.clone().requires_grad_();
    value().backward();
    const Tensor start = of.detach().clone(), gradient = of.grad();
    Tensor direction = torch::randn_like(start);
    if (start.dim() > 2) direction = direction * model.is_bone;
    ASSERT_TRUE(gradient.defined());
    const double analytic = (gradient * direction).sum().item<double>();
    const torch::NoGradGuard values_only;
    const auto moved = [&](double h) {
      of = start + h * direction;
      return value().item<double>();
    };
    const double difference = (moved(by) - moved(-by)) / (2 * by);
    of = start;
    EXPECT_NE(analytic, 0);
    EXPECT_NEAR(analytic, difference, 1e-3 * std::abs(difference));
  }

  ChainModel model;
  ChainState state;
  Tensor force, of_x, of_v;

 private:
  std::vector<FrameInput> frames_;
};

TEST_F(Differentiable, HasTheGradientsOfFiniteDifferencesInTheAir) {
  Loss loss(record("cape", 4, false), 4);
  loss.expect_derivative("places", loss.state.x, 1e-8);
  loss.expect_derivative("velocities", loss.state.v, 1e-7);
  loss.expect_derivative("force", loss.force, 1e-6);
  loss.expect_derivative("drag", loss.model.panel_drag, 1e-6);
  loss.expect_derivative("compression", loss.model.compression, 1e-7);
}

TEST_F(Differentiable, HasTheGradientsOfFiniteDifferencesInContact) {
  const Recording r = record("skirt", 1, true);
  EXPECT_GT(r.contacts, 40);
  Loss loss(r, 1);
  loss.expect_derivative("places", loss.state.x, 1e-8);
  loss.expect_derivative("force", loss.force, 1e-6);
  loss.expect_derivative("friction", loss.model.friction, 1e-6);
  loss.expect_derivative("radius", loss.model.radius, 1e-8);
}

TEST_F(Differentiable, RefusesWhatItDoesNotKnow) {
  const Change changes[] = {
      [](billow_settings& s) { s.solver.push_direction = BILLOW_CONTACT_DIRECTION_HISTORY; },
      [](billow_settings& s) { s.solver.velocity_direction = BILLOW_CONTACT_DIRECTION_HISTORY; },
      [](billow_settings& s) { s.solver.push_method = BILLOW_PUSH_METHOD_LINE_SEARCH; },
      [](billow_settings& s) { s.solver.tension.method = BILLOW_SOLVER_SWEEPS; },
      [](billow_settings& s) { s.solver.impulse.method = BILLOW_SOLVER_TOLERANCE; },
      [](billow_settings& s) { s.solver.alternations = 2; },
      [](billow_settings& s) { s.panel_drag = s.panel_lift = 0; },
      [](billow_settings& s) { s.teleport_distance = 1; },
  };
  testing::Wearer wearer("skirt", testing::walk_in_circle(testing::person(), 100));
  billow_settings shipped{};
  ASSERT_EQ(billow_chains_get_settings(wearer.chains(), &shipped), BILLOW_OK);
  EXPECT_NO_THROW(check_supported(wearer.chains()->chains));
  for (const Change& change : changes) {
    billow_settings settings = shipped;
    change(settings);
    ASSERT_EQ(billow_chains_set_settings(wearer.chains(), &settings), BILLOW_OK);
    EXPECT_THROW(check_supported(wearer.chains()->chains), std::invalid_argument) << &change - changes;
  }
}

}  // namespace
}  // namespace billow::train::differentiable
