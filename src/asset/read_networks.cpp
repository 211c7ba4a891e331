// The decoder of the whole cloth: networks and basis, and the packed matrices that these and patches consist
// of.
#include <cstdio>

#include "asset/reader.h"

namespace billow::asset {

bool Reader::read_networks() {
  const GarmentRecord& g = *view_.record;
  const uint32_t columns = g.skinning_components + 1 + (g.shape_components ? g.shape_components + 1 : 0);
  const uint32_t inputs = 3 * g.bones;
  return read_network("skinning", inputs, g.skinning_components, view_.skinning) &&
         read_network("shape", inputs, g.shape_components, view_.shape) &&
         read_matrix("basis", 3 * g.vertices, columns, view_.basis);
}

bool Reader::read_network(const char* name, uint32_t inputs, uint32_t outputs, NetworkView& network) {
  const Section* s = find(name);
  if (outputs == 0) return !s || fail("section '%s': expected none, as there are no components", name);
  if (!s || s->size < sizeof(NetworkRecord)) return fail("expected a section '%s' with its record", name);
  const auto& n = *reinterpret_cast<const NetworkRecord*>(bytes_ + s->offset);
  if (n.inputs != inputs || n.outputs != outputs)
    return fail("section '%s': expected %u inputs and %u outputs, found %u and %u", name, inputs, outputs,
                n.inputs, n.outputs);
  if (n.layers < 1 || n.layers > kMaxLayers || n.activation > 2 || n.linear > 1 || n.inputs > kMaxColumns)
    return fail("section '%s': expected 1 to %u layers, activation 0 to 2, linear 0 or 1, found %u, %u, %u",
                name, kMaxLayers, n.layers, n.activation, n.linear);
  uint64_t biases = 0;
  for (uint32_t k = 0; k < n.layers; ++k) {
    if (n.units[k] < 1 || n.units[k] > kMaxUnits || (k + 1 == n.layers && n.units[k] != outputs))
      return fail("section '%s', layer %u: expected 1 to %u units, as many as outputs in the last, found %u",
                  name, k + 1, kMaxUnits, n.units[k]);
    biases += n.units[k];
  }
  const uint64_t floats = 2 * uint64_t{n.inputs} + outputs + biases;
  if (s->size != sizeof n + 4 * floats)
    return fail("section '%s': expected %llu bytes, found %llu", name,
                static_cast<unsigned long long>(sizeof n + 4 * floats),
                static_cast<unsigned long long>(s->size));
  const auto* at = reinterpret_cast<const float*>(bytes_ + s->offset + sizeof n);
  if (!check_floats(name, {at, static_cast<size_t>(floats)})) return false;
  const auto take = [&](size_t count) {
    at += count;
    return std::span(at - count, count);
  };
  network.record = &n;
  network.mean = take(n.inputs);
  network.scale = take(n.inputs);
  network.deviation = take(outputs);
  char part[48];
  for (uint32_t k = 0; k < n.layers; ++k) {
    network.bias[k] = take(n.units[k]);
    std::snprintf(part, sizeof part, "%s.%u", name, k + 1);
    if (!read_matrix(part, n.units[k], k == 0 ? n.inputs : n.units[k - 1], network.layer[k])) return false;
  }
  std::snprintf(part, sizeof part, "%s.linear", name);
  return !n.linear || read_matrix(part, outputs, n.inputs, network.linear);
}

bool Reader::read_matrix(const char* name, uint64_t rows, uint32_t columns, PackedMatrix& matrix) {
  const Section* s = find(name);
  if (!s || s->size < sizeof(MatrixRecord)) return fail("expected a section '%s' with its record", name);
  const auto& m = *reinterpret_cast<const MatrixRecord*>(bytes_ + s->offset);
  if (m.rows != rows || m.columns != columns)
    return fail("section '%s': expected a %llu x %u matrix, found %u x %u", name,
                static_cast<unsigned long long>(rows), columns, m.rows, m.columns);
  if (m.float32 > kMaxColumns || m.float16 > kMaxColumns || m.int8 > kMaxColumns || m.float16 % 2 ||
      m.int8 % 8)
    return fail(
        "section '%s': expected up to %u columns of a kind, multiples of 2 (fp16) and 8 (int8), found %u, "
        "%u, "
        "%u",
        name, kMaxColumns, m.float32, m.float16, m.int8);
  if (m.row_scales > 1) return fail("section '%s': expected row scales 0 or 1, found %u", name, m.row_scales);
  if (s->size != matrix_size(m))
    return fail("section '%s': expected %llu bytes, found %llu", name,
                static_cast<unsigned long long>(matrix_size(m)), static_cast<unsigned long long>(s->size));
  const std::byte* at = bytes_ + s->offset;
  matrix = {.rows = m.rows,
            .columns = columns,
            .float32 = m.float32,
            .float16 = m.float16,
            .int8 = m.int8,
            .row_scales = nullptr,
            .sources = reinterpret_cast<const uint32_t*>(at + sizeof m),
            .scales = nullptr,
            .contiguous = 0,
            .max_scale = 0,
            .panels = at + matrix_panels_at(m)};
  const uint32_t stored = matrix.stored_count();
  matrix.scales = reinterpret_cast<const float*>(matrix.sources + stored);
  if (m.row_scales) matrix.row_scales = matrix.scales + stored;
  for (uint32_t j = 0; j < stored; ++j)
    if (!check_below(name, j, "a column", matrix.sources[j], columns)) return false;
  precompute(matrix);
  const size_t scales = m.row_scales ? size_t{kPanelRows} * matrix.panel_count() : 0;
  return check_floats(name, {matrix.scales, stored + scales}) && check_panels(name, matrix);
}

// Any int8 is valid; floats have to be finite.
bool Reader::check_panels(const char* name, const PackedMatrix& matrix) {
  const size_t float32_values = size_t{kPanelRows} * matrix.float32,
               float16_values = size_t{kPanelRows} * matrix.float16;
  for (size_t p = 0; p < matrix.panel_count() && float32_values + float16_values > 0; ++p) {
    const std::byte* panel = matrix.panels + p * matrix.panel_bytes();
    if (!check_floats(name, {reinterpret_cast<const float*>(panel), float32_values})) return false;
    const auto* halves = reinterpret_cast<const uint16_t*>(panel + 4 * float32_values);
    for (size_t i = 0; i < float16_values; ++i)
      if ((halves[i] & 0x7c00) == 0x7c00)
        return fail("section '%s', panel %zu: expected finite numbers", name, p);
  }
  return true;
}

}  // namespace billow::asset
