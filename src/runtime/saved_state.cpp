// Saved state: a header that names the layout, then everything that decides the future.
#include <cstring>
#include <initializer_list>

#include "runtime/chains.h"

namespace billow {
namespace {

struct Header {
  char magic[4];
  uint32_t version;
  uint32_t chains, layout;  // how many, and a hash of their bone counts
  uint64_t size, hash;      // of the payload
};
constexpr char kMagic[4] = {'B', 'L', 'C', 'S'};
constexpr uint32_t kVersion = 1;

// Visits every value of the state as bytes, in a fixed order.
template <class F> void visit(Chains& chains, F f) {
  auto bytes = [&](auto& value) { f(reinterpret_cast<unsigned char*>(&value), sizeof value); };
  ChainSet& set = chains.set;
  for (uint8_t* flag : {&chains.has_space, &chains.started, &chains.fresh, &chains.paused}) bytes(*flag);
  bytes(chains.time);
  bytes(chains.settings.scale);
  bytes(chains.space);
  for (int c = 0; c < set.layout.chains; ++c) {
    bytes(chains.roots[c]);
    bytes(set.energy_lost[set.layout.at(0, c)]);
    for (int i = 0; i < set.bones[c]; ++i) {
      size_t at = set.layout.at(i, c);
      for (float* p : {set.x.x, set.x.y, set.x.z, set.v.x, set.v.y, set.v.z, set.tension, set.impulse})
        bytes(p[at]);
    }
  }
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

size_t payload_size(const Chains& chains) {
  size_t n = 0;
  visit(const_cast<Chains&>(chains), [&](unsigned char*, size_t size) { n += size; });
  return n;
}

}  // namespace

size_t state_size(const Chains& chains) { return sizeof(Header) + payload_size(chains); }

uint64_t state_hash(const Chains& chains) {
  uint64_t hash = kHashStart;
  visit(const_cast<Chains&>(chains), [&](unsigned char* p, size_t n) { hash = fnv(p, n, hash); });
  return hash;
}

void save_state(const Chains& chains, unsigned char* out) {
  Header h{{},
           kVersion,
           static_cast<uint32_t>(chains.set.layout.chains),
           layout_hash(chains),
           payload_size(chains),
           state_hash(chains)};
  std::memcpy(h.magic, kMagic, 4);
  std::memcpy(out, &h, sizeof h);
  unsigned char* to = out + sizeof h;
  visit(const_cast<Chains&>(chains), [&](unsigned char* p, size_t n) {
    std::memcpy(to, p, n);
    to += n;
  });
}

const char* restore_state(Chains& chains, const unsigned char* bytes, size_t size) {
  Header h;
  if (size < sizeof h) return "too short for a saved state";
  std::memcpy(&h, bytes, sizeof h);
  if (std::memcmp(h.magic, kMagic, 4) != 0) return "not a saved state of chains";
  if (h.version != kVersion) return "a saved state of another version";
  if (h.chains != static_cast<uint32_t>(chains.set.layout.chains) || h.layout != layout_hash(chains))
    return "the saved state of chains with another layout";
  if (h.size != payload_size(chains) || size < sizeof h + h.size) return "a truncated saved state";
  const unsigned char* from = bytes + sizeof h;
  if (fnv(from, payload_size(chains), kHashStart) != h.hash)
    return "a damaged saved state (its checksum does not match)";
  float scale = chains.settings.scale;
  visit(chains, [&](unsigned char* p, size_t n) {
    std::memcpy(p, from, n);
    from += n;
  });
  // The settings stay as they are; a state saved at another scale is resized to the present one.
  if (chains.settings.scale != scale) {
    Settings now = chains.settings;
    now.scale = scale;
    apply_settings(chains, now);
  }
  return nullptr;
}

}  // namespace billow
