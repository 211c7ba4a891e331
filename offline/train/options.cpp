#include "train/options.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace billow::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kForms[] = {"patches", "whole"};
constexpr const char* kPushes[] = {"truth", "truth-iterated", "truth-search", "gradient",
                                   "gradient-iterated"};
constexpr const char* kScalings[] = {"none", "one", "feature"};
constexpr const char* kBones[] = {"embedded", "rope", "mix"};
constexpr const char* kValidations[] = {"frames", "clips"};
constexpr const char* kDevices[] = {"auto", "cpu", "cuda"};

template <class E, size_t N>
E find(const char* what, const char* const (&names)[N], const std::string& name) {
  std::string list;
  for (size_t i = 0; i < N; ++i) {
    if (name == names[i]) return static_cast<E>(i);
    list += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(names[i]);
  }
  throw std::invalid_argument(std::string(what) + ": expected " + list + ", found " + name);
}

Json json_of(const StageOptions& o) {
  return {{"components", o.components},
          {"hidden", o.hidden},
          {"hidden_layers", o.hidden_layers},
          {"activation", learn::name_of(o.activation)},
          {"scaling", name_of(o.scaling)},
          {"scale_outputs", o.scale_outputs},
          {"linear", o.linear},
          {"tune_linear", o.tune_linear},
          {"rate", o.rate},
          {"epochs", o.epochs},
          {"batch", o.batch},
          {"weight_decay", o.weight_decay},
          {"dropout", o.dropout},
          {"noise", o.noise},
          {"data_weight", o.data_weight},
          {"edge_weight", o.edge_weight},
          {"length_weight", o.length_weight},
          {"rope_share", o.rope_share},
          {"restored_weight", o.restored_weight},
          {"collision",
           {{"weight", o.collision.weight},
            {"rope_weight", o.collision.rope_weight},
            {"buffer", o.collision.buffer},
            {"push", name_of(o.collision.push)},
            {"iterations", o.collision.iterations},
            {"share", o.collision.share},
            {"begin", o.collision.begin}}}};
}

void check(const char* stage, const StageOptions& o) {
  const auto expect = [&](const char* what, double value, double low, double high) {
    if (value >= low && value <= high) return;
    char text[200];
    std::snprintf(text, sizeof text, "%s: expected a %s of %g to %g, found %g", stage, what, low, high,
                  value);
    throw std::invalid_argument(text);
  };
  expect("number of components", o.components, 1, 10000);
  expect("hidden size", o.hidden, 1, 100000);
  expect("number of hidden layers", o.hidden_layers, 1, 20);
  expect("learning rate", o.rate, 1e-12, 10);
  expect("number of epochs", o.epochs, 0, 1e6);
  expect("batch size", o.batch, 1, 1e6);
  expect("weight decay", o.weight_decay, 0, 100);
  expect("dropout", o.dropout, 0, 0.95);
  expect("noise", o.noise, 0, 1);
  expect("weight of the data term", static_cast<double>(o.data_weight), 0, 1e9);
  expect("weight of edge errors", static_cast<double>(o.edge_weight), 0, 1e9);
  expect("weight of edge lengths", static_cast<double>(o.length_weight), 0, 1e9);
  expect("weight of restored lengths", static_cast<double>(o.restored_weight), 0, 1e9);
  expect("share of rope frames", static_cast<double>(o.rope_share), 0, 10);
  expect("weight of collisions", static_cast<double>(o.collision.weight), 0, 1e9);
  expect("weight of collisions on rope bones", static_cast<double>(o.collision.rope_weight), 0, 1e9);
  expect("buffer", static_cast<double>(o.collision.buffer), 0, 1);
  expect("number of push iterations", o.collision.iterations, 1, 100);
  expect("share of frames in the collision loss", static_cast<double>(o.collision.share), 0, 1);
  expect("share of epochs without collision loss", static_cast<double>(o.collision.begin), 0, 1);
}

}  // namespace

StageOptions patch_defaults() {
  StageOptions o;
  o.components = 8, o.hidden = 56, o.hidden_layers = 3;
  o.activation = learn::Activation::kGelu;
  o.rate = 3e-3, o.epochs = 300, o.batch = 128, o.dropout = 0.03;
  o.edge_weight = 1, o.length_weight = 2;
  o.collision.weight = 50, o.collision.share = 0.5f, o.collision.begin = 0.65f;
  return o;
}

const char* name_of(Form f) { return kForms[static_cast<size_t>(f)]; }
const char* name_of(Push p) { return kPushes[static_cast<size_t>(p)]; }
const char* name_of(Scaling s) { return kScalings[static_cast<size_t>(s)]; }
const char* name_of(Bones b) { return kBones[static_cast<size_t>(b)]; }
const char* name_of(Validation v) { return kValidations[static_cast<size_t>(v)]; }
const char* name_of(Device d) { return kDevices[static_cast<size_t>(d)]; }
Form form_named(const std::string& name) { return find<Form>("form", kForms, name); }
Push push_named(const std::string& name) { return find<Push>("push", kPushes, name); }
Scaling scaling_named(const std::string& name) { return find<Scaling>("scaling", kScalings, name); }
Bones bones_named(const std::string& name) { return find<Bones>("bones", kBones, name); }
Validation validation_named(const std::string& name) {
  return find<Validation>("validation", kValidations, name);
}
Device device_named(const std::string& name) { return find<Device>("device", kDevices, name); }

std::string to_json(const StageOptions& options) { return json_of(options).dump(); }

std::string to_json(const Options& o) {
  Json json{{"form", name_of(o.form)}};
  if (o.form == Form::kPatches) {
    json["patches"] = json_of(o.patches);
    json["laying"] = {{"chains", o.patch_layout.chains},
                      {"bones", o.patch_layout.bones},
                      {"far_bones", o.patch_layout.far_bones},
                      {"sharing", o.patch_layout.patches_per_vertex},
                      {"far", o.patch_layout.far_weight}};
    json["mirror"] = o.mirror;
  } else {
    json["skinning"] = json_of(o.skinning);
    json["shape"] = o.with_shape ? json_of(o.shape) : Json();
  }
  json.update({{"bones", name_of(o.bones)},
               {"rope_in_collision", o.rope_in_collision},
               {"validation", name_of(o.validation)},
               {"validation_clips", o.validation_clips},
               {"frames", o.frames},
               {"seed", o.seed}});
  return json.dump();
}

void validate(const Options& options) {
  if (options.form == Form::kPatches) {
    const StageOptions& o = options.patches;
    check("patches", o);
    learn::check(options.patch_layout);
    if (!o.linear || o.tune_linear || !o.scale_outputs || o.scaling != Scaling::kOne)
      throw std::invalid_argument(
          "patches: expected linear, tune-linear, scaling and scale-outputs at their defaults, found others: "
          "only "
          "networks of the whole cloth have these options");
    if (!(o.data_weight > 0)) throw std::invalid_argument("patches: expected a weight of the data term > 0");
    if (options.rope_in_collision)
      throw std::invalid_argument(
          "patches: expected a weight of collisions on rope bones, found rope bones in the collision loss, "
          "an option of the whole cloth");
  } else {
    check("skinning", options.skinning);
    if (options.with_shape) check("shape", options.shape);
    if (options.skinning.collision.rope_weight > 0 || options.shape.collision.rope_weight > 0)
      throw std::invalid_argument(
          "whole cloth: expected no weight of collisions on rope bones, an option of patches; found one");
  }
  if (options.validation == Validation::kClips &&
      !(options.validation_clips > 0 && options.validation_clips < 1))
    throw std::invalid_argument("validation clips: expected a share between 0 and 1");
}

}  // namespace billow::train
