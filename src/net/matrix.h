// A packed matrix as stored in the garment file, and its product with a vector. Network layers and PCA bases
// alike.
//
// An entry is a sum over stored columns: M(r, k) = row_scale[r] * sum of scale[j] * q(r, j) over the stored
// columns j whose source is k. A column of 16 bits is thus two int8 columns; the second, a residual column,
// stores the rounding error of the first.
//
// Rows are grouped into panels of eight. A panel holds all its columns, by kind:
//   float32  8 values per column
//   float16  8 values per column
//   int8     eight columns at a time: 8 rows of 8 bytes
// so that a product reads a panel sequentially, and two rows of eight columns are one 128-bit vector.
//
// The product with int8 columns is quantised inference, int8 weights x int16 activations. The activation of
// stored column j is a_j = scale[j] * x[source[j]]. All activations of a vector share one quantisation scale,
// a_j ~ q_scale * q16_j, so a row is an exact int32 sum:
//   out[r] = row_scale[r] * (q_scale * sum of q(r, j) * q16_j  +  float columns)
#pragma once

#include <cstddef>
#include <cstdint>

namespace billow {

inline constexpr uint32_t kPanelRows = 8;
inline constexpr uint32_t round_up_to_panels(uint32_t rows) {
  return (rows + kPanelRows - 1) / kPanelRows * kPanelRows;
}

// Immutable; points into the garment file.
struct PackedMatrix {
  uint32_t rows = 0, columns = 0;               // of the matrix M
  uint32_t float32 = 0, float16 = 0, int8 = 0;  // stored columns of each kind
  const float* row_scales = nullptr;            // padded to whole panels; null: all 1
  // For each stored column (float32, then float16, then int8): its column k of M, and its scale.
  const uint32_t* sources = nullptr;
  const float* scales = nullptr;
  // Derived by precompute().
  uint32_t contiguous = 0;  // leading int8 columns whose sources are contiguous in each group of kLanes
  float max_scale = 0;      // largest absolute scale of the int8 columns

  const std::byte* panels = nullptr;  // the stored columns

  // `count` of its rows from `first_row` on, a multiple of kPanelRows.
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
// Whether two matrices store the same columns with the same scales: then a vector quantised for one fits the
// other.
bool same_columns(const PackedMatrix& a, const PackedMatrix& b);

// A float vector with its range, which its quantisation scale follows from.
struct RangedVector {
  const float* values = nullptr;  // padded to whole panels with finite values
  float max_abs = 0;              // largest absolute value
};
// Determines the range. Values that are not finite, or beyond 1e30, become 0. `vector` is padded to whole
// panels.
RangedVector find_range(float* vector, uint32_t count);
// The same where the largest absolute value is known; NaN if a value is NaN.
RangedVector with_range(float* vector, uint32_t count, float max_abs);

// A vector prepared for a product, one entry per stored column. Also the scratch for it: the arrays have the
// size of the matrix with most stored columns.
struct QuantisedVector {
  float* scaled = nullptr;  // float columns: the product scale[j] * x[source[j]]
  int16_t* q16 = nullptr;   // int8 columns: that product, quantised
  // On ARM instead of q16: q16 = 256 * high + low, in groups of eight, the high bytes before the low ones.
  int8_t* bytes = nullptr;

  // One of several vectors in consecutive memory, each with `stored` columns.
  QuantisedVector of(size_t which, size_t stored) const {
    return {scaled + which * stored, q16 + which * stored, bytes + 2 * which * stored};
  }
};

// out = matrix * vector; `out` is padded to whole panels. Integer sums are exact and floats are added in the
// order of columns, so the result is the same on every machine.
void multiply(const PackedMatrix& matrix, const RangedVector& vector, const QuantisedVector& scratch,
              float* out);

// The two steps of it. quantise() fills `quantised` and returns q_scale.
float quantise(const PackedMatrix& matrix, const RangedVector& vector, const QuantisedVector& quantised);
void multiply(const PackedMatrix& matrix, float q_scale, const QuantisedVector& quantised, float* out);

// The two steps of quantise(). quantisation_scale() is the q_scale for values up to `max_abs`: as fine as
// int16 allows and coarse enough that int32 sums of `products` products do not overflow. quantise_with()
// takes a vector that is padded to whole panels.
float quantisation_scale(const PackedMatrix& matrix, float max_abs, uint64_t products);
void quantise_with(const PackedMatrix& matrix, const float* vector, float q_scale,
                   const QuantisedVector& quantised);

// The int32 sums of all rows, for a matrix of int8 columns only: row = row_scale * q_scale * sum.
void sum_integers(const PackedMatrix& matrix, const QuantisedVector& quantised, int32_t* sums);

}  // namespace billow
