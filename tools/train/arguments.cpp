#include "arguments.h"

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <type_traits>

namespace billow::tool {
namespace {

using train::Options;
using train::StageOptions;

constexpr const char *kNetwork = "Network", *kOptimiser = "Optimiser", *kLoss = "Loss",
                     *kPatches = "Inputs of patches", *kChains = "Rope chains",
                     *kHidden = "";  // CLI11 does not list an empty group; the footer describes these options

template <class T, class Set>
CLI::Option* add(CLI::App& app, Given& given, const std::string& name, const std::string& help, Set set) {
  return app.add_option_function<T>(
      name, [&given, set](const T& value) { given.changes.push_back([=](Options& o) { set(o, value); }); },
      help);
}

// Appends the default of --form patches, and that of --form whole if it differs.
template <class T> std::string with_defaults(const std::string& help, const T& patches, const T& whole) {
  return help + " [" + default_text(patches) + (patches == whole ? "" : "; whole: " + default_text(whole)) +
         "]";
}

// Adds --NAME, which sets all networks, and --shape-NAME, which sets the shape network alone.
template <class T, class Set>
void add_for_stages(CLI::App& app, Given& given, const char* group, const std::string& name,
                    const std::string& help, Set set) {
  add<T>(app, given, "--" + name, help, [set](Options& o, const T& v) {
    set(o.patches, v), set(o.skinning, v), set(o.shape, v);
  })->group(group);
  add<T>(app, given, "--shape-" + name, help, [set](Options& o, const T& v) {
    set(o.shape, v);
  })->group(kHidden);
}

// Adds options that set members of StageOptions, with their defaults in the help text.
struct StageMembers {
  CLI::App& app;
  Given& given;
  const StageOptions patches = train::patch_defaults(), whole{};

  template <class T>
  void add(const char* group, const std::string& name, const std::string& help, T StageOptions::*member) {
    add_for_stages<T>(app, given, group, name, with_defaults(help, patches.*member, whole.*member),
                      [member](StageOptions& s, const T& v) { s.*member = v; });
  }
  template <class T>
  void add(const char* group, const std::string& name, const std::string& help,
           T train::CollisionOptions::*member) {
    add_for_stages<T>(app, given, group, name,
                      with_defaults(help, patches.collision.*member, whole.collision.*member),
                      [member](StageOptions& s, const T& v) { s.collision.*member = v; });
  }
  // For enumerations, which the command line gives by name.
  template <class Get, class Set>
  void add_named(const char* group, const std::string& name, const std::string& help, Get get, Set set) {
    add_for_stages<std::string>(app, given, group, name,
                                with_defaults(help, std::string(get(patches)), std::string(get(whole))), set);
  }
};

void add_network_options(StageMembers& m) {
  m.add(kNetwork, "components", "PCA components of the basis", &StageOptions::components);
  m.add(kNetwork, "hidden", "Hidden units per layer", &StageOptions::hidden);
  m.add(kNetwork, "layers", "Number of hidden layers", &StageOptions::hidden_layers);
  m.add_named(
      kNetwork, "activation", "Activation function: relu, tanh or gelu",
      [](const StageOptions& s) { return learn::name_of(s.activation); },
      [](StageOptions& s, const std::string& v) { s.activation = learn::activation_named(v); });
  m.add_named(
      kNetwork, "scaling",
      "Input normalisation: none, one (a common standard deviation) or feature (one per input); whole only",
      [](const StageOptions& s) { return name_of(s.scaling); },
      [](StageOptions& s, const std::string& v) { s.scaling = train::scaling_named(v); });
  m.add(kNetwork, "scale-outputs", "Normalise the outputs; whole only", &StageOptions::scale_outputs);
  m.add(kNetwork, "linear", "Add the network to a ridge regression; whole only", &StageOptions::linear);
  m.add(kNetwork, "tune-linear", "Train the weights of that regression further; whole only",
        &StageOptions::tune_linear);
}

void add_optimiser_options(StageMembers& m) {
  m.add(kOptimiser, "rate", "Initial learning rate of AdamW, with cosine decay to zero", &StageOptions::rate);
  m.add(kOptimiser, "epochs", "Number of epochs", &StageOptions::epochs);
  m.add(kOptimiser, "batch", "Batch size in frames", &StageOptions::batch);
  m.add(kOptimiser, "weight-decay", "Weight decay", &StageOptions::weight_decay);
  m.add(kOptimiser, "dropout", "Dropout probability of hidden units", &StageOptions::dropout);
  m.add(kOptimiser, "noise", "Standard deviation of Gaussian noise on the inputs, in metres",
        &StageOptions::noise);
}

void add_loss_options(StageMembers& m) {
  using train::CollisionOptions;
  m.add(kLoss, "data-weight", "Loss weight of squared distances to the reference cloth",
        &StageOptions::data_weight);
  m.add(kLoss, "edge-weight", "Loss weight of edge vectors that differ from the reference; patches only",
        &StageOptions::edge_weight);
  m.add(kLoss, "length-weight",
        "Loss weight of edge lengths that differ from the pattern; patches apply it to rope-chain inputs",
        &StageOptions::length_weight);
  m.add(kLoss, "restored-weight",
        "Loss weight of squared distances between cloth on rope-chain inputs and the same cloth with "
        "lengths restored as at run time; patches only",
        &StageOptions::restored_weight);
  m.add(kLoss, "rope-share", "Rope-chain frames per batch, as a fraction of --batch; patches only",
        &StageOptions::rope_share);
  m.add(kLoss, "collision-weight", "Loss weight of vertices inside the body; 0 disables the term",
        &CollisionOptions::weight);
  m.add(kLoss, "rope-collision-weight", "Collision loss weight for rope-chain inputs; patches only",
        &CollisionOptions::rope_weight);
  m.add(kLoss, "buffer", "Distance from the body below which a vertex counts as inside, in metres",
        &CollisionOptions::buffer);
  m.add(kLoss, "collision-share", "Fraction of each batch that is tested for collisions",
        &CollisionOptions::share);
  m.add(kLoss, "collision-begin",
        "Fraction of the epochs before the collision term starts (for patches the length term, too)",
        &CollisionOptions::begin);
  m.add_named(
      kLoss, "push",
      "Target of a colliding vertex: truth, truth-iterated, truth-search, gradient or gradient-iterated",
      [](const StageOptions& s) { return name_of(s.collision.push); },
      [](StageOptions& s, const std::string& v) { s.collision.push = train::push_named(v); });
  m.add(kLoss, "push-iterations", "Maximum iterations of an iterated --push", &CollisionOptions::iterations);
}

void add_patch_options(CLI::App& app, Given& given) {
  const auto number = [&](const std::string& name, const std::string& help, auto member) {
    using T = std::remove_reference_t<decltype(std::declval<learn::PatchOptions&>().*member)>;
    add<T>(app, given, name, with_default(help, learn::PatchOptions{}.*member), [member](Options& o, T v) {
      o.patch_layout.*member = v;
    })->group(kPatches);
  };
  number("--input-chains", "Neighbouring chains on either side of a patch that give inputs",
         &learn::PatchOptions::chains);
  number("--input-bones", "Input bones up and down the patch's own chain and the two next to it",
         &learn::PatchOptions::bones);
  number("--far-bones", "Input bones up and down chains farther away", &learn::PatchOptions::far_bones);
  number("--far-weight", "Input scale of each chain relative to the previous one, from near to far",
         &learn::PatchOptions::far_weight);
  number("--patches-per-vertex", "Maximum number of patches blended at a vertex",
         &learn::PatchOptions::patches_per_vertex);
}

void add_chain_options(CLI::App& app, Given& given) {
  app.add_option("--settings", given.settings,
                 "File of chain settings, as `billow ropes fit` writes it, instead of the garment's own")
      ->group(kChains);
  app.add_option("--chains", given.chains,
                 "Garment file whose chains are used, with their settings and learnt force; nothing is "
                 "learnt for them")
      ->group(kChains);
  app.add_option("--force", given.force,
                 "Learn the force that the rope chains lack, and store it [true; with --paper: false]")
      ->excludes("--chains")
      ->group(kChains);
  train::ForceOptions& force = given.force_options;
  app.add_option("--force-rounds", force.rounds,
                 with_default("Rounds of roll-outs and learning from them", force.rounds))
      ->check(CLI::Range(1, 10000))
      ->group(kChains);
  app.add_option("--force-hidden", force.hidden,
                 with_default("Hidden units per layer of the force's network", force.hidden))
      ->check(CLI::Range(1, 1024))
      ->group(kChains);
  app.add_option("--force-seconds", force.longest,
                 with_default("Length of the longest roll-outs, in seconds", force.longest))
      ->check(CLI::Range(0.1, 60.0))
      ->group(kChains);
  app.add_option(
         "--force-spread", force.target.spread,
         with_default("Share of what a chain is asked for that is asked of the chains beside it, 0 to 1",
                      force.target.spread))
      ->check(CLI::Range(0.0, 1.0))
      ->group(kChains);
  app.add_option("--correction", given.correction,
                 "Train a correction of rope bones, and store it [where no force is learnt]")
      ->group(kChains);
}

void add_general_options(CLI::App& app, Given& given) {
  const Options defaults;
  add<std::string>(
      app, given, "--form",
      with_default(
          "Model: patches (a small network around each bone) or whole (the paper's two networks for the "
          "entire cloth)",
          name_of(defaults.form)),
      [](Options& o, const std::string& v) { o.form = train::form_named(v); });
  app.add_flag(
      "--paper", given.paper,
      "Start from the paper's settings: --form whole, ReLU, no ridge regression, learning rates 1e-4 "
      "(skinning) and 1e-5 (shape)");
  add<bool>(app, given, "--shape", with_default("Train the shape network; whole only", defaults.with_shape),
            [](Options& o, bool v) { o.with_shape = v; });
  add<bool>(app, given, "--mirror",
            with_default("Augment the frames of a symmetric garment by their mirror images; patches only",
                         defaults.mirror),
            [](Options& o, bool v) { o.mirror = v; });
  add<std::string>(
      app, given, "--bones",
      with_default("Input bones: embedded (in the reference cloth), rope (simulated chains) or mix (both)",
                   name_of(defaults.bones)),
      [](Options& o, const std::string& v) { o.bones = train::bones_named(v); });
  add<bool>(app, given, "--rope-in-collision",
            with_default("Evaluate the collision loss on rope-chain inputs, too; whole only",
                         defaults.rope_in_collision),
            [](Options& o, bool v) { o.rope_in_collision = v; });
  add<size_t>(app, given, "--frames",
              with_default("Maximum number of training frames; 0 uses all", defaults.frames),
              [](Options& o, size_t v) { o.frames = v; });
  add<std::string>(app, given, "--validation",
                   with_default("Validation split: frames (single frames) or clips (a tenth of the clips)",
                                name_of(defaults.validation)),
                   [](Options& o, const std::string& v) { o.validation = train::validation_named(v); });
  add<uint64_t>(app, given, "--seed", with_default("Random seed", defaults.seed),
                [](Options& o, uint64_t v) { o.seed = v; });
  add<std::string>(app, given, "--device",
                   with_default("Device: auto (CUDA if available), cpu or cuda", name_of(defaults.device)),
                   [](Options& o, const std::string& v) { o.device = train::device_named(v); });
}

}  // namespace

void add_options(CLI::App& app, Given& given, const ResearchParts& research) {
  app.add_option("data", given.data, "Data set folder, as written by `billow simulate`")->required();
  app.add_option("-o,--out", given.out, "Garment file to write: cape.billow")->required();
  app.add_flag("--resume", given.resume,
               "Continue from the checkpoint of an interrupted run with the same --out");
  app.add_flag("--dry-run", given.dry_run, "Check the options and exit; the data set need not exist yet");
  app.add_option("--json", given.json,
                 "Also write the training record (options, losses, figures) to this file");
  app.add_flag("--quiet", given.quiet, "Print errors only");
  add_general_options(app, given);
  app.add_option(
      "--storage", given.storage,
      with_default("Number format of the file: mixed (the smallest within 0.1 mm), int8, int16, fp16 or fp32",
                   given.storage));
  app.add_option(
         "--evaluate", given.evaluate,
         with_default("Evaluation after training, printed and stored in the file: full, quick or none",
                      given.evaluate))
      ->check(CLI::IsMember({"full", "quick", "none"}));
  StageMembers members{app, given};
  add_network_options(members);
  add_optimiser_options(members);
  add_loss_options(members);
  add_patch_options(app, given);
  add_chain_options(app, given);
  if (research.add_baseline_options) research.add_baseline_options(app);
  app.footer(
      "Defaults are in brackets: first that of --form patches, then that of --form whole; options of one\n"
      "form only are marked. Each option of the groups Network, Optimiser and Loss sets all networks; with\n"
      "--shape- in front of its name (--shape-rate) it sets the shape network of --form whole alone.\n"
      "docs/training.md explains models and losses.\n\n"
      "All epochs are run, and the one with the lowest validation loss is kept. A checkpoint is written "
      "every\n"
      "minute; a run that is resumed ends with the same bytes as one that was not interrupted. On a CPU the\n"
      "same seed gives the same networks.\n\n"
      "Examples\n"
      "  billow train data/cape -o cape.billow\n"
      "  billow train data/cape -o quick.billow --epochs 20 --collision-weight 0\n"
      "  billow train data/cape -o paper.billow --paper --epochs 400\n"
      "  billow train data/cape -o cape.billow --bones mix --validation clips\n");
}

train::Options Given::options(const ResearchParts& research) const {
  Options options = paper ? research.paper_options : Options{};
  for (const auto& change : changes) change(options);
  if (!research.train_whole_cloth && (paper || options.form == train::Form::kWhole))
    throw std::invalid_argument(
        "--form: expected patches, found whole, which a build without research (BILLOW_BUILD_RESEARCH) "
        "cannot train");
  return options;
}

}  // namespace billow::tool
