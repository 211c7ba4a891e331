#include <cstdio>
#include <cstring>

#include "api/handles.h"
#include "api/settings_words.h"

namespace billow::api {
namespace {

// Owns memory of the allocator.
class Block {
 public:
  Block(const billow_allocator& allocator, size_t bytes)
      : allocator_(allocator), memory_(allocator.allocate(allocator.user, bytes, Arena::kAlignment)) {}
  ~Block() {
    if (memory_) allocator_.release(allocator_.user, memory_);
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  void* get() const { return memory_; }
  void* take() {
    void* memory = memory_;
    memory_ = nullptr;
    return memory;
  }

 private:
  billow_allocator allocator_;
  void* memory_;
};

billow_status no_memory(size_t bytes) {
  return fail(BILLOW_ERROR_OUT_OF_MEMORY, "no memory for a garment file of %zu bytes", bytes);
}

void release(billow_garment* garment) {
  garment->magic = 0;
  const billow_allocator allocator = garment->allocator;
  if (garment->copy) allocator.release(allocator.user, garment->copy);
  allocator.release(allocator.user, garment);
}

// Creates chains and body once, to check what only they can check.
billow_status try_on(const billow_garment& garment) {
  if (const int chain = chain_without_attachment(garment.garment); chain >= 0)
    return fail(BILLOW_ERROR_BAD_DATA, "garment file: expected chain %d to hang on an attachment, found none",
                chain);
  billow_chains* chains = nullptr;
  billow_body* body = nullptr;
  billow_status bad = create_chains(garment.garment, garment.allocator, &chains);
  if (!bad) bad = create_body(garment.garment, garment.allocator, &body);
  billow_chains_destroy(chains);
  billow_body_destroy(body);
  if (bad != BILLOW_ERROR_INVALID_ARGUMENT) return bad;
  char why[400];
  std::snprintf(why, sizeof why, "%s", billow_last_error());
  return fail(BILLOW_ERROR_BAD_DATA, "garment file: %s", why);
}

// The levels of lengths, in scratch memory. With a null arena it only measures.
LengthLevels find_lengths(const asset::GarmentView& view, const NormalScratch& around, Arena& scratch) {
  auto* vertices = scratch.take<uint32_t>(view.attachments.size());
  for (size_t k = 0; vertices && k < view.attachments.size(); ++k) vertices[k] = view.attachments[k].vertex;
  const LengthMesh mesh{.around = around,
                        .rest = view.rest.data(),
                        .pattern_uvs = view.pattern_uvs.empty() ? nullptr : view.pattern_uvs.data(),
                        .vertices = view.record->vertices,
                        .triangles = view.record->triangles,
                        .attached = {vertices, view.attachments.size()}};
  return find_length_levels(mesh, scratch);
}

// From bytes that outlive the garment.
billow_status create(const void* bytes, size_t size, const billow_allocator& allocator,
                     billow_garment*& out) {
  Garment g;
  asset::Problem problem;
  if (!asset::read_garment(bytes, size, g.view, problem))
    return fail(BILLOW_ERROR_BAD_DATA, "garment file: %s", problem.text);
  const asset::GarmentRecord& r = *g.view.record;
  const size_t first = size_t{r.vertices} + 1, corners = 6 * size_t{r.triangles};
  Block memory(allocator, (first + corners) * sizeof(uint32_t));
  if (!memory.get()) return no_memory(size);
  const NormalScratch scratch{static_cast<uint32_t*>(memory.get()),
                              static_cast<uint32_t*>(memory.get()) + first};
  if (!asset::check_tiles(g.view, scratch.first, problem))
    return fail(BILLOW_ERROR_BAD_DATA, "garment file: %s", problem.text);
  find_normal_polygons(g.view.triangles.data(), r.triangles, r.vertices, scratch, g.normals);
  if (!g.view.pattern_uvs.empty()) g.tangents.count = count_neighbours(scratch, r.vertices);
  Arena measured;
  find_lengths(g.view, scratch, measured);
  Block length_memory(allocator, measured.used());
  if (!length_memory.get()) return no_memory(size);
  Arena length_scratch(length_memory.get());
  g.lengths = find_lengths(g.view, scratch, length_scratch);

  out = create_in_one_block<billow_garment>(allocator, [&](billow_garment& made, Arena& arena) {
    made.garment.view = g.view;
    made.garment.normals.more_count = g.normals.more_count;
    made.garment.tangents.count = g.tangents.count;
    made.garment.lengths = g.lengths;
    build(made.garment, scratch, arena);
  });
  if (!out) return no_memory(size);
  out->magic = kGarmentMagic;
  if (billow_status bad = try_on(*out)) {
    release(out);
    out = nullptr;
    return bad;
  }
  return BILLOW_OK;
}

billow_status create_from_copy(Block& copy, size_t size, const billow_allocator& allocator,
                               billow_garment** out) {
  billow_garment* garment = nullptr;
  if (billow_status bad = create(copy.get(), size, allocator, garment)) return bad;
  garment->copy = copy.take();
  *out = garment;
  return BILLOW_OK;
}

billow_status check_allocator(const billow_allocator* allocator) {
  if (allocator && (!allocator->allocate || !allocator->release))
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "allocator: expected both functions, found NULL");
  return BILLOW_OK;
}

billow_status write_text(std::string_view text, char* out, size_t capacity) {
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a buffer, found NULL");
  if (capacity <= text.size())
    return fail(BILLOW_ERROR_BUFFER_TOO_SMALL, "capacity: expected at least %zu bytes, found %zu",
                text.size() + 1, capacity);
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return BILLOW_OK;
}

// A buffer for `needed` elements.
billow_status check_room(const void* out, uint32_t capacity, uint32_t needed, const char* what) {
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a buffer, found NULL");
  if (capacity < needed)
    return fail(BILLOW_ERROR_BUFFER_TOO_SMALL, "capacity: expected at least %u %s, found %u", needed, what,
                capacity);
  return BILLOW_OK;
}

billow_status check_collider_index(const billow_garment* garment, uint32_t index) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  const uint32_t count = garment->garment.view.record->colliders;
  if (index >= count)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "index: expected less than %u, found %u", count, index);
  return BILLOW_OK;
}

struct File {
  explicit File(const char* path) : handle(std::fopen(path, "rb")) {}
  ~File() {
    if (handle) std::fclose(handle);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::FILE* handle;
};

}  // namespace

billow_settings settings_of(const Garment& garment) {
  billow_settings settings = billow_settings_default();
  read_settings_words(garment.view.settings, settings);
  return settings;
}

}  // namespace billow::api

using namespace billow;
using namespace billow::api;

extern "C" {

billow_status billow_garment_create(const billow_garment_desc* desc, billow_garment** out) {
  if (!desc || !out)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "desc and out: expected pointers, found NULL");
  *out = nullptr;
  if (!desc->bytes)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "desc.bytes: expected a file's bytes, found NULL");
  if (billow_status bad = check_allocator(desc->allocator)) return bad;
  const billow_allocator allocator = allocator_or_malloc(desc->allocator);
  if (!desc->keep) {
    Block copy(allocator, desc->size > 0 ? desc->size : 1);
    if (!copy.get()) return no_memory(desc->size);
    std::memcpy(copy.get(), desc->bytes, desc->size);
    return create_from_copy(copy, desc->size, allocator, out);
  }
  if (reinterpret_cast<uintptr_t>(desc->bytes) % asset::kAlignment != 0)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT,
                "desc.bytes: expected a multiple of %zu to keep them, found %p", asset::kAlignment,
                desc->bytes);
  billow_garment* garment = nullptr;
  if (billow_status bad = create(desc->bytes, desc->size, allocator, garment)) return bad;
  *out = garment;
  return BILLOW_OK;
}

billow_status billow_garment_load(const char* path, const billow_allocator* given, billow_garment** out) {
  if (!path || !out)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "path and out: expected pointers, found NULL");
  *out = nullptr;
  if (billow_status bad = check_allocator(given)) return bad;
  const File file(path);
  long size = -1;
  if (file.handle && std::fseek(file.handle, 0, SEEK_END) == 0) size = std::ftell(file.handle);
  if (size < 0 || std::fseek(file.handle, 0, SEEK_SET) != 0)
    return fail(BILLOW_ERROR_CANNOT_READ, "%s: expected a file, found none that can be read", path);
  const size_t bytes = static_cast<size_t>(size);
  const billow_allocator allocator = allocator_or_malloc(given);
  Block copy(allocator, bytes > 0 ? bytes : 1);
  if (!copy.get()) return no_memory(bytes);
  if (std::fread(copy.get(), 1, bytes, file.handle) != bytes)
    return fail(BILLOW_ERROR_CANNOT_READ, "%s: expected %zu bytes, found fewer", path, bytes);
  return create_from_copy(copy, bytes, allocator, out);
}

void billow_garment_destroy(billow_garment* garment) {
  if (valid(garment)) release(garment);
}

uint32_t billow_garment_vertex_count(const billow_garment* g) {
  return valid(g) ? g->garment.view.record->vertices : 0;
}
uint32_t billow_garment_triangle_count(const billow_garment* g) {
  return valid(g) ? g->garment.view.record->triangles : 0;
}
uint32_t billow_garment_bone_count(const billow_garment* g) {
  return valid(g) ? g->garment.view.record->bones : 0;
}
uint32_t billow_garment_joint_count(const billow_garment* g) {
  return valid(g) ? g->garment.view.record->joints : 0;
}
uint32_t billow_garment_key_joint(const billow_garment* g) {
  return valid(g) ? g->garment.view.record->key_joint : 0;
}

billow_status billow_garment_get_name(const billow_garment* garment, char* out, size_t capacity) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  const asset::GarmentView& v = garment->garment.view;
  return write_text(v.text_of(v.record->name), out, capacity);
}

billow_status billow_garment_get_joint_name(const billow_garment* garment, uint32_t joint, char* out,
                                            size_t capacity) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  const asset::GarmentView& v = garment->garment.view;
  if (joint >= v.joints.size())
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "joint: expected less than %zu, found %u", v.joints.size(),
                joint);
  return write_text(v.text_of(v.joints[joint].name), out, capacity);
}

billow_status billow_garment_get_joint_rest(const billow_garment* garment, billow_transform* out,
                                            uint32_t capacity) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  const Garment& g = garment->garment;
  const uint32_t count = g.view.record->joints;
  if (billow_status bad = check_room(out, capacity, count, "joints")) return bad;
  for (uint32_t j = 0; j < count; ++j) {
    const Transform t = inverse(g.joint_rest_inverse[j]);
    out[j] = {{t.position.x, t.position.y, t.position.z},
              {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w}};
  }
  return BILLOW_OK;
}

billow_status billow_garment_get_joint_parents(const billow_garment* garment, int32_t* out,
                                               uint32_t capacity) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  const asset::GarmentView& v = garment->garment.view;
  if (billow_status bad = check_room(out, capacity, v.record->joints, "joints")) return bad;
  for (uint32_t j = 0; j < v.record->joints; ++j) out[j] = v.joints[j].parent;
  return BILLOW_OK;
}

uint32_t billow_garment_collider_count(const billow_garment* g) {
  return valid(g) ? g->garment.view.record->colliders : 0;
}

billow_status billow_garment_get_collider(const billow_garment* garment, uint32_t index,
                                          billow_collider* out) {
  if (billow_status bad = check_collider_index(garment, index)) return bad;
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  *out = collider_of(garment->garment.view.colliders[index]);
  return BILLOW_OK;
}

billow_status billow_garment_get_collider_name(const billow_garment* garment, uint32_t index, char* out,
                                               size_t capacity) {
  if (billow_status bad = check_collider_index(garment, index)) return bad;
  const asset::GarmentView& v = garment->garment.view;
  return write_text(v.text_of(v.colliders[index].name), out, capacity);
}

billow_status billow_garment_get_triangles(const billow_garment* garment, uint32_t* out, uint32_t capacity) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  const asset::GarmentView& v = garment->garment.view;
  if (billow_status bad = check_room(out, capacity, v.record->triangles, "triangles")) return bad;
  std::memcpy(out, v.triangles.data(), v.triangles.size_bytes());
  return BILLOW_OK;
}

billow_status billow_garment_get_uvs(const billow_garment* garment, float* out, uint32_t capacity) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  const asset::GarmentView& v = garment->garment.view;
  if (billow_status bad = check_room(out, capacity, v.record->vertices, "vertices")) return bad;
  std::memset(out, 0, 2 * sizeof(float) * v.record->vertices);
  if (!v.pattern_uvs.empty()) std::memcpy(out, v.pattern_uvs.data(), v.pattern_uvs.size_bytes());
  return BILLOW_OK;
}

billow_status billow_garment_get_settings(const billow_garment* garment, billow_settings* out) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  if (!out) return fail(BILLOW_ERROR_INVALID_ARGUMENT, "out: expected a pointer, found NULL");
  *out = settings_of(garment->garment);
  return BILLOW_OK;
}

billow_status billow_garment_get_section(const billow_garment* garment, const char* name, const void** bytes,
                                         size_t* size) {
  if (!valid(garment)) return fail(BILLOW_ERROR_INVALID_ARGUMENT, kNotGarment);
  if (!name || !bytes || !size)
    return fail(BILLOW_ERROR_INVALID_ARGUMENT, "name, bytes and size: expected pointers, found NULL");
  *bytes = nullptr;
  *size = 0;
  const asset::GarmentView& v = garment->garment.view;
  for (const asset::Section& s : v.sections)
    if (std::strcmp(s.name, name) == 0) *bytes = v.bytes_of(s).data(), *size = v.bytes_of(s).size();
  return BILLOW_OK;
}

}  // extern "C"
