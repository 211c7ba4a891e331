// The reader of garment files, in four parts: the garment (read_garment.cpp), blend skinning weights
// (read_blend.cpp), the decoder of the whole cloth (read_networks.cpp), and the decoder by patches
// (read_patches.cpp).
#pragma once

#include <cmath>

#include "asset/garment_view.h"

namespace billow::asset {

class Reader {
 public:
  Reader(const void* bytes, size_t size, GarmentView& view, Problem& problem)
      : view_(view), problem_(problem), bytes_(static_cast<const std::byte*>(bytes)), size_(size) {}

  bool read(bool checksums) {
    return read_table(checksums) && read_garment_record() && read_joints() && read_cloth() && read_chains() &&
           read_blend() && read_colliders() && (by_patches() ? read_patches() : read_networks()) &&
           read_remaining();
  }

 private:
  bool by_patches() const { return view_.record->skinning_components == 0; }
  bool fail(const char* format, ...) __attribute__((format(printf, 2, 3)));

  bool read_table(bool checksums);
  bool read_garment_record();
  bool read_joints();
  bool read_cloth();
  bool read_chains();
  bool read_blend();
  template <class Index> bool check_blend(std::span<const Index> bones);
  bool read_colliders();
  bool read_remaining();

  // Decoder of the whole cloth: read_networks.cpp.
  bool read_networks();
  bool read_network(const char* name, uint32_t inputs, uint32_t outputs, NetworkView& network);
  bool read_matrix(const char* name, uint64_t rows, uint32_t columns, PackedMatrix& matrix);
  bool check_panels(const char* name, const PackedMatrix& matrix);

  // Decoder by patches: read_patches.cpp.
  bool read_patches();
  bool read_patches_record();
  bool check_patch(size_t patch);
  bool check_tile(size_t tile, uint32_t first_block);
  bool read_patch_matrices();

  const Section* find(std::string_view name) const {
    for (const Section& s : view_.sections)
      if (name == s.name) return &s;
    return nullptr;
  }
  // The section of this name, which has to have `count` records.
  template <class T> bool find_array(const char* name, uint64_t count, std::span<const T>& out) {
    const Section* s = find(name);
    if (!s) return fail("expected a section '%s', found none", name);
    if (s->size != count * sizeof(T))
      return fail("section '%s': expected %llu bytes, found %llu", name,
                  static_cast<unsigned long long>(count * sizeof(T)),
                  static_cast<unsigned long long>(s->size));
    out = {reinterpret_cast<const T*>(bytes_ + s->offset), static_cast<size_t>(count)};
    return true;
  }
  bool check_floats(const char* name, std::span<const float> values) {
    for (size_t i = 0; i < values.size(); ++i)
      if (!(std::fabs(values[i]) <= kMaxMagnitude))
        return fail("section '%s', value %zu: expected a finite value within 1e9, found %g", name, i,
                    static_cast<double>(values[i]));
    return true;
  }
  bool check_text(const char* name, Text t) {
    if (t.length > kMaxText)
      return fail("section '%s': expected a text of at most %u bytes, found %u", name, kMaxText, t.length);
    if (uint64_t{t.offset} + t.length <= view_.text.size()) return true;
    return fail("section '%s': expected a text within %zu bytes, found %u bytes at %u", name,
                view_.text.size(), t.length, t.offset);
  }
  bool check_below(const char* name, size_t record, const char* what, uint32_t found, uint32_t limit) {
    return found < limit ||
           fail("section '%s', record %zu: expected %s below %u, found %u", name, record, what, limit, found);
  }
  bool check_weights(const char* name, size_t record, std::span<const float> weights) {
    float sum = 0;
    for (const float w : weights) {
      if (!(w >= -1e-3f && w <= 1.001f))
        return fail("section '%s', record %zu: expected weights from 0 to 1, found %g", name, record,
                    static_cast<double>(w));
      sum += w;
    }
    return std::fabs(sum - 1) < 2e-3f ||
           fail("section '%s', record %zu: expected weights that add up to 1, found %g", name, record,
                static_cast<double>(sum));
  }

  GarmentView& view_;
  Problem& problem_;
  const std::byte* bytes_;
  size_t size_;
};

}  // namespace billow::asset
