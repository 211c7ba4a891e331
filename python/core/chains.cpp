// Rope chains.
#include "objects.h"

namespace billow::python {
namespace {

std::shared_ptr<Chains> create(const py::array& bone_counts, const py::array& rest,
                               const py::object& max_lengths, const py::object& mass_factors,
                               const py::object& lateral_lengths, const py::object& areas,
                               const py::object& root_rest, bool neighbours, bool closed,
                               uint32_t max_colliders) {
  billow_chains_desc desc = billow_chains_desc_default();
  uint32_t bones = 0;
  desc.bone_counts = read_array<uint32_t>(bone_counts, 0, &desc.chain_count);
  desc.rest_positions = read_array<float>(rest, 3, &bones);
  uint64_t described = 0;
  for (uint32_t c = 0; c < desc.chain_count; ++c) described += desc.bone_counts[c];
  if (described != bones)
    throw py::type_error("billow._core: expected as many bones as counted; call it through the package");
  desc.max_lengths = read_rows_or_none<float>(max_lengths, 0, bones);
  desc.mass_factors = read_rows_or_none<float>(mass_factors, 0, bones);
  desc.lateral_lengths = read_rows_or_none<float>(lateral_lengths, 0, bones);
  desc.areas = read_rows_or_none<float>(areas, 0, bones);
  desc.root_rest =
      reinterpret_cast<const billow_transform*>(read_rows_or_none<float>(root_rest, 7, desc.chain_count));
  desc.neighbours = neighbours, desc.closed = closed, desc.max_colliders = max_colliders;
  auto chains = std::make_shared<Chains>();
  check(billow_chains_create(&desc, &chains->handle));
  return chains;
}

// A step's arguments, and what they use.
struct StepArguments {
  StepArguments(const Chains& chains, float dt, const py::array& roots, const py::object& space,
                const py::object& body, const py::list& bodies) {
    if (chains.owner)
      raise(BILLOW_ERROR_INVALID_ARGUMENT,
            "chains: expected chains of their own, found an instance's, which steps them itself");
    access.write(chains);
    step.dt = dt;
    step.roots = read_transforms(roots, &step.root_count);
    step.space = read_transform(space);
    step.body = read_body(body, access);
    others = read_bodies(bodies, access);
    step.others = others.data(), step.other_count = static_cast<uint32_t>(others.size());
  }
  Access access;
  std::vector<const billow_body*> others;
  billow_step step = billow_step_default();
};

void step(const Chains& chains, float dt, const py::array& roots, const py::object& space,
          const py::object& body, const py::list& others) {
  const StepArguments a(chains, dt, roots, space, body, others);
  run_released([&] { return billow_chains_step(chains.handle, &a.step); });
}

void settle(const Chains& chains, float seconds, const py::array& roots, const py::object& space,
            const py::object& body, const py::list& others) {
  const StepArguments a(chains, 0, roots, space, body, others);
  run_released([&] { return billow_chains_settle(chains.handle, &a.step, seconds); });
}

void teleport(const Chains& chains, int mode, const py::array& roots) {
  if (chains.owner)
    raise(
        BILLOW_ERROR_INVALID_ARGUMENT,
        "chains: expected chains of their own, found an instance's: teleport it by an argument of its step");
  Access access;
  access.write(chains);
  uint32_t count = 0;
  const billow_transform* at = read_transforms(roots, &count);
  check(billow_chains_teleport(chains.handle, static_cast<billow_teleport>(mode), at, count));
}

using Getter = billow_status (*)(const billow_chains*, float*, uint32_t);
template <Getter get, uint32_t columns> py::array_t<float> read_bones(const Chains& chains) {
  Access access;
  access.read(chains);
  const uint32_t count = billow_chains_bone_count(chains.handle);
  auto out = new_array<float>(count, columns);
  check(get(chains.handle, out.mutable_data(), count));
  return out;
}

void set_bones(const Chains& chains, const py::object& positions, const py::object& velocities) {
  Access access;
  access.write(chains);
  uint32_t count = 0, other = 0;
  const float* x = read_array_or_none<float>(positions, 3, &count);
  const float* v = read_array_or_none<float>(velocities, 3, &other);
  if (x && v && count != other) throw py::type_error("billow._core: expected as many of both");
  check(billow_chains_set_bones(chains.handle, x, v, x ? count : other));
}

void set_wind(const Chains& chains, const py::bytes& bytes, const py::object& field) {
  Access access;
  access.write(chains);
  billow_wind wind = from_bytes<billow_wind>(bytes);
  wind.field = field.is_none() ? nullptr : call_wind;
  wind.user = field.is_none() ? nullptr : field.ptr();
  check(billow_chains_set_wind(chains.handle, &wind));
  chains.shared->wind_field = field;
}

// As bytes of billow_contact.
py::bytes contacts(const Chains& chains) {
  Access access;
  access.read(chains);
  uint32_t count = 0;
  billow_chains_report report{};
  check(billow_chains_get_report(chains.handle, &report));
  std::vector<billow_contact> found(report.contacts);
  check(billow_chains_get_contacts(chains.handle, found.data(), report.contacts, &count));
  return py::bytes(reinterpret_cast<const char*>(found.data()), found.size() * sizeof(billow_contact));
}

py::dict report(const Chains& chains) {
  Access access;
  access.read(chains);
  billow_chains_report r{};
  check(billow_chains_get_report(chains.handle, &r));
  py::dict seconds, out;
  for (int k = 0; k < BILLOW_CHAIN_STAGE_COUNT; ++k)
    seconds[billow_chain_stage_name(static_cast<billow_chain_stage>(k))] = r.stage_seconds[k];
  out["flags"] = r.flags, out["substeps"] = r.substeps, out["contacts"] = r.contacts,
  out["trapped"] = r.trapped;
  out["enclosed"] = r.enclosed, out["collider_work"] = r.collider_work, out["stage_seconds"] = seconds;
  return out;
}

py::bytes save(const Chains& chains) {
  Access access;
  access.read(chains);
  std::string out(billow_chains_state_size(chains.handle), '\0');
  check(billow_chains_save(chains.handle, out.data(), out.size()));
  return out;
}

void restore(const Chains& chains, const py::bytes& bytes) {
  Access access;
  access.write(chains);
  const std::string_view state = bytes;
  check(billow_chains_restore(chains.handle, state.data(), state.size()));
}

}  // namespace

void add_chains(py::module_& module) {
  py::class_<Chains, std::shared_ptr<Chains>>(module, "Chains")
      .def(py::init(&create))
      .def("step", &step)
      .def("settle", &settle)
      .def("teleport", &teleport)
      .def("chain_count", [](const Chains& c) { return billow_chains_chain_count(c.handle); })
      .def("bone_count", [](const Chains& c) { return billow_chains_bone_count(c.handle); })
      .def("positions", &read_bones<billow_chains_get_positions, 3>)
      .def("velocities", &read_bones<billow_chains_get_velocities, 3>)
      .def("tensions", &read_bones<billow_chains_get_tensions, 0>)
      .def("set_bones", &set_bones)
      .def("settings",
           [](const Chains& c) {
             Access access;
             access.read(c);
             billow_settings s{};
             check(billow_chains_get_settings(c.handle, &s));
             return to_bytes(s);
           })
      .def("set_settings",
           [](const Chains& c, const py::bytes& bytes) {
             Access access;
             access.write(c);
             const billow_settings s = from_bytes<billow_settings>(bytes);
             check(billow_chains_set_settings(c.handle, &s));
           })
      .def("set_wind", &set_wind)
      .def("set_paused",
           [](const Chains& c, bool paused) {
             Access access;
             access.write(c);
             check(billow_chains_set_paused(c.handle, paused));
           })
      .def("wake",
           [](const Chains& c) {
             Access access;
             access.write(c);
             check(billow_chains_wake(c.handle));
           })
      .def("shift_origin",
           [](const Chains& c, const py::array& offset) {
             if (c.owner)
               raise(BILLOW_ERROR_INVALID_ARGUMENT,
                     "chains: expected chains of their own, found an instance's, which are shifted with it");
             Access access;
             access.write(c);
             check(billow_chains_shift_origin(c.handle, read_rows_or_none<float>(offset, 0, 3)));
           })
      .def("contacts", &contacts)
      .def("report", &report)
      .def("state_size", [](const Chains& c) { return billow_chains_state_size(c.handle); })
      .def("save", &save)
      .def("restore", &restore)
      .def("hash",
           [](const Chains& c) {
             Access access;
             access.read(c);
             return billow_chains_hash(c.handle);
           })
      .def("debug_draw", [](const Chains& c, uint32_t what) {
        Access access;
        access.read(c);
        return draw_to_arrays(
            [](const void* object, uint32_t w, const billow_debug_draw* draw) {
              return billow_chains_debug_draw(static_cast<const billow_chains*>(object), w, draw);
            },
            c.handle, what);
      });
}

}  // namespace billow::python
