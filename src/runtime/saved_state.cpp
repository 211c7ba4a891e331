// Saved states of chains and of instances: a header that names the layout, then everything that decides the future.
#include <cstring>
#include <initializer_list>

#include "runtime/instance.h"

namespace billow {
namespace {

struct Header {
  char magic[4];
  uint32_t version;
  uint32_t count, layout;  // of chains, and a hash of their bone counts; or of colliders and vertices
  uint64_t size, hash;     // of the payload
};
constexpr char kChainsMagic[4] = {'B', 'L', 'C', 'S'}, kInstanceMagic[4] = {'B', 'L', 'I', 'S'};
constexpr uint32_t kVersion = 5, kInstanceVersion = 7;

// Visits every value of the state as bytes, in a fixed order: what moves, then all of it.
template <class F> void visit_moving(Chains& chains, F f) {
  auto bytes = [&](auto& value) { f(reinterpret_cast<unsigned char*>(&value), sizeof value); };
  ChainSet& set = chains.set;
  for (uint8_t* flag : {&chains.has_space, &chains.started, &chains.fresh, &chains.paused}) bytes(*flag);
  bytes(chains.time);
  bytes(chains.force_left);
  bytes(chains.settings.scale);
  bytes(chains.space);
  f(set.self.sides, set.self.side_bytes(set.layout));
  for (int c = 0; c < set.layout.chains; ++c) {
    bytes(chains.roots[c]);
    bytes(set.energy_lost[set.layout.at(0, c)]);
    for (int i = 0; i < set.bones[c]; ++i) {
      size_t at = set.layout.at(i, c);
      for (float* p : {set.x.x, set.x.y, set.x.z, set.v.x, set.v.y, set.v.z, set.tension, set.impulse,
                       set.learnt.x, set.learnt.y, set.learnt.z})
        bytes(p[at]);
    }
  }
}
template <class F> void visit(Chains& chains, F f) {
  auto bytes = [&](auto& value) { f(reinterpret_cast<unsigned char*>(&value), sizeof value); };
  visit_moving(chains, f);
  bytes(chains.set.wind_origin);
  Sleep& s = chains.sleep;
  bytes(s.stirred), bytes(s.resting), bytes(s.colliders), bytes(s.asleep);
  const Layout& lay = chains.set.layout;
  for (int c = 0; c < lay.chains; ++c)
    for (int i = 0; i < chains.set.bones[c]; ++i)
      for (float* p : {chains.rest_places.x, chains.rest_places.y, chains.rest_places.z})
        bytes(p[lay.at(i, c)]);
}

uint64_t fnv(const unsigned char* p, size_t n, uint64_t hash) {
  for (size_t i = 0; i < n; ++i) hash = (hash ^ p[i]) * 1099511628211ull;
  return hash;
}
constexpr uint64_t kHashStart = 14695981039346656037ull;

uint32_t layout_hash(const Chains& chains) {
  uint64_t hash = kHashStart;
  for (int c = 0; c < chains.set.layout.chains; ++c)
    hash = (hash ^ static_cast<uint64_t>(chains.set.bones[c])) * 1099511628211ull;
  return static_cast<uint32_t>(hash ^ hash >> 32);
}

// The only state of a body is where its colliders are: the next pose moves them from there.
template <class F> void visit(Body& body, F f) {
  auto bytes = [&](auto& value) { f(reinterpret_cast<unsigned char*>(&value), sizeof value); };
  bytes(body.posed);
  bytes(body.scale);
  for (int c = 0; c < body.collider_count; ++c) bytes(body.now[c]);
}

// What is of no use is saved as such.
template <class F> void visit(LengthState& lengths, F f) {
  f(reinterpret_cast<unsigned char*>(&lengths.fresh), sizeof lengths.fresh);
  f(reinterpret_cast<unsigned char*>(&lengths.key), sizeof lengths.key);
  for (int16_t* values : {lengths.offsets, lengths.places})
    f(reinterpret_cast<unsigned char*>(values), 3 * sizeof(int16_t) * lengths.vertices);
}

template <class F> void visit(PaceState& pace, F f) {
  f(reinterpret_cast<unsigned char*>(&pace.fresh), sizeof pace.fresh);
  f(reinterpret_cast<unsigned char*>(pace.shown), sizeof(float) * pace.count);
}

// Places that are not known are left out.
template <class F> void visit(InBetween& b, F f) {
  auto bytes = [&](auto& value) { f(reinterpret_cast<unsigned char*>(&value), sizeof value); };
  bytes(b.frame), bytes(b.waited), bytes(b.left), bytes(b.known);
  bytes(b.key), bytes(b.before), bytes(b.scale);
  if (b.known)
    for (int16_t* places : {b.shown, b.computed})
      f(reinterpret_cast<unsigned char*>(places), sizeof(int16_t) * b.values);
}

template <class State> size_t payload_size(const State& state) {
  size_t n = 0;
  visit(const_cast<State&>(state), [&](unsigned char*, size_t size) { n += size; });
  return n;
}

template <class State> void write(const State& state, unsigned char* to) {
  visit(const_cast<State&>(state), [&](unsigned char* p, size_t n) {
    std::memcpy(to, p, n);
    to += n;
  });
}

template <class State> void read(State& state, const unsigned char* from) {
  visit(state, [&](unsigned char* p, size_t n) {
    std::memcpy(p, from, n);
    from += n;
  });
}

// Returns what is wrong with bytes that should begin with the header `expected` (its hash aside), or null.
const char* check(const Header& expected, const unsigned char* bytes, size_t size, const char* another_kind) {
  Header h;
  if (size < sizeof h) return "too short for a saved state";
  std::memcpy(&h, bytes, sizeof h);
  if (std::memcmp(h.magic, expected.magic, 4) != 0) return another_kind;
  if (h.version != expected.version) return "a saved state of another version";
  if (h.count != expected.count || h.layout != expected.layout) return "a saved state with another layout";
  if (h.size != expected.size || size < sizeof h + h.size) return "a truncated saved state";
  if (fnv(bytes + sizeof h, static_cast<size_t>(h.size), kHashStart) != h.hash)
    return "a damaged saved state (its checksum does not match)";
  return nullptr;
}

Header header_of(const Chains& chains) {
  Header h{{},
           kVersion,
           static_cast<uint32_t>(chains.set.layout.chains),
           layout_hash(chains),
           payload_size(chains),
           0};
  std::memcpy(h.magic, kChainsMagic, 4);
  return h;
}

// What is between frames is known or not: the layout has a bit for it.
constexpr uint32_t kHasPlaces = 1u << 31;

// Visits all state of an instance after its chains'.
template <class F> void visit_all(Instance& instance, Body& body, F f) {
  visit(body, f);
  visit(instance.lengths, f);
  visit(instance.pace, f);
  visit(instance.between, f);
}

Header header_of(const Instance& instance, const Body& body) {
  uint64_t size = state_size(*instance.chains);
  visit_all(const_cast<Instance&>(instance), const_cast<Body&>(body),
            [&](unsigned char*, size_t n) { size += n; });
  Header h{{},
           kInstanceVersion,
           static_cast<uint32_t>(body.collider_count),
           instance.garment->vertices() | (instance.between.known ? kHasPlaces : 0),
           size,
           0};
  std::memcpy(h.magic, kInstanceMagic, 4);
  return h;
}

}  // namespace

size_t state_size(const Chains& chains) { return sizeof(Header) + payload_size(chains); }

uint64_t state_hash(const Chains& chains) {
  uint64_t hash = kHashStart;
  const auto add = [&](unsigned char* p, size_t n) { hash = fnv(p, n, hash); };
  // Without the origin where it has never been shifted, so that hashes of such chains stay what they have been.
  const V3 origin = chains.set.wind_origin;
  const bool shifted = origin.x != 0 || origin.y != 0 || origin.z != 0;
  shifted ? visit(const_cast<Chains&>(chains), add) : visit_moving(const_cast<Chains&>(chains), add);
  return hash;
}

void save_state(const Chains& chains, unsigned char* out) {
  Header h = header_of(chains);
  write(chains, out + sizeof h);
  h.hash = fnv(out + sizeof h, static_cast<size_t>(h.size), kHashStart);
  std::memcpy(out, &h, sizeof h);
}

const char* restore_state(Chains& chains, const unsigned char* bytes, size_t size, RestoredScale restored) {
  if (const char* wrong = check(header_of(chains), bytes, size, "not a saved state of chains")) return wrong;
  const float present = chains.settings.scale;
  read(chains, bytes + sizeof(Header));
  const float saved = chains.settings.scale;
  if (saved == present) return nullptr;
  // Settings stay as they are, so that lengths and radii are still those of the present scale.
  Settings rescaled = chains.settings;
  if (restored == RestoredScale::kPresent) {
    rescaled.scale = present;
    apply_settings(chains, rescaled);
  } else {
    chains.settings.scale = present;
    apply_settings(chains, rescaled);
    read(chains, bytes + sizeof(Header));  // what resizing moved
  }
  return nullptr;
}

size_t state_size(const Instance& instance, const Body& body) {
  return sizeof(Header) + static_cast<size_t>(header_of(instance, body).size);
}

void save_state(const Instance& instance, const Body& body, unsigned char* out) {
  Header h = header_of(instance, body);
  unsigned char *const payload = out + sizeof h, *to = payload + state_size(*instance.chains);
  save_state(*instance.chains, payload);
  visit_all(const_cast<Instance&>(instance), const_cast<Body&>(body), [&](unsigned char* p, size_t n) {
    std::memcpy(to, p, n);
    to += n;
  });
  h.hash = fnv(payload, static_cast<size_t>(h.size), kHashStart);
  std::memcpy(out, &h, sizeof h);
}

const char* restore_state(Instance& instance, Body& body, const unsigned char* bytes, size_t size) {
  Header h{};
  if (size >= sizeof h) std::memcpy(&h, bytes, sizeof h);
  const uint8_t known = instance.between.known;
  instance.between.known = (h.layout & kHasPlaces) != 0;
  const unsigned char* const payload = bytes + sizeof h;
  const size_t chains_size = state_size(*instance.chains);
  const char* wrong = check(header_of(instance, body), bytes, size, "not a saved state of an instance");
  // The character's scale comes with every frame, hence it is the state's here, not a setting.
  if (!wrong) wrong = restore_state(*instance.chains, payload, chains_size, RestoredScale::kSaved);
  if (wrong) {
    instance.between.known = known;
    return wrong;
  }
  const unsigned char* from = payload + chains_size;
  visit_all(instance, body, [&](unsigned char* p, size_t n) {
    std::memcpy(p, from, n);
    from += n;
  });
  return nullptr;
}

}  // namespace billow
