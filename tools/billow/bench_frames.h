// What `billow bench` measures of dressed frames: single ones, crowds, and what the machine could do at best.
#pragma once

#include <billow/billow.h>

#include <memory>
#include <string>
#include <vector>

#include "body/person.h"
#include "motion/clip.h"
#include "pack/sample_garment.h"

namespace billow::tool {

// Processor time of this thread, ms: what other programs do in between does not count.
double own_ms();

// A garment file in memory, and what it takes.
class BenchGarment {
 public:
  BenchGarment(const std::string& file, const body::Person& person);
  BenchGarment(const pack::SampleOptions& made_up, const body::Person& person);

  const billow_garment* get() const { return garment_.get(); }
  // Bytes of the file it is of, or would be.
  const std::string& bytes() const { return bytes_; }
  size_t vertices() const { return billow_garment_vertex_count(garment_.get()); }
  size_t bones() const { return bones_; }
  // Multiply-adds of one expansion: coordinates of all vertices in their patches, times components and mean.
  double expansion() const { return expansion_; }
  // Joints of a pose, in the garment's order.
  std::vector<billow_transform> joints(const body::Person& person, const body::Pose& pose) const;

 private:
  struct Destroy {
    void operator()(billow_garment* g) const { billow_garment_destroy(g); }
  };
  void open(const std::string& name, const body::Person& person);
  std::string bytes_;
  size_t bones_ = 0;
  double expansion_ = 0;
  std::unique_ptr<billow_garment, Destroy> garment_;
  std::vector<size_t> joints_;
};

struct FrameFigures {
  double p50 = 0, p99 = 0;                       // ms
  double stages[BILLOW_FRAME_STAGE_COUNT] = {};  // ms, medians
  double pushed = 0;                             // vertices a frame
};
FrameFigures time_frames(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip);

struct CrowdFigures {
  uint32_t characters = 0;
  int threads = 1;
  double ms_per_character = 0;
  double expand_ms = 0;  // of it
};
CrowdFigures time_crowd(const BenchGarment& garment, const body::Person& person, const motion::Clip& clip,
                        uint32_t characters, int threads);

// Bytes that a garment (its copy of the file included) and an instance ask for.
struct MemoryFigures {
  size_t garment = 0, instance = 0;
};
MemoryFigures count_memory(const BenchGarment& garment);

// One read of two bases of 100 components as fp32: the best of one to eight streams side by side, ms.
double time_stream(size_t vertices);
// Multiply-adds of floats, a second, on one core; 0 where nobody has written down how to.
double fma_peak();

}  // namespace billow::tool
