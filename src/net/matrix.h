// A matrix as the garment file keeps it, and its product with a vector: layers of the networks and the bases alike.
//
// An entry is a sum of stored columns: M(r, k) = row_scale[r] * sum of scale[j] * q(r, j) over the stored columns j that
// belong to k. A column of 16 bits is thus two of int8, the second holding what the first one's rounding left over.
//
// Rows stand in panels of eight, and a panel holds all its columns, kind after kind:
//   float32  8 numbers a column
//   float16  8 numbers a column
//   int8     eight columns at a time: 8 rows of 8 bytes
// so that a product reads a panel from its first byte to its last, and two rows of eight columns are one vector.
#pragma once

#include <cstddef>
#include <cstdint>

namespace billow {

inline constexpr uint32_t kPanelRows = 8;
inline constexpr uint32_t round_up_to_panels(uint32_t rows) {
  return (rows + kPanelRows - 1) / kPanelRows * kPanelRows;
}

// Immutable; points into the file.
struct PackedMatrix {
  uint32_t rows = 0, columns = 0;               // columns: of the matrix, so entries of the vector
  uint32_t float32 = 0, float16 = 0, int8 = 0;  // stored columns of each kind
  const float* row_scales = nullptr;            // rounded up to whole panels; null: all 1
  // Of the stored columns, float32 first, then float16, int8: the column each belongs to, and its scale.
  const uint32_t* sources = nullptr;
  const float* scales = nullptr;
  // What follows from these: precompute.
  uint32_t in_order = 0;    // so many of the first columns of integers belong, four by four, to neighbours
  float largest_scale = 0;  // of integers
  const std::byte* panels = nullptr;

  // Some of its rows, whole panels.
  PackedMatrix block(size_t first_row, uint32_t count) const {
    PackedMatrix m = *this;
    m.rows = count;
    m.panels += first_row / kPanelRows * panel_bytes();
    if (row_scales) m.row_scales += first_row;
    return m;
  }
  bool integers_only() const { return float32 + float16 == 0; }
  uint32_t stored_count() const { return float32 + float16 + int8; }
  uint32_t panel_count() const { return (rows + kPanelRows - 1) / kPanelRows; }
  size_t panel_bytes() const { return size_t{kPanelRows} * (4 * float32 + 2 * float16 + int8); }
};

void precompute(PackedMatrix& matrix);
// Whether two matrices store the same columns with the same scales: then one's steps are the other's.
bool same_columns(const PackedMatrix& a, const PackedMatrix& b);

// A vector, and how large its entries are.
struct RangedVector {
  const float* at = nullptr;  // with room for whole panels, of whatever finite numbers
  float largest = 0;
};
// There has to be room for whole panels. Numbers that are not finite, or beyond 1e30, become 0.
RangedVector find_range(float* vector, uint32_t count);
// The same where it is known how large the largest is, or NaN where one of them is.
RangedVector with_range(float* vector, uint32_t count, float largest);

// Room for a product, for the stored columns of the largest matrix.
struct QuantisedVector {
  float* scaled = nullptr;  // of every stored column of floats: its scale times its entry of the vector
  int16_t* q16 = nullptr;   // the same of integers, in steps
  int8_t* bytes =
      nullptr;  // what ARM has instead: steps = 256 * high + low, for each eight the high bytes, then the low

  // Those of one of several vectors that stand behind each other, with so many stored columns.
  QuantisedVector of(size_t which, size_t stored) const {
    return {scaled + which * stored, q16 + which * stored, bytes + 2 * which * stored};
  }
};

// out = matrix * vector; `out` has room for whole panels. Integers are summed exactly and floats in the order of columns, so the
// result is the same on every machine. Entries of the vector for integer columns are rounded to 16 bits of the largest.
void multiply(const PackedMatrix& matrix, const RangedVector& vector, const QuantisedVector& scratch,
              float* out);

// The same in two: the factors of a vector, which returns the step of those of integers; and the product with them.
float quantise(const PackedMatrix& matrix, const RangedVector& vector, const QuantisedVector& scratch);
// The first of these in two: a step for entries up to `largest`, fine enough for 16 bits, coarse enough that so many products add up;
// and the factors, for a vector that has room for whole panels.
float quantisation_scale(const PackedMatrix& matrix, float largest, uint64_t products);
void quantise_with(const PackedMatrix& matrix, const float* vector, float q_scale,
                   const QuantisedVector& scratch);
void multiply(const PackedMatrix& matrix, float q_scale, const QuantisedVector& quantised, float* out);
// Where there are integers only: the sums of all rows. A row is its sum times the step, times its scale.
void sum_integers(const PackedMatrix& matrix, const QuantisedVector& quantised, int32_t* sums);

}  // namespace billow
