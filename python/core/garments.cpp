// Garments and their instances.
#include "objects.h"

namespace billow::python {
namespace {

std::shared_ptr<Garment> create_garment(const py::buffer& bytes, bool keep) {
  auto garment = std::make_shared<Garment>();
  auto info = std::make_unique<py::buffer_info>(bytes.request());
  if (info->ndim != 1 || info->itemsize != 1 || info->strides[0] != 1)
    throw py::type_error("billow._core: expected bytes; call it through the package");
  billow_garment_desc desc = billow_garment_desc_default();
  desc.bytes = info->ptr, desc.size = static_cast<size_t>(info->size), desc.keep = keep;
  run_released([&] { return billow_garment_create(&desc, &garment->handle); });
  if (keep) garment->kept = std::move(info);
  return garment;
}

std::shared_ptr<Garment> load_garment(const std::string& path) {
  auto garment = std::make_shared<Garment>();
  run_released([&] { return billow_garment_load(path.c_str(), nullptr, &garment->handle); });
  return garment;
}

using NameGetter = billow_status (*)(const billow_garment*, uint32_t, char*, size_t);
template <NameGetter get> std::string read_name(const Garment& garment, uint32_t index) {
  char name[BILLOW_MAX_NAME] = "";
  check(get(garment.handle, index, name, sizeof name));
  return name;
}

std::string garment_name(const Garment& garment) {
  char name[BILLOW_MAX_NAME] = "";
  check(billow_garment_get_name(garment.handle, name, sizeof name));
  return name;
}

py::object section(const Garment& garment, const std::string& name) {
  const void* bytes = nullptr;
  size_t size = 0;
  check(billow_garment_get_section(garment.handle, name.c_str(), &bytes, &size));
  if (!bytes) return py::none();
  return py::bytes(static_cast<const char*>(bytes), size);
}

py::array_t<float> joint_rest(const Garment& garment) {
  const uint32_t count = billow_garment_joint_count(garment.handle);
  auto out = new_array<float>(count, 7);
  check(billow_garment_get_joint_rest(garment.handle, reinterpret_cast<billow_transform*>(out.mutable_data()),
                                      count));
  return out;
}
py::array_t<int32_t> joint_parents(const Garment& garment) {
  const uint32_t count = billow_garment_joint_count(garment.handle);
  auto out = new_array<int32_t>(count);
  check(billow_garment_get_joint_parents(garment.handle, out.mutable_data(), count));
  return out;
}
py::array_t<uint32_t> triangles(const Garment& garment) {
  const uint32_t count = billow_garment_triangle_count(garment.handle);
  auto out = new_array<uint32_t>(count, 3);
  check(billow_garment_get_triangles(garment.handle, out.mutable_data(), count));
  return out;
}
py::array_t<float> uvs(const Garment& garment) {
  const uint32_t count = billow_garment_vertex_count(garment.handle);
  auto out = new_array<float>(count, 2);
  check(billow_garment_get_uvs(garment.handle, out.mutable_data(), count));
  return out;
}

std::shared_ptr<Instance> create_instance(const std::shared_ptr<Garment>& garment) {
  auto instance = std::make_shared<Instance>();
  instance->garment = garment;
  check(billow_instance_create(garment->handle, nullptr, &instance->handle));
  return instance;
}

// A frame's arguments, and what they use.
struct FrameArguments {
  FrameArguments(const Instance& instance, float dt, const py::array& joints, float scale,
                 const py::object& space, const py::object& body, int teleport, bool skip_mesh,
                 const py::list& bodies) {
    access.write(instance);
    frame.dt = dt;
    frame.joints = read_transforms(joints, &frame.joint_count);
    frame.scale = scale;
    frame.space = read_transform(space);
    frame.body = read_body(body, access);
    frame.teleport = static_cast<billow_teleport>(teleport);
    frame.skip_mesh = skip_mesh;
    others = read_bodies(bodies, access);
    frame.others = others.data(), frame.other_count = static_cast<uint32_t>(others.size());
  }
  Access access;
  std::vector<const billow_body*> others;
  billow_frame frame = billow_frame_default();
};

void step(const Instance& instance, float dt, const py::array& joints, float scale, const py::object& space,
          const py::object& body, int teleport, bool skip_mesh, const py::list& others) {
  const FrameArguments a(instance, dt, joints, scale, space, body, teleport, skip_mesh, others);
  run_released([&] { return billow_instance_step(instance.handle, &a.frame); });
}

void settle(const Instance& instance, float seconds, const py::array& joints, float scale,
            const py::object& space, const py::object& body, const py::list& others) {
  const FrameArguments a(instance, 0, joints, scale, space, body, BILLOW_TELEPORT_NONE, false, others);
  run_released([&] { return billow_instance_settle(instance.handle, &a.frame, seconds); });
}

using Data = const float* (*)(const billow_instance*);
using Count = uint32_t (*)(const billow_garment*);
template <Data data, Count count> py::array view(const py::object& self) {
  const Instance& instance = self.cast<const Instance&>();
  Access access;
  access.read(instance);
  return view_of(self, data(instance.handle), count(instance.garment->handle), 3);
}

// `outputs`: (attribute, array of floats or halves with any stride, vertices or None, origin) each.
void write(const Instance& instance, const py::list& outputs) {
  Access access;
  access.read(instance);
  std::vector<billow_output> described;
  for (const py::handle output : outputs) {
    const auto fields = py::reinterpret_borrow<py::tuple>(output);
    py::array array = fields[1];
    billow_output o = billow_output_default();
    o.attribute = static_cast<billow_attribute>(fields[0].cast<int>());
    const bool halves = array.itemsize() == 2;
    const py::ssize_t components = o.attribute == BILLOW_ATTRIBUTE_TANGENT ? 4 : 3;
    if (array.dtype().kind() != 'f' || (!halves && array.itemsize() != 4) || array.ndim() != 2 ||
        array.shape(1) != components || array.strides(1) != array.itemsize() || array.strides(0) <= 0)
      throw py::type_error("billow._core: expected a checked array; call it through the package");
    o.format = halves ? BILLOW_FORMAT_FLOAT16 : BILLOW_FORMAT_FLOAT32;
    o.out = array.mutable_data();  // refuses what is read-only
    o.stride = static_cast<size_t>(array.strides(0));
    o.capacity = static_cast<uint32_t>(array.shape(0));
    o.vertices = read_array_or_none<uint32_t>(fields[2], 0, &o.vertex_count);
    const float* origin = read_rows_or_none<float>(fields[3], 0, 3);
    std::copy_n(origin, 3, o.origin);
    described.push_back(o);
  }
  check(billow_instance_write(instance.handle, described.data(), static_cast<uint32_t>(described.size())));
}

py::tuple bounds(const Instance& instance) {
  Access access;
  access.read(instance);
  billow_bounds box{};
  check(billow_instance_get_bounds(instance.handle, &box));
  auto low = new_array<float>(3), high = new_array<float>(3);
  std::copy_n(box.low, 3, low.mutable_data());
  std::copy_n(box.high, 3, high.mutable_data());
  return py::make_tuple(low, high);
}

py::dict report(const Instance& instance) {
  Access access;
  access.read(instance);
  billow_instance_report r{};
  check(billow_instance_get_report(instance.handle, &r));
  py::dict seconds, out;
  for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k)
    seconds[billow_frame_stage_name(static_cast<billow_frame_stage>(k))] = r.stage_seconds[k];
  out["pushed"] = r.pushed, out["inside"] = r.inside, out["asleep"] = r.asleep != 0,
  out["stage_seconds"] = seconds;
  return out;
}

py::bytes save(const Instance& instance) {
  Access access;
  access.read(instance);
  std::string out(billow_instance_state_size(instance.handle), '\0');
  check(billow_instance_save(instance.handle, out.data(), out.size()));
  return out;
}

void restore(const Instance& instance, const py::bytes& bytes) {
  Access access;
  access.write(instance);
  const std::string_view state = bytes;
  check(billow_instance_restore(instance.handle, state.data(), state.size()));
}

void add_instances(py::module_& module) {
  py::class_<Instance, std::shared_ptr<Instance>>(module, "Instance")
      .def(py::init(&create_instance))
      .def("step", &step)
      .def("settle", &settle)
      .def("positions", &view<billow_instance_position_data, billow_garment_vertex_count>)
      .def("normals", &view<billow_instance_normal_data, billow_garment_vertex_count>)
      .def("bones", &view<billow_instance_bone_data, billow_garment_bone_count>)
      .def("write", &write)
      .def("bounds", &bounds)
      .def("report", &report)
      .def("options",
           [](const Instance& i) {
             Access access;
             access.read(i);
             billow_instance_options o{};
             check(billow_instance_get_options(i.handle, &o));
             return to_bytes(o);
           })
      .def("set_options",
           [](const Instance& i, const py::bytes& bytes) {
             Access access;
             access.write(i);
             const billow_instance_options o = from_bytes<billow_instance_options>(bytes);
             check(billow_instance_set_options(i.handle, &o));
           })
      .def("shift_origin",
           [](const Instance& i, const py::array& offset) {
             Access access;
             access.write(i);
             check(billow_instance_shift_origin(i.handle, read_rows_or_none<float>(offset, 0, 3)));
           })
      .def("state_size", [](const Instance& i) { return billow_instance_state_size(i.handle); })
      .def("save", &save)
      .def("restore", &restore)
      .def("hash",
           [](const Instance& i) {
             Access access;
             access.read(i);
             return billow_instance_hash(i.handle);
           })
      .def("chains",
           [](const py::object& self) {
             const Instance& i = self.cast<const Instance&>();
             return std::make_shared<Chains>(self, i, billow_instance_chains(i.handle));
           })
      .def("body",
           [](const py::object& self) {
             const Instance& i = self.cast<const Instance&>();
             // Read only: what would change it refuses bodies that have an owner.
             return std::make_shared<Body>(self, i, const_cast<billow_body*>(billow_instance_body(i.handle)));
           })
      .def("debug_draw", [](const Instance& i, uint32_t what) {
        Access access;
        access.read(i);
        return draw_to_arrays(
            [](const void* object, uint32_t w, const billow_debug_draw* draw) {
              return billow_instance_debug_draw(static_cast<const billow_instance*>(object), w, draw);
            },
            i.handle, what);
      });
}

}  // namespace

void add_garments(py::module_& module) {
  py::class_<Garment, std::shared_ptr<Garment>>(module, "Garment")
      .def(py::init(&create_garment))
      .def_static("load", &load_garment)
      .def("name", &garment_name)
      .def("joint_name", &read_name<billow_garment_get_joint_name>)
      .def("collider_name", &read_name<billow_garment_get_collider_name>)
      .def("vertex_count", [](const Garment& g) { return billow_garment_vertex_count(g.handle); })
      .def("triangle_count", [](const Garment& g) { return billow_garment_triangle_count(g.handle); })
      .def("bone_count", [](const Garment& g) { return billow_garment_bone_count(g.handle); })
      .def("joint_count", [](const Garment& g) { return billow_garment_joint_count(g.handle); })
      .def("collider_count", [](const Garment& g) { return billow_garment_collider_count(g.handle); })
      .def("key_joint", [](const Garment& g) { return billow_garment_key_joint(g.handle); })
      .def("joint_rest", &joint_rest)
      .def("joint_parents", &joint_parents)
      .def("triangles", &triangles)
      .def("uvs", &uvs)
      .def("settings",
           [](const Garment& g) {
             billow_settings s{};
             check(billow_garment_get_settings(g.handle, &s));
             return to_bytes(s);
           })
      .def("section", &section);
  add_instances(module);
}

}  // namespace billow::python
