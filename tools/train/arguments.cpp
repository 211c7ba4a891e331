#include "arguments.h"

#include <CLI/CLI.hpp>

namespace billow::tool {
namespace {

using train::Options;
using train::StageOptions;

template <class T, class Set>
CLI::Option* add(CLI::App& app, Given& given, const std::string& name, const std::string& help, Set set) {
  return app.add_option_function<T>(
      name, [&given, set](const T& value) { given.changes.push_back([=](Options& o) { set(o, value); }); },
      help);
}

// One option for all networks, and one that is the shape network's alone.
template <class T, class Set>
void add_for_stages(CLI::App& app, Given& given, const std::string& name, const std::string& help, Set set) {
  add<T>(app, given, "--" + name, help, [set](Options& o, const T& v) {
    set(o.patches, v), set(o.skinning, v), set(o.shape, v);
  })->group("Networks");
  add<T>(app, given, "--shape-" + name, "The same for the shape network of the whole cloth alone",
         [set](Options& o, const T& v) { set(o.shape, v); })
      ->group("Shape network");
}

void add_network_options(CLI::App& app, Given& given) {
  const auto number = [&](const std::string& name, const std::string& help, auto member) {
    using T = std::remove_reference_t<decltype(std::declval<StageOptions&>().*member)>;
    add_for_stages<T>(app, given, name, help, [member](StageOptions& s, const T& v) { s.*member = v; });
  };
  const auto collision = [&](const std::string& name, const std::string& help, auto member) {
    using T = std::remove_reference_t<decltype(std::declval<train::CollisionOptions&>().*member)>;
    add_for_stages<T>(app, given, name, help,
                      [member](StageOptions& s, const T& v) { s.collision.*member = v; });
  };
  number("components", "Of a basis: 8 of a patch, 100 of the whole cloth", &StageOptions::components);
  number("hidden", "Neurons of a hidden layer: 56 of a patch, 500 of the whole cloth", &StageOptions::hidden);
  number("layers", "Hidden layers: 3 for patches, 2 for the whole cloth", &StageOptions::hidden_layers);
  add_for_stages<std::string>(
      app, given, "activation", "relu, tanh or gelu",
      [](StageOptions& s, const std::string& v) { s.activation = learn::activation_named(v); });
  add_for_stages<std::string>(
      app, given, "scaling",
      "Whole cloth: of inputs, none, one (deviation for all) or feature (each its own)",
      [](StageOptions& s, const std::string& v) { s.scaling = train::scaling_named(v); });
  number("scale-outputs", "Whole cloth: learn in units of what is to be learnt, true or false",
         &StageOptions::scale_outputs);
  number("linear", "Whole cloth: add the network to a ridge regression, true or false",
         &StageOptions::linear);
  number("tune-linear", "Whole cloth: and let that be learnt on, true or false", &StageOptions::tune_linear);
  number("rate", "Learning rate at first; falls along a cosine", &StageOptions::rate);
  number("epochs", "Times that each frame is looked at", &StageOptions::epochs);
  number("batch", "Frames a step", &StageOptions::batch);
  number("weight-decay", "Pulls weights to zero", &StageOptions::weight_decay);
  number("dropout", "Share of hidden values left out while learning", &StageOptions::dropout);
  number("noise", "Deviation of what is added to inputs while learning, m", &StageOptions::noise);
  number("data-weight", "Of squared distances to the truth: 0.1", &StageOptions::data_weight);
  number("edge-weight", "Patches: of edges that are other than the truth's: 1", &StageOptions::edge_weight);
  number("length-weight",
         "Of edges that are longer or shorter than as cut: 2 for patches, on rope chains, else 0",
         &StageOptions::length_weight);
  number("rope-share", "Patches: frames with rope chains that go with a batch, as a share of it: 0.25",
         &StageOptions::rope_share);
  collision("collision-weight",
            "Of squared distances to places outside the body: 50 for patches, 1000 for the whole cloth; 0 "
            "for none",
            &train::CollisionOptions::weight);
  collision("rope-collision-weight",
            "Patches: the same for cloth on rope chains, out along the gradient of the distance: 0",
            &train::CollisionOptions::rope_weight);
  collision("buffer", "Nearer to the body than this counts as inside, m", &train::CollisionOptions::buffer);
  collision("collision-share",
            "Share of each batch that is looked at for collisions: 0.5 for patches, else 1",
            &train::CollisionOptions::share);
  collision("collision-begin",
            "Share of the epochs after which collisions are looked at, and lengths by patches: 0.65 for "
            "patches, else 0",
            &train::CollisionOptions::begin);
  collision("push-iterations", "At most, where a push is iterated", &train::CollisionOptions::iterations);
  add_for_stages<std::string>(
      app, given, "push",
      "Where to a vertex inside the body is drawn: truth, truth-iterated, truth-search, gradient, "
      "gradient-iterated",
      [](StageOptions& s, const std::string& v) { s.collision.push = train::push_named(v); });
}

}  // namespace

void add_options(CLI::App& app, Given& given) {
  app.add_option("data", given.data, "Folder of the data set, as `billow simulate` makes it")->required();
  app.add_option("-o,--out", given.out, "The garment file to write: cape.billow")->required();
  app.add_flag("--paper", given.paper,
               "The paper's own form and settings: plain networks of the whole cloth, Adam at 1e-4 and 1e-5");
  app.add_flag("--resume", given.resume, "Go on where a training into the same --out was stopped");
  app.add_option("--json", given.json, "Write the record of losses, options and times here, too");
  app.add_flag("--quiet", given.quiet, "Print nothing");
  add<std::string>(
      app, given, "--form",
      "patches (small networks around each bone), or whole (the paper's: all of the cloth at once)",
      [](Options& o, const std::string& v) { o.form = train::form_named(v); });
  add<bool>(app, given, "--mirror",
            "Learn each frame a second time as a mirror shows it, where both sides are alike: true or false",
            [](Options& o, bool v) { o.mirror = v; });
  const auto patch_layout = [&](const std::string& name, const std::string& help,
                                int learn::PatchOptions::*member) {
    add<int>(app, given, name, help, [member](Options& o, int v) { o.patch_layout.*member = v; });
  };
  patch_layout("--seen-chains", "Patches: chains that one sees on either side", &learn::PatchOptions::chains);
  patch_layout("--seen-bones", "Patches: bones that one sees up and down its own chain and the next",
               &learn::PatchOptions::bones);
  patch_layout("--far-bones", "Patches: the same of chains further out", &learn::PatchOptions::far_bones);
  patch_layout("--sharing", "Patches: how many a vertex belongs to",
               &learn::PatchOptions::patches_per_vertex);
  add<float>(app, given, "--far", "Patches: what a chain weighs against the one before it on the way out",
             [](Options& o, float v) { o.patch_layout.far_weight = v; });
  app.add_option("--storage", given.storage,
                 "Of the file's numbers: mixed (the smallest that is off by less than 0.1 mm), int8, int16, "
                 "fp16, fp32")
      ->capture_default_str();
  app.add_option("--evaluate", given.evaluate,
                 "Figures of `billow evaluate` to put into the file: full, quick (as there) or none")
      ->check(CLI::IsMember({"full", "quick", "none"}))
      ->capture_default_str();
  add<uint64_t>(app, given, "--seed", "The same seed gives the same networks on a CPU: 1",
                [](Options& o, uint64_t v) { o.seed = v; });
  add<std::string>(app, given, "--device", "auto (CUDA where there is one), cpu or cuda",
                   [](Options& o, const std::string& v) { o.device = train::device_named(v); });
  add<size_t>(app, given, "--frames", "Learn from this many frames only",
              [](Options& o, size_t v) { o.frames = v; });
  add<std::string>(app, given, "--bones", "Learn from bones that are embedded, rope, or a mix",
                   [](Options& o, const std::string& v) { o.bones = train::bones_named(v); });
  add<bool>(app, given, "--rope-in-collision",
            "Rope chains are inputs of the collision loss, too: true or false; for the whole cloth",
            [](Options& o, bool v) { o.rope_in_collision = v; });
  add<std::string>(app, given, "--validation", "The best epoch is chosen by single frames, or by whole clips",
                   [](Options& o, const std::string& v) { o.validation = train::validation_named(v); });
  add<bool>(app, given, "--shape", "Train the shape network, too: true or false",
            [](Options& o, bool v) { o.with_shape = v; });
  add_network_options(app, given);
  app.add_option(
         "--gru", given.gru,
         "Also train the recurrent baseline, bones from the motion of the body, and keep it in the file: "
         "true or false")
      ->capture_default_str()
      ->group("Recurrent baseline");
  app.add_option("--gru-hidden", given.gru_options.hidden, "What each chain remembers, numbers")
      ->group("Recurrent baseline")
      ->capture_default_str();
  app.add_option("--gru-epochs", given.gru_options.epochs, "Times that each frame is looked at")
      ->group("Recurrent baseline")
      ->capture_default_str();
  app.add_option("--gru-rate", given.gru_options.rate, "Learning rate at first")
      ->group("Recurrent baseline")
      ->capture_default_str();
  app.footer(
      "From the frames of a data set to a garment file: how rope chains hang, then networks from the bones "
      "of "
      "a garment\n"
      "to its cloth, then what they are worth. A line is printed now and then with what they are off on the "
      "frames that\n"
      "choose the best epoch. What was stopped goes on with --resume and ends with the same bytes.\n\n"
      "Examples\n"
      "  billow train data/cape -o cape.billow\n"
      "  billow train data/cape -o quick.billow --epochs 20 --collision-weight 0 --gru false\n"
      "  billow train data/cape -o paper.billow --paper --epochs 400\n"
      "  billow train data/cape -o cape.billow --bones mix --validation clips\n");
}

train::Options Given::options() const {
  Options options = paper ? train::paper_options() : Options{};
  for (const auto& change : changes) change(options);
  return options;
}

}  // namespace billow::tool
