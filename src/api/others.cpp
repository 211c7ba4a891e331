// Other bodies that cloth meets beside the character's own.
#include "api/handles.h"

namespace billow::api {

billow_status read_others(const char* what, const billow_body* const* others, uint32_t count,
                          const billow_body* body, int capacity, const Body** out, int& out_count) {
  out_count = 0;
  if (count == 0) return BILLOW_OK;
  if (!others)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "%s.others: expected an array of %u bodies, found NULL", what,
                count);
  int colliders = body ? body->body.collider_count : 0;
  for (uint32_t k = 0; k < count; ++k) {
    if (!valid(others[k]))
      return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                  "%s.others[%u]: expected a billow_body, found NULL or something else", what, k);
    if (others[k] == body || others[k]->body.collider_count == 0) continue;
    colliders += others[k]->body.collider_count;
    if (colliders > capacity)
      return fail(
          BILLOW_ERROR_INVALID_ARGUMENT,
          "%s.others: expected at most %d colliders in all, the body's included, found %d up to number %u",
          what, capacity, colliders, k);
    out[out_count++] = &others[k]->body;
  }
  return BILLOW_OK;
}

}  // namespace billow::api
