// A stranger's test: a small network is shown pieces of moving cloth and learns to tell the cloth that is tested from the
// reference. What it cannot tell on motion it has not seen, a viewer who does not know the reference will hardly miss.
#pragma once

#include <memory>
#include <vector>

#include "train/options.h"
#include "train/pieces.h"

namespace billow::train {

// What a stranger sees of a piece: normals over three frames, as a viewer does, or everything, which tells cloth by strains of a
// few percent that no eye can see.
enum class Sees { kNormals, kAll };

struct StrangerOptions {
  Sees sees = Sees::kNormals;
  int channels = 24, epochs = 10, batch = 128;
  double rate = 2e-3, weight_decay = 0.01, dropout = 0.2;
  double validation_clips = 0.2;  // share of the clips that choose the epoch
  uint64_t seed = 1;
  Device device = Device::kAuto;
};

class Stranger {
 public:
  // Trains. The result depends on pieces, options and device only. Throws std::invalid_argument without pieces of at least two
  // clips.
  Stranger(const Pieces& pieces, const StrangerOptions& options);
  ~Stranger();
  Stranger(const Stranger&) = delete;

  // The higher, the more a piece looks tested to it.
  std::vector<float> scores(const Matrix& features) const;
  double validation_auc() const { return validation_auc_; }

 private:
  struct Network;
  std::unique_ptr<Network> network_;
  double validation_auc_ = 0;
};

// Area under the receiver operating characteristic: the chance that a positive scores higher than a negative, equal ones counting
// half. 0.5 if there are none.
double auc(std::vector<float> positive, std::vector<float> negative);

// By pieces, and by clips: mean scores of the tested clips against those of the reference. The latter says nothing with fewer than
// kFewestClips.
inline constexpr size_t kFewestClips = 5;
struct StrangerFigures {
  double piece_auc = 0.5, clip_auc = 0.5;
  size_t pieces = 0, clips = 0;
};
StrangerFigures judge(const Stranger& stranger, const Pieces& pieces);

}  // namespace billow::train
