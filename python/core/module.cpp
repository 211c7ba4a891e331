// The module billow._core: errors, logging, who may use what, and what is shared by the other sources.
#include <exception>
#include <utility>

#include "objects.h"

namespace billow::python {
namespace {

uint32_t forks_so_far = 0;
thread_local std::exception_ptr failure;

// Who listens to the log. Never destroyed: it may be asked until the process ends.
py::object& listener() {
  static auto* object = new py::object(py::none());
  return *object;
}

// Called from within a failing call, with or without the GIL, on any thread.
void write_log(void*, billow_status status, const char* message) {
  const py::gil_scoped_acquire gil;
  if (listener().is_none()) return;
  // Keep an exception that is on its way already, and do not let one of the listener's through.
  const py::error_scope pending;
  try {
    listener()(static_cast<int>(status), message);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("billow's log");
  }
}

// Set once: a log has to stay valid while calls of other threads may still look at it.
void set_log(py::object function) {
  static const billow_log log{write_log, nullptr};
  listener() = std::move(function);
  check(billow_set_log(&log));
}

[[noreturn]] void refuse(const std::string& message) { raise(BILLOW_ERROR_INVALID_ARGUMENT, message); }

// In the process that made it.
void require_here(const Object& object) {
  if (object.born != forks())
    refuse(std::string(object.kind) +
           ": expected one made in this process, found one from before a fork. Make it after the fork, and "
           "restore its state there");
}

// FNV-1a, 64 bits, as in data sets and motion bundles (offline/files/checksum.h): byte by byte, which Python is too slow for.
uint64_t checksum(const py::buffer& bytes) {
  const py::buffer_info info = bytes.request();
  if (info.ndim != 1 || info.itemsize != 1 || info.strides[0] != 1)
    throw py::type_error("billow._core: expected bytes; call it through the package");
  const py::gil_scoped_release released;
  uint64_t sum = 0xcbf29ce484222325ull;
  const auto* b = static_cast<const uint8_t*>(info.ptr);
  for (py::ssize_t k = 0; k < info.size; ++k) sum = (sum ^ b[k]) * 0x100000001b3ull;
  return sum;
}

struct Drawn {
  std::vector<float> lines, points, triangles;
  std::vector<uint32_t> line_colours, point_colours, triangle_colours;
};

void add_vectors(std::vector<float>& out, std::initializer_list<const float*> vectors) {
  for (const float* v : vectors) out.insert(out.end(), v, v + 3);
}

template <class T> py::array_t<T> array_of(const std::vector<T>& values, std::vector<py::ssize_t> shape) {
  py::array_t<T> out(std::move(shape));
  std::copy(values.begin(), values.end(), out.mutable_data());
  return out;
}

}  // namespace

void raise(billow_status status, const std::string& message) {
  const py::object error =
      py::module_::import("billow.errors").attr("error_of")(static_cast<int>(status), message);
  PyErr_SetObject(py::type::handle_of(error).ptr(), error.ptr());
  throw py::error_already_set();
}

uint32_t forks() { return forks_so_far; }

void Access::write(const Object& object) {
  require_here(object);
  Object::Shared& use = *object.shared;
  if (use.writer == this) return;
  if (use.writer || use.readers > 0)
    refuse(std::string(object.kind) + ": expected one thread at a time, found another one using it");
  use.writer = this;
  written_.push_back(object.shared);
}

void Access::read(const Object& object) {
  require_here(object);
  Object::Shared& use = *object.shared;
  if (use.writer == this) return;
  if (use.writer)
    refuse(std::string(object.kind) + ": expected one thread at a time, found another one using it");
  ++use.readers;
  read_.push_back(object.shared);
}

Access::~Access() {
  for (const auto& use : written_) use->writer = nullptr;
  for (const auto& use : read_) --use->readers;
}

bool has_failed() { return failure != nullptr; }
void keep_failure() {
  if (!failure) failure = std::current_exception();
}
std::exception_ptr take_failure() { return std::exchange(failure, nullptr); }
void raise_failure() {
  if (const std::exception_ptr kept = take_failure()) std::rethrow_exception(kept);
}

py::array view_of(const py::object& owner, const float* data, uint32_t rows, uint32_t columns) {
  py::array view(py::dtype::of<float>(), std::vector<py::ssize_t>{rows, columns}, data, owner);
  py::detail::array_proxy(view.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return view;
}

const billow_body* read_body(const py::object& body, Access& access) {
  if (body.is_none()) return nullptr;
  const Body& found = body.cast<const Body&>();
  access.read(found);
  return found.handle;
}

std::vector<const billow_body*> read_bodies(const py::list& bodies, Access& access) {
  std::vector<const billow_body*> out;
  out.reserve(bodies.size());
  for (const py::handle body : bodies)
    out.push_back(read_body(py::reinterpret_borrow<py::object>(body), access));
  return out;
}

py::tuple draw_to_arrays(Draw draw, const void* object, uint32_t what) {
  Drawn drawn;
  billow_debug_draw into{};
  into.user = &drawn;
  into.line = [](void* user, const float* from, const float* to, uint32_t colour) {
    add_vectors(static_cast<Drawn*>(user)->lines, {from, to});
    static_cast<Drawn*>(user)->line_colours.push_back(colour);
  };
  into.point = [](void* user, const float* at, uint32_t colour) {
    add_vectors(static_cast<Drawn*>(user)->points, {at});
    static_cast<Drawn*>(user)->point_colours.push_back(colour);
  };
  into.triangle = [](void* user, const float* a, const float* b, const float* c, uint32_t colour) {
    add_vectors(static_cast<Drawn*>(user)->triangles, {a, b, c});
    static_cast<Drawn*>(user)->triangle_colours.push_back(colour);
  };
  check(draw(object, what, &into));
  const auto count = [](const std::vector<uint32_t>& colours) {
    return static_cast<py::ssize_t>(colours.size());
  };
  return py::make_tuple(array_of(drawn.lines, {count(drawn.line_colours), 2, 3}),
                        array_of(drawn.line_colours, {count(drawn.line_colours)}),
                        array_of(drawn.points, {count(drawn.point_colours), 3}),
                        array_of(drawn.point_colours, {count(drawn.point_colours)}),
                        array_of(drawn.triangles, {count(drawn.triangle_colours), 3, 3}),
                        array_of(drawn.triangle_colours, {count(drawn.triangle_colours)}));
}

}  // namespace billow::python

PYBIND11_MODULE(_core, module) {
  using namespace billow::python;
  module.doc() = "The C API of Billow, as the package billow calls it. Private.";
  module.def("version", &billow_version);
  module.def("set_log", &set_log);
  module.def("after_fork", [] { ++forks_so_far; });
  module.def("frame_stages", [] {
    py::list names;
    for (int k = 0; k < BILLOW_FRAME_STAGE_COUNT; ++k)
      names.append(billow_frame_stage_name(static_cast<billow_frame_stage>(k)));
    return names;
  });
  module.def("chain_stages", [] {
    py::list names;
    for (int k = 0; k < BILLOW_CHAIN_STAGE_COUNT; ++k)
      names.append(billow_chain_stage_name(static_cast<billow_chain_stage>(k)));
    return names;
  });
  module.def("checksum", &checksum);
  add_structs(module);
  add_bodies(module);
  add_chains(module);
  add_garments(module);
  add_crowds(module);
}
