// What the sources of the Python module share: objects round the C API's handles, who may use them, errors, arrays.
//
// This is the private half of the package: the Python half (python/billow) checks shapes and types, says what is wrong with them and is
// the manual. Here the same is checked once more, tersely, so that no call can reach memory that is not there.
#pragma once

#include <billow/billow.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace billow::python {

namespace py = pybind11;

// Raises the Python exception of a status.
[[noreturn]] void raise(billow_status status, const std::string& message);
// Raises what a failed call has said.
inline void check(billow_status status) {
  if (status != BILLOW_OK) raise(status, billow_last_error());
}

// Counts the forks between this process and the one that imported the module first.
uint32_t forks();

class Access;

// A mutable object: used by one thread at a time, in the process that made it. Who uses it is noted with the GIL held.
struct Object {
  // By an instance with its chains and its body.
  struct Shared {
    const Access* writer = nullptr;
    int readers = 0;
    py::object wind_field;  // what the wind of the chains points to
  };
  explicit Object(const char* kind_, std::shared_ptr<Shared> shared_ = std::make_shared<Shared>())
      : kind(kind_), shared(std::move(shared_)) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  const char* kind;
  std::shared_ptr<Shared> shared;
  uint32_t born = forks();
};

// What a call uses, from here to the end of the scope. The GIL may be released in between: another thread that asks for what is
// being written, or wants to write what is being read, gets an exception instead of a race. A call may read what it writes.
class Access {
 public:
  Access() = default;
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
  ~Access();
  void write(const Object& object);
  void read(const Object& object);

 private:
  std::vector<std::shared_ptr<Object::Shared>> written_, read_;
};

// Python code called from within a call cannot throw through it. Its first exception on this thread is kept, no more is called, and
// it is raised when the call is over.
bool has_failed();
void keep_failure();                // in a catch block
std::exception_ptr take_failure();  // null: none
void raise_failure();

// Runs a call of the C API without the GIL, and raises what went wrong.
template <class Call> void run_released(Call call) {
  billow_status status;
  {
    py::gil_scoped_release released;
    status = call();
  }
  raise_failure();
  check(status);
}

struct Body : Object {
  Body() : Object("body") {}
  // That of an instance.
  Body(py::object owner_, const Object& instance, billow_body* handle_)
      : Object("instance", instance.shared), handle(handle_), owner(std::move(owner_)) {
    born = instance.born;
  }
  ~Body() {
    if (!owner) billow_body_destroy(handle);
  }
  billow_body* handle = nullptr;
  py::object owner;              // of the handle, if that is not this object
  std::vector<py::object> kept;  // what the colliders point to
};

struct Chains : Object {
  Chains() : Object("chains") {}
  Chains(py::object owner_, const Object& instance, billow_chains* handle_)
      : Object("instance", instance.shared), handle(handle_), owner(std::move(owner_)) {
    born = instance.born;
  }
  ~Chains() {
    if (!owner) billow_chains_destroy(handle);
  }
  billow_chains* handle = nullptr;
  py::object owner;
};

// Immutable, so that any thread may read it, and any process that has it.
struct Garment {
  Garment() = default;
  Garment(const Garment&) = delete;
  Garment& operator=(const Garment&) = delete;
  ~Garment() { billow_garment_destroy(handle); }
  billow_garment* handle = nullptr;
  std::unique_ptr<py::buffer_info> kept;  // the file's bytes, if they are used in place
};

struct Instance : Object {
  Instance() : Object("instance") {}
  ~Instance() { billow_instance_destroy(handle); }
  billow_instance* handle = nullptr;
  std::shared_ptr<Garment> garment;
};

// An array of `rows` x `columns` numbers of T without gaps; columns 0: one-dimensional.
template <class T> const T* read_array(const py::array& array, py::ssize_t columns, uint32_t* rows) {
  const bool fits = py::isinstance<py::array_t<T, py::array::c_style>>(array) &&
                    array.ndim() == (columns ? 2 : 1) && (!columns || array.shape(1) == columns);
  if (!fits || array.shape(0) > UINT32_MAX)
    throw py::type_error("billow._core: expected a checked array; call it through the package");
  if (rows) *rows = static_cast<uint32_t>(array.shape(0));
  return static_cast<const T*>(array.data());
}
// The same for None: null, and no rows.
template <class T>
const T* read_array_or_none(const py::object& value, py::ssize_t columns, uint32_t* rows = nullptr) {
  if (rows) *rows = 0;
  return value.is_none() ? nullptr : read_array<T>(py::reinterpret_borrow<py::array>(value), columns, rows);
}
// As many rows as expected.
template <class T>
const T* read_rows_or_none(const py::object& value, py::ssize_t columns, uint32_t expected) {
  uint32_t rows = 0;
  const T* found = read_array_or_none<T>(value, columns, &rows);
  if (found && rows != expected)
    throw py::type_error("billow._core: expected another number of rows; call it through the package");
  return found;
}
inline const billow_transform* read_transforms(const py::object& value, uint32_t* count) {
  static_assert(sizeof(billow_transform) == 7 * sizeof(float));
  return reinterpret_cast<const billow_transform*>(read_array_or_none<float>(value, 7, count));
}
inline const billow_transform* read_transform(const py::object& value) {
  return reinterpret_cast<const billow_transform*>(read_rows_or_none<float>(value, 7, 1));
}

// Structs of the C API travel as their bytes (structs.cpp).
template <class T> T from_bytes(const py::bytes& bytes) {
  const std::string_view view = bytes;
  if (view.size() != sizeof(T))
    throw py::type_error("billow._core: expected the bytes of a struct; call it through the package");
  T out;
  std::memcpy(&out, view.data(), sizeof out);
  return out;
}
template <class T> py::bytes to_bytes(const T& value) {
  return py::bytes(reinterpret_cast<const char*>(&value), sizeof value);
}

// Memory of an object as a read-only array, which keeps the object alive.
py::array view_of(const py::object& owner, const float* data, uint32_t rows, uint32_t columns);
template <class T> py::array_t<T> new_array(uint32_t rows, uint32_t columns = 0) {
  return columns ? py::array_t<T>({rows, columns}) : py::array_t<T>(rows);
}

// The bodies of a list, which a call reads.
std::vector<const billow_body*> read_bodies(const py::list& bodies, Access& access);
// The body, or null for None.
const billow_body* read_body(const py::object& body, Access& access);

// A Python function that stands for a signed distance function or a wind field. Lives as long as what calls it.
void call_distance(void* user, const float* points, uint32_t count, float* distances, float* gradients);
void call_wind(void* user, double time, const float* points, uint32_t count, float* velocities);

// What debug drawing draws: (lines, their colours, points, their colours, triangles, their colours).
using Draw = billow_status (*)(const void* object, uint32_t what, const billow_debug_draw* draw);
py::tuple draw_to_arrays(Draw draw, const void* object, uint32_t what);

void add_structs(py::module_& module);
void add_bodies(py::module_& module);
void add_chains(py::module_& module);
void add_garments(py::module_& module);
void add_crowds(py::module_& module);

}  // namespace billow::python
