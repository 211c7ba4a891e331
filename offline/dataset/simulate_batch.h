// Simulates the clips of a data set many at a time, on a CUDA device. While the device simulates a frame, the
// processor's threads step the rope chains of the frame before and write it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cloth/batch/backend.h"
#include "dataset/character.h"
#include "dataset/plan.h"
#include "garment/garment.h"

namespace billow::dataset {

// Where cloth is simulated. kAuto: on a CUDA device if there is one and it can. kLoops: as on a device, but with
// plain loops, for tests.
enum class Device { kCpu, kCuda, kAuto, kLoops };
// cpu, cuda or auto. Throws std::invalid_argument for other names.
Device device_named(const std::string& name);

// Makes the back-end for a device, or none for the processor. Throws std::runtime_error if the device was asked
// for and is missing or cannot simulate the garment.
using BackendFactory = std::function<std::unique_ptr<cloth::Backend>()>;
BackendFactory backend_for(Device device, const garment::Garment& garment,
                           const OwnedCharacterBody& character, size_t threads);

// Callbacks may come from several threads at once.
struct BatchTask {
  std::vector<const PlannedClip*> clips;
  std::function<std::filesystem::path(size_t)> begin;  // folder of clip i, to write to or to compare with
  std::function<void(size_t)> end;                     // clip i is complete
  std::function<void()> frame_done;
};

// Writes clips as simulate() does. The garment has to be draped.
void make_in_batches(const garment::Garment& garment, const OwnedCharacterBody& character,
                     const BatchTask& task, const BackendFactory& backend, size_t threads);
// Chaos floor: simulates clips again in slightly denser air. `found` receives the entries of chaos/.
void drift_in_batches(const garment::Garment& garment, const OwnedCharacterBody& character,
                      const BatchTask& task, const BackendFactory& backend, size_t threads,
                      const std::function<void(size_t, const std::string&)>& found);

}  // namespace billow::dataset
