// The stages of a frame, each over a batch of characters in the same garment. A batch shares what is read of the garment; the result
// of a character is the same, to the bit, in any batch.
#pragma once

#include <span>

#include "runtime/instance.h"

namespace billow {

struct Batch {
  std::span<Instance* const> instances;
  const FrameInput* inputs;  // one per instance

  size_t size() const { return instances.size(); }
};

// How bones become a mesh. An instance's options choose among its garment's decoders.
struct Decoder {
  void (*gather)(Instance& instance, const FrameInput& input);
  void (*infer)(const Batch& batch);  // null: none
  void (*expand)(const Batch& batch);
};
// The coefficients of patches change no faster than cloth can: a network that sees a fold turn over decodes its other side at once.
void keep_pace(Instance& instance, float dt);
extern const Decoder patch_decoder;         // networks and a basis per patch
extern const Decoder whole_cloth_decoder;   // the paper's: two networks, one basis for all vertices
extern const Decoder linear_blend_decoder;  // skinning weights, no network
extern const Decoder rest_decoder;          // the rest mesh, rigid on the key joint

const Decoder& decoder_of(const Instance& instance);

// Stage "gather", before the decoder's own part: bones of the chains in world space, moved by the correction network.
void gather_bones(Instance& instance, float scale);
// Those that no chain simulates, with the joints (follow_body.cpp).
void place_chainless_bones(Instance& instance, float scale);
// All bones in the frame of the key joint at scale 1.
void to_key_joint(const Instance& instance, float scale, V3* out);

}  // namespace billow
