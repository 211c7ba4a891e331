// What the exports for the web page share: their handles.
#pragma once

#include <billow/billow.h>

#include <cstdlib>
#include <vector>

#define BILLOW_PAGE(name) extern "C" __attribute__((export_name(#name)))

namespace billow::viewer {

struct Garment {
  billow_garment* garment = nullptr;
  void* bytes = nullptr;  // of the file, used in place
  char text[256] = "";

  ~Garment() {
    billow_garment_destroy(garment);
    std::free(bytes);
  }
};

// The report of a frame as an array of doubles.
struct Report {
  double stages[BILLOW_FRAME_STAGE_COUNT];
  double chain_stages[BILLOW_CHAIN_STAGE_COUNT];
  double pushed, inside, substeps, contacts, trapped, enclosed, flags;
};

struct Character {
  const Garment* garment = nullptr;
  billow_instance* instance = nullptr;
  std::vector<billow_transform> joints;   // written by the page before each step
  std::vector<const billow_body*> meets;  // besides the garment's own colliders
  std::vector<float> bones, distances, without_shape;
  std::vector<unsigned char> state;
  Report report{};

  ~Character() { billow_instance_destroy(instance); }
  billow_chains* chains() const { return billow_instance_chains(instance); }
  uint32_t vertices() const { return billow_garment_vertex_count(garment->garment); }

  billow_frame frame(float dt) const {
    billow_frame f{};
    f.dt = dt;
    f.joints = joints.data(), f.joint_count = static_cast<uint32_t>(joints.size());
    f.others = meets.data(), f.other_count = static_cast<uint32_t>(meets.size());
    return f;
  }
};

}  // namespace billow::viewer
