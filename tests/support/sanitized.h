// Whether the tests are compiled with sanitizers, which make them many times slower.
#pragma once

namespace billow::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace billow::testing
