// Training options. The defaults are small patch networks added to linear ones, which are best on unseen clips
// (docs/findings.md 13). The options of both forms are one structure, because one command line sets both.
#pragma once

#include <string>

#include "learn/model.h"
#include "learn/patches.h"

namespace billow::train {

// The patch model, or the paper's two networks for the whole cloth, which research/whole_cloth trains.
enum class Form { kPatches, kWhole };

// Collision target of a vertex inside the body.
enum class Push {
  kTruth,             // one step of its depth toward the true position, as in the paper
  kTruthIterated,     // the same, repeated until it is outside
  kTruthSearch,       // where the segment to the true position leaves the body
  kGradient,          // one step of its depth along the SDF gradient
  kGradientIterated,  // the same, repeated until it is outside
};

// Standardisation of inputs: z = (d - mean) * scale.
enum class Scaling {
  kNone,     // none: metres
  kOne,      // centred, divided by one deviation for all
  kFeature,  // centred, each divided by its own deviation
};

// Bones of the data term's samples.
enum class Bones { kEmbedded, kRope, kMix };

// Validation samples, which choose the best epoch: the data set's own validation frames, or whole clips held out from training.
enum class Validation { kFrames, kClips };

enum class Device { kAuto, kCpu, kCuda };

struct CollisionOptions {
  float weight = 1000;    // 0: no collision loss
  float rope_weight = 0;  // collision loss of cloth on rope bones, with Push::kGradient; patch model only
  float buffer = 0.002f;  // m: a smaller SDF value counts as inside
  Push push = Push::kTruth;
  int iterations = 5;  // maximum, for iterated pushes
  float share = 1;     // share of the frames of each batch
  // Share of the epochs before the loss starts; for patches that of the length loss, too. It is expensive and matters
  // in late epochs only.
  float begin = 0;
};

struct StageOptions {
  int components = 100;  // of the basis
  int hidden = 500, hidden_layers = 2;
  learn::Activation activation = learn::Activation::kTanh;
  Scaling scaling = Scaling::kOne;
  bool scale_outputs = true;  // divide outputs by the deviation of the training targets
  bool linear = true;         // add the network to a ridge regression
  bool tune_linear = false;   // train the linear path, too
  double rate = 1e-3;         // initial learning rate; falls to zero along a cosine
  int epochs = 200;
  int batch = 64;
  double weight_decay = 0;
  double dropout = 0;
  double noise = 0;  // m: standard deviation of noise added to the inputs in training
  float data_weight = 0.1f;
  float edge_weight = 0;  // edge errors in the data term; patch model only
  // Edge lengths against the pattern. The patch model applies it to rope bones: `rope_share` of a batch is added for it.
  float length_weight = 0, rope_share = 0.25f;
  // Distance of cloth on rope bones to the same cloth with its lengths restored; patch model only.
  float restored_weight = 0;
  CollisionOptions collision;
};

// Whether cloth on rope bones has a loss.
inline bool has_rope_terms(const StageOptions& o) {
  return o.collision.rope_weight > 0 || o.length_weight > 0 || o.restored_weight > 0;
}

// Defaults of the patch networks, which are trained side by side.
StageOptions patch_defaults();

struct Options {
  Form form = Form::kPatches;
  StageOptions patches = patch_defaults();  // patch model
  learn::PatchOptions patch_layout;
  bool mirror = true;  // adds the mirror image of each frame for symmetric garments; patch model only
  StageOptions skinning, shape;  // whole cloth
  bool with_shape = true;
  Bones bones = Bones::kEmbedded;
  bool rope_in_collision =
      false;  // adds rope bones of the same frames to the collision loss; whole cloth only
  Validation validation = Validation::kFrames;
  double validation_clips = 0.1;  // share of clips held out, for kClips
  size_t frames = 0;              // size of a random subset to train on; 0: all
  uint64_t seed = 1;
  Device device = Device::kAuto;
};

// Names as on the command line. The functions `..._named` throw std::invalid_argument with the valid names.
const char* name_of(Form);
const char* name_of(Push);
const char* name_of(Scaling);
const char* name_of(Bones);
const char* name_of(Validation);
const char* name_of(Device);
Form form_named(const std::string& name);
Push push_named(const std::string& name);
Scaling scaling_named(const std::string& name);
Bones bones_named(const std::string& name);
Validation validation_named(const std::string& name);
Device device_named(const std::string& name);

// All options as JSON, for records and fingerprints of checkpoints.
std::string to_json(const StageOptions& options);
std::string to_json(const Options& options);

// Throws std::invalid_argument with what was expected and found.
void validate(const Options& options);

}  // namespace billow::train
