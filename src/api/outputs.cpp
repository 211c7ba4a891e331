// Writes the mesh of the last frame into the caller's buffers.
#include <cstring>

#include "api/handles.h"
#include "runtime/find_bounds.h"
#include "runtime/write_vertices.h"

namespace billow::api {
namespace {

// An enum as an integer: a C program may store any value in one.
template <class Enum> int32_t number_of(const Enum& value) {
  int32_t number;
  static_assert(sizeof value == sizeof number);
  std::memcpy(&number, &value, sizeof number);
  return number;
}

billow_status check_vertices(const billow_output& o, uint32_t vertices) {
  if (!o.vertices && o.vertex_count > 0)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "output.vertices: expected %u of them, found NULL",
                o.vertex_count);
  for (uint32_t k = 0; o.vertices && k < o.vertex_count; ++k)
    if (o.vertices[k] >= vertices)
      return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                  "output.vertices: expected less than %u, found %u as number %u", vertices, o.vertices[k],
                  k);
  return BILLOW_OK;
}

billow_status check_tangents(const Instance& i) {
  if (i.garment->view.pattern_uvs.empty())
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "output.attribute: expected a garment with a pattern for tangents, found one without");
  if (!i.options.normals)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "output.attribute: expected the option normals on for tangents, found it off");
  return BILLOW_OK;
}

billow_status read_output(const Instance& i, const billow_output& o, VertexOutput& out) {
  const int32_t attribute = number_of(o.attribute), format = number_of(o.format);
  if (attribute < BILLOW_ATTRIBUTE_POSITION || attribute > BILLOW_ATTRIBUTE_TANGENT)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "output.attribute: expected a billow_attribute, found %d",
                attribute);
  if (format < BILLOW_FORMAT_FLOAT32 || format > BILLOW_FORMAT_FLOAT16)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "output.format: expected a billow_format, found %d", format);
  if (!o.out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "output.out: expected a buffer, found NULL");
  if (billow_status bad = check_vertices(o, i.garment->vertices())) return bad;
  if (attribute == BILLOW_ATTRIBUTE_TANGENT)
    if (billow_status bad = check_tangents(i)) return bad;
  if (billow_status bad = check_finite("output.origin", o.origin, 3)) return bad;
  out.attribute = static_cast<Attribute>(attribute);
  out.halves = format == BILLOW_FORMAT_FLOAT16;
  out.vertices = o.vertices;
  out.count = o.vertices ? o.vertex_count : i.garment->vertices();
  out.out = static_cast<std::byte*>(o.out);
  out.origin = {o.origin[0], o.origin[1], o.origin[2]};
  const size_t component = out.halves ? 2 : 4, least = component * components_of(out.attribute);
  out.stride = o.stride == 0 ? least : o.stride;
  if (out.stride < least || out.stride % component != 0)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "stride: expected 0, or %zu bytes or more in steps of %zu, found %zu", least, component,
                o.stride);
  if (o.capacity < out.count)
    return fail(BILLOW_ERROR_BUFFER_TOO_SMALL, "capacity: expected at least %u vertices, found %u", out.count,
                o.capacity);
  return BILLOW_OK;
}

billow_status write_all(const billow_instance* instance, billow_attribute attribute, void* out, size_t stride,
                        uint32_t capacity) {
  billow_output output{};
  output.attribute = attribute;
  output.out = out, output.stride = stride, output.capacity = capacity;
  return billow_instance_write(instance, &output, 1);
}

}  // namespace
}  // namespace billow::api

using namespace billow;
using namespace billow::api;

extern "C" {

billow_status billow_instance_write(const billow_instance* instance, const billow_output* outputs,
                                    uint32_t count) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!outputs && count > 0)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "outputs: expected %u of them, found NULL", count);
  VertexOutput output;
  for (uint32_t k = 0; k < count; ++k)
    if (billow_status bad = read_output(instance->instance, outputs[k], output)) return bad;
  for (uint32_t k = 0; k < count; ++k) {
    read_output(instance->instance, outputs[k], output);
    write_vertices(instance->instance, output);
  }
  return BILLOW_OK;
}

billow_status billow_instance_get_positions(const billow_instance* instance, void* out, size_t stride,
                                            uint32_t capacity) {
  return write_all(instance, BILLOW_ATTRIBUTE_POSITION, out, stride, capacity);
}

billow_status billow_instance_get_normals(const billow_instance* instance, void* out, size_t stride,
                                          uint32_t capacity) {
  return write_all(instance, BILLOW_ATTRIBUTE_NORMAL, out, stride, capacity);
}

billow_status billow_instance_get_bounds(const billow_instance* instance, billow_bounds* out) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  const Bounds b = find_bounds(instance->instance);
  *out = {{b.low.x, b.low.y, b.low.z}, {b.high.x, b.high.y, b.high.z}};
  return BILLOW_OK;
}

}  // extern "C"
