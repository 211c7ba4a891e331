// The reader of garment files: from bytes that may be anything to a view that may be trusted.
//
// First the table: every section lies within the file, aligned, behind the one before, and has its checksum. Then each
// section has the size that the counts ask for, and each number is one that the runtime can use.
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "asset/garment_view.h"

namespace billow::asset {
namespace {

class Reader {
 public:
  Reader(const void* bytes, size_t size, GarmentView& view, Problem& problem)
      : view_(view), problem_(problem), bytes_(static_cast<const std::byte*>(bytes)), size_(size) {}

  bool read(bool checksums) {
    return read_table(checksums) && read_garment_record() && read_joints() && read_cloth() && read_chains() &&
           read_colliders() && read_network("skinning", view_.record->skinning_components, view_.skinning) &&
           read_network("shape", view_.record->shape_components, view_.shape) && read_basis() && read_rest();
  }

 private:
  bool fail(const char* format, ...) __attribute__((format(printf, 2, 3))) {
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(problem_.text, sizeof problem_.text, format, arguments);
    va_end(arguments);
    return false;
  }

  bool read_table(bool checksums);
  bool read_garment_record();
  bool read_joints();
  bool read_cloth();
  bool read_chains();
  bool read_colliders();
  bool read_network(const char* name, uint32_t outputs, NetworkView& network);
  bool read_matrix(const char* name, uint32_t rows, uint32_t columns, PackedMatrix& matrix);
  bool check_panels(const char* name, const PackedMatrix& matrix);
  bool read_basis();
  bool read_rest();

  const Section* find(std::string_view name) const {
    for (const Section& s : view_.sections)
      if (name == s.name) return &s;
    return nullptr;
  }
  // A section of `count` records.
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
  bool check_numbers(const char* name, std::span<const float> numbers) {
    for (size_t i = 0; i < numbers.size(); ++i)
      if (!(std::fabs(numbers[i]) <= kLargest))
        return fail("section '%s', number %zu: expected one within 1e9, found %g", name, i,
                    static_cast<double>(numbers[i]));
    return true;
  }
  bool check_text(const char* name, Text t) {
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

bool all_zero(const void* bytes, size_t size) {
  const auto* b = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < size; ++i)
    if (b[i] != 0) return false;
  return true;
}

bool Reader::read_table(bool checksums) {
  if (reinterpret_cast<uintptr_t>(bytes_) % kAlignment != 0)
    return fail("expected memory aligned to %zu bytes", kAlignment);
  if (size_ < sizeof(Header)) return fail("expected a garment file, found %zu bytes", size_);
  Header header;
  std::memcpy(&header, bytes_, sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return fail("expected a garment file, found another kind (it does not begin with 'billow')");
  if (header.version != kVersion)
    return fail("expected version %u of the garment file, found version %u", kVersion, header.version);
  if (header.file_size != size_)
    return fail("expected the %llu bytes the header tells of, found %zu",
                static_cast<unsigned long long>(header.file_size), size_);
  if (header.section_count < 1 || header.section_count > kMostSections)
    return fail("expected 1 to %u sections, found %u", kMostSections, header.section_count);
  const uint64_t table_end = sizeof(Header) + uint64_t{header.section_count} * sizeof(Section);
  if (table_end > size_)
    return fail("expected %u sections, found a file that ends before", header.section_count);
  if (!all_zero(header.reserved, sizeof header.reserved))
    return fail("header: expected zeros in its reserved bytes");
  if (checksums) {
    // The header with its own field as 0, then the table.
    const uint64_t found = header.checksum;
    header.checksum = 0;
    const uint64_t sums[2] = {checksum(&header, sizeof header),
                              checksum(bytes_ + sizeof(Header), table_end - sizeof(Header))};
    if (checksum(sums, sizeof sums) != found)
      return fail("header: it is damaged (its checksum does not match)");
  }
  view_.sections = {reinterpret_cast<const Section*>(bytes_ + sizeof(Header)), header.section_count};
  view_.file = {reinterpret_cast<const char*>(bytes_), size_};

  uint64_t end = table_end;
  for (size_t i = 0; i < view_.sections.size(); ++i) {
    const Section& s = view_.sections[i];
    const size_t length = strnlen(s.name, sizeof s.name);
    if (length == 0 || length == sizeof s.name || !all_zero(s.name + length, sizeof s.name - length))
      return fail("section %zu: expected a name of 1 to %zu bytes and zeros behind it", i, sizeof s.name - 1);
    if (find(s.name) != &s) return fail("section '%s': expected one of that name, found two", s.name);
    if (s.offset != round_up(end))
      return fail("section '%s': expected it at byte %llu, found it at %llu", s.name,
                  static_cast<unsigned long long>(round_up(end)), static_cast<unsigned long long>(s.offset));
    if (s.offset > size_ || s.size > size_ - s.offset)
      return fail("section '%s': expected it to end within the file's %zu bytes, found %llu bytes at %llu",
                  s.name, size_, static_cast<unsigned long long>(s.size),
                  static_cast<unsigned long long>(s.offset));
    if (!all_zero(bytes_ + end, s.offset - end) || !all_zero(s.reserved, sizeof s.reserved))
      return fail("section '%s': expected zeros before it and in its reserved bytes", s.name);
    if (checksums && checksum(bytes_ + s.offset, s.size) != s.checksum)
      return fail("section '%s': it is damaged (its checksum does not match)", s.name);
    end = s.offset + s.size;
  }
  return end == size_ || fail("expected the file to end with its last section at byte %llu, found %zu bytes",
                              static_cast<unsigned long long>(end), size_);
}

bool Reader::read_garment_record() {
  std::span<const GarmentRecord> records;
  if (!find_array("garment", 1, records)) return false;
  const GarmentRecord& g = records[0];
  const Section* text = find("text");
  if (!text) return fail("expected a section 'text', found none");
  view_.text = view_.bytes_of(*text);
  const struct {
    const char* name;
    uint32_t found, least, most;
  } counts[] = {{"vertices", g.vertices, 3, kMostVertices},
                {"triangles", g.triangles, 1, kMostTriangles},
                {"attachments", g.attachments, 1, kMostVertices},
                {"bones", g.bones, 2, kMostBones},
                {"chains", g.chains, g.ring ? 3u : 1u, kMostChains},
                {"chain_bones", g.chain_bones, 2, kMostBones},
                {"joints", g.joints, 1, kMostJoints},
                {"colliders", g.colliders, 0, kMostColliders},
                {"key_joint", g.key_joint, 0, g.joints - 1},
                {"ring", g.ring, 0, 1},
                {"skinning_components", g.skinning_components, 1, kMostComponents},
                {"shape_components", g.shape_components, 0, kMostComponents}};
  for (const auto& c : counts)
    if (c.found < c.least || c.found > c.most)
      return fail("section 'garment', %s: expected %u to %u, found %u", c.name, c.least, c.most, c.found);
  view_.record = &g;
  return check_text("garment", g.name) && check_text("garment", g.material);
}

bool Reader::read_joints() {
  if (!find_array("joints", view_.record->joints, view_.joints)) return false;
  for (size_t i = 0; i < view_.joints.size(); ++i) {
    const JointRecord& j = view_.joints[i];
    if (!check_text("joints", j.name)) return false;
    if (j.parent < -1 || j.parent >= static_cast<int64_t>(i))
      return fail("section 'joints', record %zu: expected an earlier joint or -1 as parent, found %d", i,
                  j.parent);
    if (!check_numbers("joints", j.position) || !check_numbers("joints", j.rotation)) return false;
  }
  return true;
}

bool Reader::read_cloth() {
  const GarmentRecord& g = *view_.record;
  if (!find_array("triangles", 3 * uint64_t{g.triangles}, view_.triangles) ||
      !find_array("rest", 3 * uint64_t{g.vertices}, view_.rest) || !check_numbers("rest", view_.rest) ||
      !find_array("attachments", g.attachments, view_.attachments))
    return false;
  if (find("flat") &&
      (!find_array("flat", 2 * uint64_t{g.vertices}, view_.flat) || !check_numbers("flat", view_.flat)))
    return false;
  for (size_t i = 0; i < view_.triangles.size(); ++i)
    if (!check_below("triangles", i / 3, "a vertex", view_.triangles[i], g.vertices)) return false;
  for (size_t i = 0; i < view_.attachments.size(); ++i) {
    const AttachmentRecord& a = view_.attachments[i];
    if (!check_below("attachments", i, "a vertex", a.vertex, g.vertices)) return false;
    for (const uint32_t j : a.joints)
      if (!check_below("attachments", i, "a joint", j, g.joints)) return false;
    if (!check_weights("attachments", i, a.weights) || !check_numbers("attachments", a.rest)) return false;
  }
  return true;
}

bool Reader::read_chains() {
  const GarmentRecord& g = *view_.record;
  if (!find_array("bones", g.bones, view_.bones) || !find_array("chains", g.chains, view_.chain_sizes) ||
      !find_array("chain_bones", g.chain_bones, view_.chain_bones))
    return false;
  if (find("chain_cloth") && !find_array("chain_cloth", g.chain_bones, view_.chain_cloth)) return false;
  for (size_t i = 0; i < view_.chain_cloth.size(); ++i)
    for (const float number : {view_.chain_cloth[i].lateral_length, view_.chain_cloth[i].area})
      if (!(number >= 0 && number <= 1e6f))
        return fail("section 'chain_cloth', record %zu: expected 0 to 1e6, found %g", i,
                    static_cast<double>(number));
  for (size_t i = 0; i < view_.bones.size(); ++i) {
    for (const uint32_t v : view_.bones[i].vertices)
      if (!check_below("bones", i, "a vertex", v, g.vertices)) return false;
    if (!check_weights("bones", i, view_.bones[i].weights)) return false;
  }
  size_t next = 0;
  for (size_t c = 0; c < view_.chain_sizes.size(); ++c) {
    const uint32_t n = view_.chain_sizes[c];
    if (n < 2 || n > kMostBonesPerChain || n > view_.chain_bones.size() - next)
      return fail("section 'chains', record %zu: expected 2 to %u bones and no more than are left, found %u",
                  c, kMostBonesPerChain, n);
    for (size_t k = 0; k < n; ++k, ++next) {
      const ChainBoneRecord& b = view_.chain_bones[next];
      if (!check_below("chain_bones", next, "a bone", b.bone, g.bones)) return false;
      if (k > 0 ? !(b.max_length >= 1e-5f && b.max_length <= 1e6f) : b.max_length != 0)
        return fail("section 'chain_bones', record %zu: expected %s, found %g", next,
                    k > 0 ? "a rope of 1e-5 to 1e6 m" : "0 for a root", static_cast<double>(b.max_length));
    }
  }
  return next == view_.chain_bones.size() ||
         fail("section 'chains': expected %zu bones in all, found %zu", view_.chain_bones.size(), next);
}

bool Reader::read_colliders() {
  constexpr uint32_t kHalfSpace = 5;
  const GarmentRecord& g = *view_.record;
  if (!find_array("colliders", g.colliders, view_.colliders)) return false;
  for (size_t i = 0; i < view_.colliders.size(); ++i) {
    const ColliderRecord& c = view_.colliders[i];
    if (!check_text("colliders", c.name) ||
        !check_below("colliders", i, "a shape", c.shape, kHalfSpace + 1) ||
        !check_numbers("colliders", {c.position, 15}) || !check_numbers("colliders", {&c.blend_radius, 1}) ||
        !check_weights("colliders", i, c.weight))
      return false;
    for (const uint32_t j : c.joint)
      if (!check_below("colliders", i, "a joint", j, g.joints)) return false;
    if (c.blend_with < -1 || c.blend_with >= static_cast<int64_t>(i))
      return fail(
          "section 'colliders', record %zu: expected an earlier collider or -1 to blend with, found %d", i,
          c.blend_with);
  }
  return true;
}

bool Reader::read_network(const char* name, uint32_t outputs, NetworkView& network) {
  const Section* s = find(name);
  if (outputs == 0) return !s || fail("section '%s': expected none, as there are no components", name);
  if (!s || s->size < sizeof(NetworkRecord)) return fail("expected a section '%s' with its record", name);
  const auto& n = *reinterpret_cast<const NetworkRecord*>(bytes_ + s->offset);
  if (n.inputs != 3 * view_.record->bones || n.outputs != outputs)
    return fail("section '%s': expected %u inputs and %u outputs, found %u and %u", name,
                3 * view_.record->bones, outputs, n.inputs, n.outputs);
  if (n.layers < 1 || n.layers > kMostLayers || n.activation > 2 || n.linear > 1 || n.inputs > kMostColumns)
    return fail("section '%s': expected 1 to %u layers, activation 0 to 2, linear 0 or 1, found %u, %u, %u",
                name, kMostLayers, n.layers, n.activation, n.linear);
  uint64_t biases = 0;
  for (uint32_t k = 0; k < n.layers; ++k) {
    if (n.units[k] < 1 || n.units[k] > kMostUnits || (k + 1 == n.layers && n.units[k] != outputs))
      return fail("section '%s', layer %u: expected 1 to %u units, as many as outputs in the last, found %u",
                  name, k + 1, kMostUnits, n.units[k]);
    biases += n.units[k];
  }
  const uint64_t numbers = 2 * uint64_t{n.inputs} + outputs + biases;
  if (s->size != sizeof n + 4 * numbers)
    return fail("section '%s': expected %llu bytes, found %llu", name,
                static_cast<unsigned long long>(sizeof n + 4 * numbers),
                static_cast<unsigned long long>(s->size));
  const auto* at = reinterpret_cast<const float*>(bytes_ + s->offset + sizeof n);
  if (!check_numbers(name, {at, static_cast<size_t>(numbers)})) return false;
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

bool Reader::read_matrix(const char* name, uint32_t rows, uint32_t columns, PackedMatrix& matrix) {
  const Section* s = find(name);
  if (!s || s->size < sizeof(MatrixRecord)) return fail("expected a section '%s' with its record", name);
  const auto& m = *reinterpret_cast<const MatrixRecord*>(bytes_ + s->offset);
  if (m.rows != rows || m.columns != columns)
    return fail("section '%s': expected %u x %u numbers, found %u x %u", name, rows, columns, m.rows,
                m.columns);
  if (m.float32 > kMostColumns || m.float16 > kMostColumns || m.int8 > kMostColumns ||
      m.int4 > kMostColumns || m.float16 % 2 || m.int8 % 4 || m.int4 % 8)
    return fail(
        "section '%s': expected up to %u columns of a kind, in twos, fours and eights, found %u, %u, %u, %u",
        name, kMostColumns, m.float32, m.float16, m.int8, m.int4);
  if (s->size != matrix_size(m))
    return fail("section '%s': expected %llu bytes, found %llu", name,
                static_cast<unsigned long long>(matrix_size(m)), static_cast<unsigned long long>(s->size));
  const std::byte* at = bytes_ + s->offset;
  matrix = {.rows = rows,
            .columns = columns,
            .float32 = m.float32,
            .float16 = m.float16,
            .int8 = m.int8,
            .int4 = m.int4,
            .row_scales = nullptr,
            .stored = reinterpret_cast<const StoredColumn*>(at + sizeof m),
            .panels = at + matrix_panels_at(m)};
  matrix.row_scales = reinterpret_cast<const float*>(matrix.stored + matrix.stored_count());
  for (uint32_t j = 0; j < matrix.stored_count(); ++j) {
    const StoredColumn& c = matrix.stored[j];
    if (!check_below(name, j, "a column", c.source, columns) || !check_numbers(name, {&c.scale, 1}))
      return false;
  }
  return check_numbers(name, {matrix.row_scales, size_t{kPanelRows} * matrix.panel_count()}) &&
         check_panels(name, matrix);
}

// Integers are fine whatever they are; floats have to be finite.
bool Reader::check_panels(const char* name, const PackedMatrix& matrix) {
  const size_t wide = size_t{kPanelRows} * matrix.float32, half = size_t{kPanelRows} * matrix.float16;
  for (size_t p = 0; p < matrix.panel_count() && wide + half > 0; ++p) {
    const std::byte* panel = matrix.panels + p * matrix.panel_bytes();
    if (!check_numbers(name, {reinterpret_cast<const float*>(panel), wide})) return false;
    const auto* halves = reinterpret_cast<const uint16_t*>(panel + 4 * wide);
    for (size_t i = 0; i < half; ++i)
      if ((halves[i] & 0x7c00) == 0x7c00)
        return fail("section '%s', panel %zu: expected finite numbers", name, p);
  }
  return true;
}

bool Reader::read_basis() {
  const GarmentRecord& g = *view_.record;
  const uint32_t columns = g.skinning_components + 1 + (g.shape_components ? g.shape_components + 1 : 0);
  return read_matrix("basis", 3 * g.vertices, columns, view_.basis);
}

bool Reader::read_rest() {
  const Section* settings = find("settings");
  if (!settings || settings->size % 4 != 0 || settings->size > 4096)
    return fail("expected a section 'settings' of up to 1024 words");
  view_.settings = {reinterpret_cast<const uint32_t*>(bytes_ + settings->offset), settings->size / 4};
  if (const Section* training = find("training")) view_.training = view_.bytes_of(*training);

  // What this version does not know was put there by something it does not understand.
  constexpr std::string_view kKnown[] = {"garment",     "text",     "joints",      "triangles", "rest",
                                         "flat",        "bones",    "attachments", "chains",    "chain_bones",
                                         "chain_cloth", "settings", "colliders",   "skinning",  "shape",
                                         "basis",       "training"};
  for (const Section& s : view_.sections) {
    const std::string_view name = s.name;
    bool known = name.starts_with("extra.") || name.starts_with("skinning.") || name.starts_with("shape.");
    for (const std::string_view k : kKnown) known |= name == k;
    if (!known) return fail("expected sections of version %u, found '%s'", kVersion, s.name);
  }
  return true;
}

}  // namespace

bool read_garment(const void* bytes, size_t size, GarmentView& view, Problem& problem, bool checksums) {
  view = {};
  if (Reader(bytes, size, view, problem).read(checksums)) return true;
  view = {};
  return false;
}

}  // namespace billow::asset
