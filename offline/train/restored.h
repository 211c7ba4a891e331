// What the runtime's stage *lengths* (decode/restore_lengths.h) makes of a decoded mesh: the target of cloth on rope bones, for
// which no reference cloth exists. Networks that learn it leave little to restore.
#pragma once

#include <span>
#include <vector>

#include "decode/restore_lengths.h"
#include "garment/garment.h"

namespace billow::train {

class RestoredCloth {
 public:
  // `threads`: how many may call restore() at once.
  RestoredCloth(const garment::Garment& garment, size_t threads);
  RestoredCloth(const RestoredCloth&) = delete;

  // Restores the lengths of a mesh alone, without frames before it, and without the body. The result is valid until the next
  // call of the same thread, 0 to threads - 1.
  std::span<const V3> restore(std::span<const V3> decoded, size_t thread);

 private:
  struct Worker {
    std::vector<unsigned char> memory;
    LengthState state;
    std::vector<V3> positions;
  };

  std::vector<uint32_t> attached_;
  std::vector<unsigned char> memory_;
  LengthLevels levels_;
  std::vector<Worker> workers_;
};

}  // namespace billow::train
