// The integer part of a product: for four runs of panels at once, sums of steps times stored integers.
//
// Runs that are far apart in the file are four streams for the processor to fetch ahead: reading one after the other reaches
// little more than half of the memory's speed.
#pragma once

#include "net/matrix.h"

namespace billow {

inline constexpr int kStreams = 4;
inline constexpr uint32_t kMostPanels = 16;  // of a run

struct PanelRuns {
  const std::byte* const* first;  // where the integers of each run's first panel begin
  size_t stride;                  // from one panel to the next
  uint32_t count;                 // of each run, up to kMostPanels
  uint32_t int8, int4;            // stored columns
};

struct PanelSums {
  int32_t of[kStreams][kMostPanels * kPanelRows];
};

// Sums wrap as unsigned integers do, but steps are chosen so that they never reach that.
using IntegerSums = void (*)(const PanelRuns& runs, const Factors& factors, PanelSums& sums);

void integer_sums_plain(const PanelRuns& runs, const Factors& factors, PanelSums& sums);

// The fastest that this processor has.
IntegerSums best_integer_sums();

// That of ARM's dot product instructions, or null where it was not built.
IntegerSums integer_sums_dotprod();

}  // namespace billow
