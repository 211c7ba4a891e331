// Soft colliders, as rope chains and reference cloth share them: the push rises over a shell around the surface.
#pragma once

namespace billow {

inline constexpr float kSoftShell = 0.03f;  // m at scale 1

}  // namespace billow
