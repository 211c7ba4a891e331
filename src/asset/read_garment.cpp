// The reader of garment files: from untrusted bytes to a validated view.
//
// First the table: every section is within the file, aligned, after the one before, and matches its checksum.
// Then each section has the size that follows from the counts, and each value is one that the runtime can
// use.
#include <cstdarg>
#include <cstdio>

#include "asset/reader.h"
#include "sdf/body.h"

namespace billow::asset {
namespace {

bool all_zero(const void* bytes, size_t size) {
  const auto* b = static_cast<const unsigned char*>(bytes);
  for (size_t i = 0; i < size; ++i)
    if (b[i] != 0) return false;
  return true;
}

}  // namespace

bool Reader::fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(problem_.text, sizeof problem_.text, format, arguments);
  va_end(arguments);
  return false;
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
    return fail("expected the %llu bytes that the header states, found %zu",
                static_cast<unsigned long long>(header.file_size), size_);
  if (header.section_count < 1 || header.section_count > kMaxSections)
    return fail("expected 1 to %u sections, found %u", kMaxSections, header.section_count);
  const size_t table_end = sizeof(Header) + header.section_count * sizeof(Section);
  if (table_end > size_)
    return fail("expected %u sections, found a file that ends before", header.section_count);
  if (!all_zero(header.reserved, sizeof header.reserved))
    return fail("header: expected zeros in its reserved bytes");
  if (checksums) {
    // The checksum is of two: of the header with this field 0, and of the table.
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
    if (!all_zero(bytes_ + end, static_cast<size_t>(s.offset - end)) ||
        !all_zero(s.reserved, sizeof s.reserved))
      return fail("section '%s': expected zeros before it and in its reserved bytes", s.name);
    if (checksums && checksum(bytes_ + s.offset, static_cast<size_t>(s.size)) != s.checksum)
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
    uint32_t found, min, max;
  } counts[] = {{"vertices", g.vertices, 3, kMaxVertices},
                {"triangles", g.triangles, 1, kMaxTriangles},
                {"attachments", g.attachments, 1, kMaxVertices},
                {"bones", g.bones, 2, kMaxBones},
                {"chains", g.chains, g.closed ? 3u : 1u, kMaxChains},
                {"chain_bones", g.chain_bones, 2, kMaxBones},
                {"joints", g.joints, 1, kMaxJoints},
                {"colliders", g.colliders, 0, kMaxColliders},
                {"key_joint", g.key_joint, 0, g.joints - 1},
                {"closed", g.closed, 0, 1},
                {"skinning_components", g.skinning_components, 0, kMaxComponents},
                {"shape_components", g.shape_components, 0, g.skinning_components ? kMaxComponents : 0}};
  for (const auto& c : counts)
    if (c.found < c.min || c.found > c.max)
      return fail("section 'garment', %s: expected %u to %u, found %u", c.name, c.min, c.max, c.found);
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
    if (!check_floats("joints", j.position) || !check_floats("joints", j.rotation)) return false;
  }
  return true;
}

bool Reader::read_cloth() {
  const GarmentRecord& g = *view_.record;
  if (!find_array("triangles", 3 * uint64_t{g.triangles}, view_.triangles) ||
      !find_array("rest", 3 * uint64_t{g.vertices}, view_.rest) || !check_floats("rest", view_.rest) ||
      !find_array("attachments", g.attachments, view_.attachments))
    return false;
  if (find("pattern") && (!find_array("pattern", 2 * uint64_t{g.vertices}, view_.pattern_uvs) ||
                          !check_floats("pattern", view_.pattern_uvs)))
    return false;
  for (size_t i = 0; i < view_.triangles.size(); ++i)
    if (!check_below("triangles", i / 3, "a vertex", view_.triangles[i], g.vertices)) return false;
  for (size_t i = 0; i < view_.attachments.size(); ++i) {
    const AttachmentRecord& a = view_.attachments[i];
    if (!check_below("attachments", i, "a vertex", a.vertex, g.vertices)) return false;
    for (const uint32_t j : a.joints)
      if (!check_below("attachments", i, "a joint", j, g.joints)) return false;
    if (!check_weights("attachments", i, a.weights) || !check_floats("attachments", a.rest)) return false;
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
    for (const float value : {view_.chain_cloth[i].lateral_length, view_.chain_cloth[i].area})
      if (!(value >= 0 && value <= 1e6f))
        return fail("section 'chain_cloth', record %zu: expected 0 to 1e6, found %g", i,
                    static_cast<double>(value));
  for (size_t i = 0; i < view_.bones.size(); ++i) {
    for (const uint32_t v : view_.bones[i].vertices)
      if (!check_below("bones", i, "a vertex", v, g.vertices)) return false;
    if (!check_weights("bones", i, view_.bones[i].weights)) return false;
  }
  if (find("correction") && !read_network("correction", 3 * g.bones, 3 * g.bones, view_.correction))
    return false;
  if (find("force") && !read_network("force", kForceInputs, 3, view_.force)) return false;
  size_t next = 0;
  for (size_t c = 0; c < view_.chain_sizes.size(); ++c) {
    const uint32_t n = view_.chain_sizes[c];
    if (n < 2 || n > kMaxBonesPerChain || n > view_.chain_bones.size() - next)
      return fail("section 'chains', record %zu: expected 2 to %u bones and no more than are left, found %u",
                  c, kMaxBonesPerChain, n);
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
        !check_floats("colliders", {c.position, 15}) || !check_floats("colliders", {&c.blend_radius, 1}) ||
        !check_weights("colliders", i, c.weight))
      return false;
    for (const uint32_t j : c.joint)
      if (!check_below("colliders", i, "a joint", j, g.joints)) return false;
    if (!check_below("colliders", i, "a group", c.group, kColliderGroups)) return false;
    if (c.blend_with < -1 || c.blend_with >= static_cast<int64_t>(i))
      return fail(
          "section 'colliders', record %zu: expected an earlier collider or -1 to blend with, found %d", i,
          c.blend_with);
  }
  return true;
}

bool Reader::read_remaining() {
  const Section* settings = find("settings");
  if (!settings || settings->size % 4 != 0 || settings->size > 4096)
    return fail("expected a section 'settings' of up to 1024 words");
  view_.settings = {reinterpret_cast<const uint32_t*>(bytes_ + settings->offset),
                    static_cast<size_t>(settings->size / 4)};
  if (const Section* training = find("training")) view_.training = view_.bytes_of(*training);

  // Refuse unknown sections: they are from a version that this one cannot interpret.
  constexpr std::string_view kKnown[] = {"garment",   "text",        "joints",      "triangles",
                                         "rest",      "pattern",     "attachments", "bones",
                                         "chains",    "chain_bones", "chain_cloth", "settings",
                                         "colliders", "training",    "blend.bones", "blend.weights"};
  constexpr std::string_view kPatches[] = {"patches", "correction", "force"},
                             kWholeCloth[] = {"skinning", "shape", "basis", "correction", "force"};
  const std::span<const std::string_view> decoder = by_patches()
                                                        ? std::span<const std::string_view>(kPatches)
                                                        : std::span<const std::string_view>(kWholeCloth);
  for (const Section& s : view_.sections) {
    const std::string_view name = s.name;
    bool known = name.starts_with("extra.");
    for (const std::string_view k : kKnown) known |= name == k;
    // Sections of the decoder: "shape", "shape.1".
    for (const std::string_view k : decoder) known |= name.substr(0, name.find('.')) == k;
    if (!known) return fail("expected sections of version %u, found '%s'", kVersion, s.name);
  }
  return true;
}

bool read_garment(const void* bytes, size_t size, GarmentView& view, Problem& problem, bool checksums) {
  view = {};
  if (Reader(bytes, size, view, problem).read(checksums)) return true;
  view = {};
  return false;
}

}  // namespace billow::asset
