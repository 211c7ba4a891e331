// Bodies, and signed distance functions and wind fields in Python.
#include <algorithm>

#include "objects.h"

namespace billow::python {
namespace {

// What a collider points to, beside its bytes: None, a function, or the fields of a grid or network.
struct Pointed {
  billow_sdf_grid grid{};
  billow_neural_sdf neural{};
};

// Points are copied: Python may keep them, and their memory is the library's.
py::array_t<float> copy_points(const float* points, uint32_t count) {
  py::array_t<float> out = new_array<float>(count, 3);
  std::copy_n(points, 3 * size_t{count}, out.mutable_data());
  return out;
}

void point_at_grid(const py::tuple& fields, Pointed& pointed) {
  const py::array values = fields[0];
  if (values.ndim() != 3 || !py::isinstance<py::array_t<int16_t, py::array::c_style>>(values))
    throw py::type_error("billow._core: expected a checked grid; call it through the package");
  pointed.grid.values = static_cast<const int16_t*>(values.data());
  for (int axis = 0; axis < 3; ++axis)
    pointed.grid.size[axis] = static_cast<uint32_t>(values.shape(2 - axis));
  pointed.grid.spacing = fields[1].cast<float>();
  pointed.grid.unit = fields[2].cast<float>();
}

void point_at_network(const py::tuple& fields, Pointed& pointed) {
  pointed.neural.width = fields[1].cast<uint32_t>();
  if (pointed.neural.width > 64)  // before their number is computed
    raise(BILLOW_ERROR_INVALID_ARGUMENT,
          "network.width: expected a multiple of 4 up to 64, found " + std::to_string(pointed.neural.width));
  pointed.neural.weights =
      read_rows_or_none<float>(fields[0], 0, BILLOW_NEURAL_SDF_WEIGHTS(pointed.neural.width));
  std::copy_n(read_rows_or_none<float>(fields[2], 0, 3), 3, pointed.neural.half_extents);
  pointed.neural.margin = fields[3].cast<float>();
}

// `colliders`: (bytes of a billow_collider, what it points to) each.
std::shared_ptr<Body> create(const py::list& colliders, const py::object& joint_rest, uint32_t joint_count) {
  auto body = std::make_shared<Body>();
  std::vector<billow_collider> described;
  std::vector<Pointed> pointed(colliders.size());
  for (size_t k = 0; k < colliders.size(); ++k) {
    const auto [bytes, points_to] = colliders[k].cast<std::pair<py::bytes, py::object>>();
    billow_collider c = from_bytes<billow_collider>(bytes);
    c.sdf = nullptr, c.user = nullptr, c.grid = nullptr, c.neural = nullptr;
    if (!points_to.is_none()) body->kept.push_back(points_to);
    if (c.shape == BILLOW_SHAPE_CUSTOM && !points_to.is_none())
      c.sdf = call_distance, c.user = points_to.ptr();
    else if (c.shape == BILLOW_SHAPE_GRID && !points_to.is_none())
      point_at_grid(points_to, pointed[k]), c.grid = &pointed[k].grid;
    else if (c.shape == BILLOW_SHAPE_NEURAL && !points_to.is_none())
      point_at_network(points_to, pointed[k]), c.neural = &pointed[k].neural;
    described.push_back(c);
  }
  billow_body_desc desc = billow_body_desc_default();
  desc.colliders = described.data();
  desc.collider_count = static_cast<uint32_t>(described.size());
  uint32_t rest_count = 0;
  desc.joint_rest = read_transforms(joint_rest, &rest_count);
  desc.joint_count = desc.joint_rest ? rest_count : joint_count;
  const billow_status status = billow_body_create(&desc, &body->handle);
  raise_failure();
  check(status);
  return body;
}

std::shared_ptr<Body> create_ground(float height) {
  auto body = std::make_shared<Body>();
  check(billow_body_create_ground(height, nullptr, &body->handle));
  return body;
}

std::shared_ptr<Body> create_layer(const py::object& inner) {
  const Instance& instance = inner.cast<const Instance&>();
  Access access;
  access.read(instance);
  auto body = std::make_shared<Body>();
  check(billow_body_create_layer(instance.handle, nullptr, &body->handle));
  body->kept.push_back(py::cast(instance.garment));  // it may be posed to any instance of that
  return body;
}

using Pose = billow_status (*)(billow_body*, const billow_transform*, uint32_t, float);
template <Pose pose> void pose_body(const Body& body, const py::array& joints, float scale) {
  if (body.owner)
    raise(BILLOW_ERROR_INVALID_ARGUMENT,
          "body: expected one of its own, found an instance's, which poses it itself");
  Access access;
  access.write(body);
  uint32_t count = 0;
  const billow_transform* transforms = read_transforms(joints, &count);
  check(pose(body.handle, transforms, count, scale));
}

void pose_layer(const Body& layer, const Instance& inner) {
  Access access;
  access.write(layer);
  access.read(inner);
  run_released([&] { return billow_body_pose_layer(layer.handle, inner.handle); });
}

py::tuple query(const Body& body, const py::array& points, uint32_t groups, float limit) {
  Access access;
  access.read(body);
  uint32_t count = 0;
  const float* at = read_array<float>(points, 3, &count);
  auto distances = new_array<float>(count), gradients = new_array<float>(count, 3);
  auto colliders = new_array<int32_t>(count);
  float *d = distances.mutable_data(), *g = gradients.mutable_data();
  int32_t* c = colliders.mutable_data();
  run_released([&] { return billow_body_query(body.handle, groups, at, count, limit, d, g, c); });
  return py::make_tuple(distances, gradients, colliders);
}

// A collider as (its bytes, what it points to).
py::tuple collider_to_python(const billow_collider& c) {
  py::object points_to = py::none();
  if (c.shape == BILLOW_SHAPE_CUSTOM && c.sdf == call_distance) {
    points_to = py::reinterpret_borrow<py::object>(static_cast<PyObject*>(c.user));
  } else if (c.shape == BILLOW_SHAPE_GRID && c.grid) {
    const billow_sdf_grid& g = *c.grid;
    py::array_t<int16_t> values({g.size[2], g.size[1], g.size[0]});
    std::copy_n(g.values, values.size(), values.mutable_data());
    points_to = py::make_tuple(values, g.spacing, g.unit);
  } else if (c.shape == BILLOW_SHAPE_NEURAL && c.neural) {
    const billow_neural_sdf& n = *c.neural;
    auto weights = new_array<float>(BILLOW_NEURAL_SDF_WEIGHTS(n.width)), half = new_array<float>(3);
    std::copy_n(n.weights, weights.size(), weights.mutable_data());
    std::copy_n(n.half_extents, 3, half.mutable_data());
    points_to = py::make_tuple(weights, n.width, half, n.margin);
  }
  return py::make_tuple(to_bytes(c), points_to);
}

using Reader = billow_status (*)(const billow_body*, uint32_t, billow_collider*);
template <Reader reader> py::tuple read_collider(const Body& body, uint32_t index) {
  Access access;
  access.read(body);
  billow_collider c{};
  check(reader(body.handle, index, &c));
  return collider_to_python(c);
}

}  // namespace

void call_distance(void* user, const float* points, uint32_t count, float* distances, float* gradients) {
  const py::gil_scoped_acquire gil;
  try {
    if (!has_failed()) {
      const auto function = py::reinterpret_borrow<py::object>(static_cast<PyObject*>(user));
      const py::tuple found = function(copy_points(points, count));
      const float *d = read_rows_or_none<float>(found[0], 0, count),
                  *g = read_rows_or_none<float>(found[1], 3, count);
      std::copy_n(d, count, distances);
      std::copy_n(g, 3 * size_t{count}, gradients);
      return;
    }
  } catch (...) {
    keep_failure();
  }
  // Nothing is here, as far as the rest of this call is concerned.
  std::fill_n(distances, count, 1e6f);
  for (uint32_t k = 0; k < count; ++k) gradients[3 * k] = gradients[3 * k + 2] = 0, gradients[3 * k + 1] = 1;
}

void call_wind(void* user, double time, const float* points, uint32_t count, float* velocities) {
  const py::gil_scoped_acquire gil;
  try {
    if (!has_failed()) {
      const auto function = py::reinterpret_borrow<py::object>(static_cast<PyObject*>(user));
      const py::object found = function(time, copy_points(points, count));
      std::copy_n(read_rows_or_none<float>(found, 3, count), 3 * size_t{count}, velocities);
      return;
    }
  } catch (...) {
    keep_failure();
  }
  std::fill_n(velocities, 3 * size_t{count}, 0.0f);
}

void add_bodies(py::module_& module) {
  py::class_<Body, std::shared_ptr<Body>>(module, "Body")
      .def(py::init(&create))
      .def_static("ground", &create_ground)
      .def_static("layer", &create_layer)
      .def("pose", &pose_body<billow_body_pose>)
      .def("teleport", &pose_body<billow_body_teleport>)
      .def("pose_layer", &pose_layer)
      .def("query", &query)
      .def("collider", &read_collider<billow_body_get_collider>)
      .def("posed_collider", &read_collider<billow_body_get_posed_collider>)
      .def("collider_count", [](const Body& body) { return billow_body_collider_count(body.handle); })
      .def("scale", [](const Body& body) { return billow_body_scale(body.handle); })
      .def("shift_origin",
           [](const Body& body, const py::array& offset) {
             if (body.owner)
               raise(BILLOW_ERROR_INVALID_ARGUMENT,
                     "body: expected one of its own, found an instance's, which is shifted with it");
             Access access;
             access.write(body);
             check(billow_body_shift_origin(body.handle, read_rows_or_none<float>(offset, 0, 3)));
           })
      .def("debug_draw", [](const Body& body, uint32_t what) {
        Access access;
        access.read(body);
        return draw_to_arrays(
            [](const void* object, uint32_t w, const billow_debug_draw* draw) {
              return billow_body_debug_draw(static_cast<const billow_body*>(object), w, draw);
            },
            body.handle, what);
      });
  // For garments, whose colliders have none of what only Python could hold.
  module.def("garment_collider", [](const Garment& garment, uint32_t index) {
    billow_collider c{};
    check(billow_garment_get_collider(garment.handle, index, &c));
    return collider_to_python(c);
  });
}

}  // namespace billow::python
