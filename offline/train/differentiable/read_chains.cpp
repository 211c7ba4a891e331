#include "train/differentiable/read_chains.h"

#include <stdexcept>
#include <string>

#include "train/differentiable/self_contacts.h"

namespace billow::train::differentiable {
namespace {

// Of the bones that exist; `other` for those that do not.
Tensor column(const ChainSet& set, const float* rows, float other) {
  const Layout& lay = set.layout;
  const Tensor out = torch::full({lay.chains, lay.levels, 1}, other, torch::kFloat32);
  float* p = out.data_ptr<float>();
  for (int c = 0; c < lay.chains; ++c)
    for (int i = 0; i < set.bones[c]; ++i) p[c * lay.levels + i] = rows[lay.at(i, c)];
  return out;
}
Tensor columns(const ChainSet& set, const Rows3& rows) {
  return torch::cat({column(set, rows.x, 0), column(set, rows.y, 0), column(set, rows.z, 0)}, -1);
}
Tensor number(float value) { return torch::full({1}, value, torch::kFloat32); }
Tensor vector(V3 v) { return torch::tensor({v.x, v.y, v.z}, torch::kFloat32); }

}  // namespace

void check_supported(const Chains& chains) {
  const auto expect = [](bool ok, const char* setting, const char* expected) {
    if (!ok)
      throw std::invalid_argument(std::string("differentiable chains: settings.") + setting + ": expected " +
                                  expected);
  };
  const RopeSettings& s = chains.set.settings;
  expect(s.tension.method == Solver::kDirect, "solver.tension.method", "the direct solver");
  expect(s.impulse.method == Solver::kDirect, "solver.impulse.method", "the direct solver");
  expect(!s.push_along_history, "solver.push_direction", "the gradient");
  expect(!s.velocity_along_history, "solver.velocity_direction", "the gradient");
  expect(!s.line_search, "solver.push_method", "depth");
  expect(s.alternations == 1, "solver.alternations", "1");
  expect(s.rest_speed == 0 || s.has_panels(), "rest_speed", "0 without panels");
  expect(chains.settings.teleport_distance >= 1e29f, "teleport_distance", "none");
  expect(chains.settings.teleport_angle >= 1e29f, "teleport_angle", "none");
  expect(chains.set.wind.field == nullptr && chains.set.wind.gust == 0, "wind", "no field and no gusts");
}

ChainModel read_chains(const Chains& chains, const Body* body) {
  check_supported(chains);
  const ChainSet& set = chains.set;
  const RopeSettings& s = set.settings;
  ChainModel m;
  m.settings = s;
  m.neighbours = set.layout.neighbours, m.closed = set.layout.closed;
  m.is_bone = column(set, set.is_bone, 0);
  m.mass = torch::where(m.is_bone > 0, column(set, set.mass, 1), torch::ones({}));
  m.max_length = torch::where(m.is_bone > 0, column(set, set.max_length, 1), torch::ones({}));
  m.radius = torch::where(m.is_bone > 0, column(set, set.radius, 0), torch::zeros({}));
  m.drag = column(set, set.drag, 0), m.damping = column(set, set.damping, 0);
  m.shrink = column(set, set.shrink, 0), m.rest_angle = column(set, set.rest_angle, 0);
  m.stretch = column(set, set.stretch, 0), m.compression = column(set, set.compression, 0);
  m.shear = column(set, set.shear, 0);
  m.lateral_length = column(set, set.lateral_length, -1),
  m.lateral_longest = column(set, set.lateral_longest, -1);
  m.panel_area = column(set, set.panel_area, 0), m.panel_diagonal = column(set, set.panel_diagonal, 0);
  m.loose_area = column(set, set.loose_area, 0);
  m.rest_direction = columns(set, set.rest_direction);
  m.gravity = vector(s.gravity), m.wind = vector(set.wind.velocity);
  m.global_damping = number(s.global_damping);
  m.panel_drag = number(s.panel_drag), m.panel_lift = number(s.panel_lift),
  m.panel_folds = number(s.panel_folds);
  m.air_density = number(s.air_density), m.friction = number(s.friction),
  m.self_contact = number(s.self_contact);
  if (body) m.body = read_body(*body, s);
  return m;
}

ChainState read_state(const Chains& chains) {
  const ChainSet& set = chains.set;
  ChainState out{columns(set, set.x).unsqueeze(0), columns(set, set.v).unsqueeze(0), {}, {}};
  out.energy_lost =
      torch::from_blob(set.energy_lost + set.layout.at(0, 0), {1, set.layout.chains, 1, 1}).clone();
  if (set.settings.has_self_contact) out.sides = read_sides(set);
  return out;
}

Tensor read_roots(const Chains& chains) {
  const int n = chains.set.layout.chains;
  std::vector<float> v;
  for (int c = 0; c < n; ++c) {
    const auto& [p, q] = chains.roots[c];
    v.insert(v.end(), {p.x, p.y, p.z, q.x, q.y, q.z, q.w});
  }
  return torch::tensor(v, torch::kFloat32).reshape({1, n, 7});
}

Tensor read_learnt(const Chains& chains) { return columns(chains.set, chains.set.learnt).unsqueeze(0); }

}  // namespace billow::train::differentiable
