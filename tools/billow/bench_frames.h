// Measurements of `billow bench`: time and strain of single frames, time of crowds, memory, and the hardware's limits
// (memory bandwidth, peak FMA rate) to compare them with.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <string>
#include <vector>

#include "body/person.h"
#include "evaluate/sted.h"
#include "motion/clip.h"
#include "pack/sample_garment.h"

namespace billow::tool {

// CPU time of the calling thread, ms. Unlike wall time it does not include other processes.
double own_ms();

// A garment file loaded through the public API, with the sizes that the figures are normalised by.
class BenchGarment {
 public:
  BenchGarment(const std::string& file, const body::Person& person);
  BenchGarment(const pack::SampleOptions& sample, const body::Person& person);

  const billow_garment* get() const { return garment_.get(); }
  // Contents of the garment file; a synthetic garment is packed in memory.
  const std::string& bytes() const { return bytes_; }
  size_t vertices() const { return billow_garment_vertex_count(garment_.get()); }
  size_t bones() const { return bones_; }
  // With their lengths in the pattern.
  const std::vector<evaluate::Edge>& edges() const { return edges_; }
  // Multiply-adds of one expansion: 3 coordinates per vertex and patch, times basis columns (components and
  // mean).
  double expansion() const { return expansion_; }
  // World transforms of the garment's joints in a pose, in the garment's order.
  std::vector<billow_transform> joints(const body::Person& person, const body::Pose& pose) const;

 private:
  struct Destroy {
    void operator()(billow_garment* g) const { billow_garment_destroy(g); }
  };
  void open(const std::string& name, const body::Person& person);
  std::string bytes_;
  std::vector<evaluate::Edge> edges_;
  size_t bones_ = 0;
  double expansion_ = 0;
  std::unique_ptr<billow_garment, Destroy> garment_;
  std::vector<size_t> joints_;
};

struct FrameFigures {
  double p50 = 0, p99 = 0;                       // ms
  double stages[BILLOW_FRAME_STAGE_COUNT] = {};  // ms, medians
  double pushed = 0;                             // vertices moved by push-out, mean per frame
  double strain_mean = 0, strain_p99 = 0;        // percent, over all frames: see evaluate/strain.h
};
FrameFigures time_frames(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip,
                         billow_lengths lengths = BILLOW_LENGTHS_HIGH);

struct CrowdFigures {
  uint32_t characters = 0;
  int threads = 1;
  double ms_per_character = 0;
  double expand_ms = 0;  // part of ms_per_character
};
CrowdFigures time_crowd(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip,
                        uint32_t characters, int threads);
// A crowd with levels of detail by the default policy: one in ten is near, the others are evenly spread up to six times as far. In view are
// all, or those that a camera of 60 degrees in their midst sees: the near ones and a sixth of the others.
struct LevelFigures {
  uint32_t characters = 0, near = 0;
  double near_ms = 0, far_ms = 0;  // of a frame, all together
  double full_ms = 0;              // of one that is near
};
LevelFigures time_levels(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip,
                         uint32_t characters, bool all_in_view);
// Milliseconds of a frame per character of a crowd that stands still and sleeps, poses of its bodies included.
double time_sleepers(const BenchGarment& garment, const body::Person& person, uint32_t characters);

// A garment over another, beside both alone in the same run: medians of a frame, ms.
struct LayerFigures {
  double inner_ms = 0, outer_ms = 0;  // alone
  double layer_ms = 0, over_ms = 0;   // posing the layer; the outer one that meets it
  size_t bytes = 0;                   // of the layer

  double times_alone() const { return (inner_ms + layer_ms + over_ms) / (inner_ms + outer_ms); }
};
LayerFigures time_layers(const BenchGarment& outer, const BenchGarment& inner, const body::Person& person,
                         const motion::Clip& clip);

// Bytes that a garment (its copy of the file included) and an instance request from the allocator.
struct MemoryFigures {
  size_t garment = 0, instance = 0;
};
MemoryFigures count_memory(const BenchGarment& garment);

// Time to read two fp32 bases of 100 components once, ms: the minimum over one to eight concurrent read
// streams.
double time_stream(size_t vertices);
// Peak fp32 multiply-adds per second of one core; 0 on a CPU without an implemented measurement.
double fma_peak();

}  // namespace billow::tool
