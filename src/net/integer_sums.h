// The integer part of a product: for four panels at once, sums of steps times stored integers.
//
// Four panels that are far apart in the file are four streams for the processor to fetch ahead: reading one after the
// other reaches little more than half of the memory's speed.
#pragma once

#include "net/matrix.h"

namespace billow {

inline constexpr int kStreams = 4;

struct PanelSums {
  int32_t of[kStreams][kPanelRows];
};

// `panels`: where the integers of each of the four begin. Sums wrap as unsigned integers do, but steps are chosen so that
// they never reach that.
using IntegerSums = void (*)(const std::byte* const* panels, uint32_t int8_columns, uint32_t int4_columns,
                             const Factors& factors, PanelSums& sums);

void integer_sums_plain(const std::byte* const* panels, uint32_t int8_columns, uint32_t int4_columns,
                        const Factors& factors, PanelSums& sums);

// The fastest that this processor has.
IntegerSums best_integer_sums();

// That of ARM's dot product instructions, or null where it was not built.
IntegerSums integer_sums_dotprod();

}  // namespace billow
