// The objects behind the C API's handles, and how their functions report errors.
#pragma once

#include <billow/billow.h>

#include <new>

#include "runtime/chains.h"
#include "runtime/layer.h"

// A collider as the caller gave it, with copies of what it points to.
struct billow_described_collider {
  billow_collider collider;
  billow_sdf_grid grid;
  billow_neural_sdf neural;
};

struct billow_body {
  uint32_t magic;
  billow_allocator allocator;
  billow::Body body;
  billow_described_collider* described;
  billow::Transform* joints;  // scratch of a pose
  billow::Layer layer;        // of the outside of a garment; else without one
};

struct billow_chains {
  uint32_t magic;
  billow_allocator allocator;
  billow::Chains chains;
  billow_settings settings;
  billow::Transform* roots;     // scratch of a step
  const billow::Body** others;  // likewise
};

struct billow_garment {
  uint32_t magic;
  billow_allocator allocator;
  billow::Garment garment;
  void* copy;  // of the file; null if the caller's bytes are used in place
};

struct billow_instance {
  uint32_t magic;
  billow_allocator allocator;
  billow::Instance instance;
  billow_chains* chains;
  billow_body* body;
  billow_instance_options options;
  billow::Transform* joints;    // scratch of a frame
  const billow::Body** others;  // likewise
  int other_count;
  bool in_crowd;  // scratch of a crowd's check
};

namespace billow::api {

inline constexpr uint32_t kBodyMagic = 0x79646f62;    // "body"
inline constexpr uint32_t kChainsMagic = 0x6e696863;  // "chin"

inline constexpr uint32_t kGarmentMagic = 0x6d726167;   // "garm"
inline constexpr uint32_t kInstanceMagic = 0x74736e69;  // "inst"

inline constexpr char kNotBody[] = "body: expected a billow_body, found NULL or something else";
inline constexpr char kNotChains[] = "chains: expected billow_chains, found NULL or something else";
inline constexpr char kNotGarment[] = "garment: expected a billow_garment, found NULL or something else";
inline constexpr char kNotInner[] = "inner: expected a billow_instance, found NULL or something else";
inline constexpr char kNotInstance[] = "instance: expected a billow_instance, found NULL or something else";

// Stores the message (printf style) for billow_last_error and returns the status.
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
billow_status
fail(billow_status status, const char* format, ...);

inline bool valid(const billow_body* b) { return b && b->magic == kBodyMagic; }
inline bool valid(const billow_chains* c) { return c && c->magic == kChainsMagic; }

inline bool valid(const billow_garment* g) { return g && g->magic == kGarmentMagic; }
inline bool valid(const billow_instance* i) { return i && i->magic == kInstanceMagic; }

billow_allocator allocator_or_malloc(const billow_allocator* given);

// Reads transforms; says which one is not finite.
billow_status read_transforms(const char* what, const billow_transform* in, uint32_t count, Transform* out);
billow_status check_finite(const char* what, const float* values, size_t count);
// Of a shift of the origin.
billow_status read_offset(const float* offset, V3& out);
// Reads the other bodies of a step or frame, but for `body` where it is among them. Says what is wrong with them: all together may
// have no more colliders than `capacity`. `out` has room for so many bodies.
billow_status read_others(const char* what, const billow_body* const* others, uint32_t count,
                          const billow_body* body, int capacity, const Body** out, int& out_count);
// Reads settings into the runtime's form, or says which field is out of range.
billow_status read_settings(const billow_settings& in, Settings& out);

// Settings, colliders, chains and body of a garment file.
billow_settings settings_of(const Garment& garment);
billow_collider collider_of(const asset::ColliderRecord& record);
billow_status create_chains(const Garment& garment, const billow_allocator& allocator, billow_chains** out);
billow_status create_body(const Garment& garment, const billow_allocator& allocator, billow_body** out);

// Builds an object of type T plus its arena in one block: `build(object, arena)` runs once to measure and
// once to fill.
template <class T, class Build> T* create_in_one_block(const billow_allocator& allocator, Build build) {
  T measured{};
  Arena measure;
  measure.take<T>(1);
  build(measured, measure);
  void* block = allocator.allocate(allocator.user, measure.used(), Arena::kAlignment);
  if (!block) return nullptr;
  Arena arena(block);
  T* object = new (arena.take<T>(1)) T{};
  build(*object, arena);
  object->allocator = allocator;
  return object;
}

}  // namespace billow::api
