// How large things of a file are.
#pragma once

#include "body/skeleton.h"

namespace billow::importer {

// Metres a unit of a human's skeleton: of metre, foot, CMU unit, inch, centimetre and millimetre the one that
// makes it most nearly 1.7 m tall. Height is judged by the legs, whatever the rest pose is, or without legs by
// the rest pose. Throws std::runtime_error where none makes it 1.1 to 2.6 m.
float guess_unit(const body::Skeleton& skeleton);

// The largest side of the box round all joints at rest.
float extent(const body::Skeleton& skeleton);

}  // namespace billow::importer
