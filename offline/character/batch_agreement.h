// How well a batch agrees with the reference cloth on the processor.
#pragma once

#include <memory>

#include "body/person.h"
#include "cloth/batch/backend.h"
#include "garment/garment.h"

namespace billow::character {

struct BatchAgreement {
  double largest = 0, rms = 0;  // m, distance of vertices over all clips and frames
  double equal = 0;             // fraction of vertices whose positions have the same bits
};

// Simulates `clips` clips of built-in motion with ClothedCharacter and ClothedBatch, from the garment's shape.
// The last clip is one frame shorter.
BatchAgreement compare_with_reference(const garment::Garment& garment, const body::Person& person,
                                      size_t clips, size_t frames, std::unique_ptr<cloth::Backend> backend);

}  // namespace billow::character
