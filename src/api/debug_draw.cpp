#include "runtime/debug_draw.h"

#include "api/handles.h"

namespace billow::api {
namespace {

billow_status check_drawing(uint32_t what, const billow_debug_draw* draw) {
  if (!draw) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "draw: expected a pointer, found NULL");
  if (what & ~BILLOW_DEBUG_ALL)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "what: expected billow_debug values, found %#x", what);
  return BILLOW_OK;
}

}  // namespace
}  // namespace billow::api

using namespace billow;
using namespace billow::api;

extern "C" {

billow_status billow_body_debug_draw(const billow_body* body, uint32_t what, const billow_debug_draw* draw) {
  if (!valid(body)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotBody);
  if (billow_status bad = check_drawing(what, draw)) return bad;
  draw_body(body->body, what, Pen(*draw));
  return BILLOW_OK;
}

billow_status billow_chains_debug_draw(const billow_chains* chains, uint32_t what,
                                       const billow_debug_draw* draw) {
  if (!valid(chains)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotChains);
  if (billow_status bad = check_drawing(what, draw)) return bad;
  draw_chains(chains->chains, what, Pen(*draw));
  return BILLOW_OK;
}

billow_status billow_instance_debug_draw(const billow_instance* instance, uint32_t what,
                                         const billow_debug_draw* draw) {
  if (!valid(instance)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotInstance);
  if (billow_status bad = check_drawing(what, draw)) return bad;
  const Pen pen(*draw);
  if (instance->body->body.posed) draw_body(instance->body->body, what, pen);
  draw_chains(instance->chains->chains, what, pen);
  draw_mesh(instance->instance, what, pen);
  return BILLOW_OK;
}

}  // extern "C"
