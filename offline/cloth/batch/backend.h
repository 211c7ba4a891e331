// What simulates a batch: a CUDA device, or plain loops on the processor that stand in for one.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "cloth/batch/memory.h"

namespace billow::cloth {

// Calls are executed in order, but may return before they are done; wait() waits for all.
class Backend {
 public:
  virtual ~Backend() = default;

  // Memory of the device, and memory of the host that copies are fast with. Zero at first, freed with the
  // back-end.
  virtual void* allocate(size_t bytes) = 0;
  virtual void* allocate_on_host(size_t bytes) = 0;
  virtual void upload(void* to_device, const void* from_host, size_t bytes) = 0;
  virtual void download(void* to_host, const void* from_device, size_t bytes) = 0;
  // Simulates a frame of all clips.
  virtual void run(const BatchArguments& arguments) = 0;
  virtual void wait() = 0;

  // Clips that are simulated at the same time; more take longer.
  virtual size_t clips_at_once() const = 0;
};

std::unique_ptr<Backend> make_loop_backend(size_t threads);

// An empty string if there is a CUDA device, else why there is none.
std::string why_no_cuda();
// Throws std::runtime_error if there is no device.
std::unique_ptr<Backend> make_cuda_backend();

}  // namespace billow::cloth
