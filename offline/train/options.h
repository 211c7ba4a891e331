// What can be chosen when a garment is trained. The defaults are small networks by patches, added to linear ones: what
// serves unseen clips best (docs/findings.md 13). paper_options() are the paper's own ("Results and Discussion").
#pragma once

#include <string>

#include "learn/model.h"
#include "learn/patches.h"

namespace billow::train {

// What is learnt: cloth by patches around bones, or two networks for the whole cloth, as in the paper.
enum class Form { kPatches, kWhole };

// Where a vertex inside the body should rather be.
enum class Push {
  kTruth,             // along r, toward the truth, by its depth: one step, as in the paper
  kTruthIterated,     // the same again until it is out
  kTruthSearch,       // on the way to the truth, where it leaves the body
  kGradient,          // along the gradient of the distance, by its depth
  kGradientIterated,  // the same again until it is out
};

// How inputs are scaled: z = (d - mean) * scale.
enum class Scaling {
  kNone,     // as they are, metres
  kOne,      // about their mean, over one deviation for all
  kFeature,  // about their mean, each over its own deviation
};

// Which bones the data term sees.
enum class Bones { kEmbedded, kRope, kMix };

// Frames that choose the best epoch: the data set's own, or whole clips that are kept from learning.
enum class Validation { kFrames, kClips };

enum class Device { kAuto, kCpu, kCuda };

struct CollisionOptions {
  float weight = 1000;    // 0: no collision loss
  float rope_weight = 0;  // the same of cloth on rope chains, out along the gradient; for patches
  float buffer = 0.002f;  // m: nearer than this counts as inside
  Push push = Push::kTruth;
  int iterations = 5;  // at most, where a push is iterated
  float share = 1;     // of the frames of each batch
  // Share of the epochs after which the loss is there, for patches that of lengths, too: dear, and matters in the end.
  float begin = 0;
};

struct StageOptions {
  int components = 100;  // of the basis
  int hidden = 500, hidden_layers = 2;
  learn::Activation activation = learn::Activation::kTanh;
  Scaling scaling = Scaling::kOne;
  bool scale_outputs = true;  // learn in units of what is to be learnt, not metres
  bool linear = true;         // add the network to a ridge regression
  bool tune_linear = false;   // and let that be learnt on
  double rate = 1e-3;         // at first; falls to zero along a cosine
  int epochs = 200;
  int batch = 64;
  double weight_decay = 0;
  double dropout = 0;  // share of hidden values left out while learning
  double noise = 0;    // m: deviation of what is added to the inputs while learning
  float data_weight = 0.1f;
  float edge_weight = 0;  // of edges that are other than the truth's, for patches
  // Of edges that are longer or shorter than as cut; for patches where rope chains have the bones, and there this share of
  // a batch is added to it.
  float length_weight = 0, rope_share = 0.25f;
  CollisionOptions collision;
};

// Small networks of all patches, side by side.
StageOptions patch_defaults();

struct Options {
  Form form = Form::kPatches;
  StageOptions patches = patch_defaults();  // for patches
  learn::PatchOptions patch_layout;         // what patches see, and who shares a vertex
  bool mirror = true;            // each frame is learnt a second time, as a mirror shows it, where a
                                 // garment's sides are alike; for patches
  StageOptions skinning, shape;  // for the whole cloth
  bool with_shape = true;
  Bones bones = Bones::kEmbedded;
  bool rope_in_collision =
      false;  // rope chains of the same frames are inputs of the collision loss, too; for the whole cloth
  Validation validation = Validation::kFrames;
  double validation_clips = 0.1;  // share of clips that are kept from learning, for kClips
  size_t frames = 0;              // learn from this many only; 0: all
  uint64_t seed = 1;
  Device device = Device::kAuto;
};

// Plain networks on raw inputs: ReLU, Adam at 1e-4 and 1e-5, no linear path.
Options paper_options();

// Names as on the command line. `named` throws std::invalid_argument with the names there are.
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

// All of it as JSON, for records and to tell checkpoints apart.
std::string to_json(const StageOptions& options);
std::string to_json(const Options& options);

// Throws std::invalid_argument that says what was expected and found.
void validate(const Options& options);

}  // namespace billow::train
