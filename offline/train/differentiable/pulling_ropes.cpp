#include "train/differentiable/pulling_ropes.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace billow::train::differentiable {
namespace {

// The system of one chain.
template <class T> struct ChainSystem {
  int64_t count;
  const T *diagonal, *next, *rhs;
  const bool* taut;
  bool* active;
  T* solution;
  T* ratio;  // scratch
};

// Thomas algorithm on the active rows; the other unknowns are zero. If `removes`, rows that depend linearly on those before them
// leave the active ones.
template <class T> void solve_active(const ChainSystem<T>& s, const T* rhs, bool removes) {
  constexpr T kDependent = static_cast<T>(1e-3);
  T previous_ratio = 0, previous = 0, coupled = 0;
  for (int64_t i = 0; i < s.count; ++i) {
    const T pivot = s.diagonal[i] - coupled * previous_ratio;
    if (removes && !(pivot > kDependent * s.diagonal[i])) s.active[i] = false;
    const bool active = s.active[i];
    const T inverse = active ? 1 / pivot : 1;
    previous = active ? (rhs[i] - coupled * previous) * inverse : 0;
    // The coupling to a removed row must not return in back-substitution.
    if (i > 0) s.ratio[i - 1] = active ? previous_ratio : 0;
    coupled = i + 1 < s.count && active && s.active[i + 1] ? s.next[i] : 0;
    previous_ratio = coupled * inverse;
    s.solution[i] = previous;
  }
  for (int64_t i = s.count - 2; i >= 0; --i) s.solution[i] -= s.ratio[i] * s.solution[i + 1];
}

// As solve_direct() in rope/solver.cpp.
template <class T> void find_pulling(const ChainSystem<T>& s) {
  constexpr int kReactivationRounds = 4;
  for (int64_t i = 0; i < s.count; ++i) s.active[i] = s.taut[i];
  for (int round = 0;; ++round) {
    solve_active(s, s.rhs, true);
    bool released = false, reactivated = false;
    for (int64_t i = 0; i < s.count; ++i)
      if (s.active[i] && s.solution[i] < 0) released = true, s.active[i] = false;
    for (int64_t i = 0; i < s.count && round < kReactivationRounds && !released; ++i) {
      T row = s.rhs[i];
      if (i > 0) row -= s.next[i - 1] * s.solution[i - 1];
      if (i + 1 < s.count) row -= s.next[i] * s.solution[i + 1];
      if (s.taut[i] && !s.active[i] && row > static_cast<T>(1e-6) * std::abs(s.rhs[i]))
        reactivated = true, s.active[i] = true;
    }
    if (!released && !reactivated) return;
  }
}

Tensor on_processor(const Tensor& t) { return t.detach().to(torch::kCPU).contiguous(); }

// Calls f(system of a chain, number of the chain's first rope).
template <class T, class Function>
void for_each_chain(const Tensor& diagonal, const Tensor& next, const Tensor& rhs, const Tensor& taut,
                    const Tensor& active, const Tensor& solution, Function f) {
  const int64_t count = diagonal.size(-1), chains = diagonal.numel() / count;
  const T *d = diagonal.data_ptr<T>(), *n = next.data_ptr<T>(), *r = rhs.data_ptr<T>();
  const bool* t = taut.data_ptr<bool>();
  bool* a = active.data_ptr<bool>();
  T* x = solution.data_ptr<T>();
  at::parallel_for(0, chains, 256, [&](int64_t begin, int64_t end) {
    std::vector<T> ratio(static_cast<size_t>(count));
    for (int64_t c = begin; c < end; ++c) {
      const int64_t k = c * count;
      f(ChainSystem<T>{count, d + k, n + k, r + k, t + k, a + k, x + k, ratio.data()});
    }
  });
}

struct SolveRopes : torch::autograd::Function<SolveRopes> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& diagonal, const Tensor& next,
                        const Tensor& rhs, const Tensor& taut, bool all_pull) {
    const Tensor d = on_processor(diagonal), n = on_processor(next), b = on_processor(rhs),
                 t = on_processor(taut);
    const Tensor active = torch::empty_like(t), solution = torch::empty_like(b);
    AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "solve_ropes", [&] {
      for_each_chain<scalar_t>(d, n, b, t, active, solution, [&](const auto& s) {
        if (!all_pull) return find_pulling(s);
        std::fill_n(s.active, s.count, true);
        solve_active(s, s.rhs, false);
      });
    });
    context->save_for_backward({d, n, active, solution});
    return solution.to(rhs.device());
  }

  // A is symmetric: with A y = dL/dT on the ropes that pull, dL/db = y and dL/dA = -y T^t.
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &d = saved[0], &n = saved[1], &active = saved[2], &solution = saved[3];
    const Tensor of_solution = on_processor(gradients[0]), y = torch::empty_like(of_solution);
    AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "solve_ropes_backward", [&] {
      for_each_chain<scalar_t>(d, n, of_solution, active, active, y,
                               [](const auto& s) { solve_active(s, s.rhs, false); });
    });
    const int64_t last = d.size(-1) - 1;
    const auto first = [&](const Tensor& t) { return t.narrow(-1, 0, last); };
    const auto second = [&](const Tensor& t) { return t.narrow(-1, 1, last); };
    const Tensor of_next =
        torch::constant_pad_nd(-(first(y) * second(solution) + second(y) * first(solution)), {0, 1});
    const torch::Device device = gradients[0].device();
    return {(-y * solution).to(device), of_next.to(device), y.to(device), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor solve_ropes(const Tensor& diagonal, const Tensor& next, const Tensor& rhs, const Tensor& taut) {
  return SolveRopes::apply(diagonal, next, rhs, taut, false);
}

Tensor solve_tridiagonal(const Tensor& diagonal, const Tensor& next, const Tensor& rhs) {
  return SolveRopes::apply(diagonal, next, rhs, torch::ones_like(rhs, torch::kBool), true);
}

}  // namespace billow::train::differentiable
