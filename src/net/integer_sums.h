// The integer part of a product: sums of steps times stored integers, for panels that stand behind each other.
#pragma once

#include "net/matrix.h"

namespace billow {

struct PanelRun {
  const std::byte* first;  // where the integers of the first panel begin
  size_t stride;           // from one panel to the next
  uint32_t count;
  uint32_t columns;  // stored ones, whole eights
  // What is fetched while these panels are worked on: as many bytes, from so far behind what is read on. Left alone, a
  // processor begins to fetch a block of some kilobytes when it is half read.
  size_t ahead;
};

// Eight sums a panel. They wrap as unsigned integers do, but steps are chosen so that they never reach that.
using IntegerSums = void (*)(const PanelRun& run, const Factors& factors, int32_t* sums);

void integer_sums_plain(const PanelRun& run, const Factors& factors, int32_t* sums);

// All that this processor has, the fastest first, and then nulls.
struct IntegerSumsFound {
  IntegerSums by_speed[4];
};
IntegerSumsFound find_integer_sums();

// Whether this processor has ARM's products of matrices of bytes.
bool has_matrix_product();

// Those of ARM's matrix and dot product instructions, and that of four lanes on any processor; null where they were not built.
IntegerSums integer_sums_i8mm();
IntegerSums integer_sums_dotprod();
IntegerSums integer_sums_pairs();

}  // namespace billow
