#include <atomic>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "api/handles.h"

namespace billow::api {
namespace {

thread_local char t_message[512] = "";
std::atomic<const billow_log*> g_log = nullptr;

void* allocate_default(void*, size_t bytes, size_t alignment) {
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void release_default(void*, void* memory) { std::free(memory); }

}  // namespace

billow_status fail(billow_status status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(t_message, sizeof t_message, format, arguments);
  va_end(arguments);
  if (const billow_log* log = g_log.load(std::memory_order_acquire)) log->write(log->user, status, t_message);
  return status;
}

billow_allocator allocator_or_malloc(const billow_allocator* given) {
  return given ? *given : billow_allocator{allocate_default, release_default, nullptr};
}

billow_status check_finite(const char* what, const float* values, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i]))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT, "%s: expected finite numbers, found %g at element %zu", what,
                  static_cast<double>(values[i]), i);
  return BILLOW_OK;
}

billow_status read_offset(const float* offset, V3& out) {
  if (!offset) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "offset: expected 3 numbers, found NULL");
  for (int k = 0; k < 3; ++k)
    if (!(std::fabs(offset[k]) <= 1e15f))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                  "offset: expected numbers within 1e15, found %g at element %d",
                  static_cast<double>(offset[k]), k);
  out = {offset[0], offset[1], offset[2]};
  return BILLOW_OK;
}

billow_status read_transforms(const char* what, const billow_transform* in, uint32_t count, Transform* out) {
  for (uint32_t i = 0; i < count; ++i) {
    const float* p = in[i].position;
    const float* q = in[i].rotation;
    for (int k = 0; k < 7; ++k) {
      float value = k < 3 ? p[k] : q[k - 3];
      if (!std::isfinite(value) || std::fabs(value) > 1e15f)
        return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                    "%s[%u].%s[%d]: expected a finite number within 1e15, found %g", what, i,
                    k < 3 ? "position" : "rotation", k < 3 ? k : k - 3, static_cast<double>(value));
    }
  }
  // All or nothing: only now is anything written.
  for (uint32_t i = 0; i < count; ++i) {
    const float* p = in[i].position;
    const float* q = in[i].rotation;
    // Scale the largest component to 1 first: squares of large ones would overflow, and so would 1 / most for
    // subnormal ones.
    float most = 0;
    for (int k = 0; k < 4; ++k) most = std::fabs(q[k]) > most ? std::fabs(q[k]) : most;
    const float lift = most < 0x1p-60f ? 0x1p80f : 1.0f;
    const float s = most > 0 ? 1.0f / (most * lift) : 0.0f;
    const auto scaled = [&](float c) { return c * lift * s; };
    out[i] = {{p[0], p[1], p[2]}, normalized(Quat{scaled(q[0]), scaled(q[1]), scaled(q[2]), scaled(q[3])})};
  }
  return BILLOW_OK;
}

}  // namespace billow::api

extern "C" {

const char* billow_last_error(void) { return billow::api::t_message; }

billow_status billow_set_log(const billow_log* log) {
  if (log && !log->write)
    return billow::api::fail(BILLOW_ERROR_INVALID_ARGUMENT, "log.write: expected a function, found NULL");
  billow::api::g_log.store(log, std::memory_order_release);
  return BILLOW_OK;
}

#define BILLOW_TEXT_(x) #x
#define BILLOW_TEXT(x) BILLOW_TEXT_(x)
const char* billow_version(void) {
  return BILLOW_TEXT(BILLOW_VERSION_MAJOR) "." BILLOW_TEXT(BILLOW_VERSION_MINOR) "." BILLOW_TEXT(
      BILLOW_VERSION_PATCH);
}

}  // extern "C"
