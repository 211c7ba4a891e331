// The table of all functions. Signatures are those of the header, or it does not compile.
#include <billow/billow_api.h>

namespace {

#define BILLOW_ENTRY(name) .name = billow_##name,
constexpr billow_api kApi = {BILLOW_FUNCTIONS(BILLOW_ENTRY)};
#undef BILLOW_ENTRY

}  // namespace

extern "C" const billow_api* billow_get_api(uint32_t version) {
  return version == BILLOW_API_VERSION ? &kApi : nullptr;
}
