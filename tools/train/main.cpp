// billow-train: trains the networks of a garment from a data set.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>

#include "billow/progress.h"
#include "save_model.h"
#include "train/gru.h"
#include "train/train.h"

namespace billow::tool {
namespace {

using train::Options;
using train::StageOptions;

// What is given on the command line is put into the options after --paper has chosen where they begin.
struct Given {
  std::string data, out, json;
  bool paper = false, resume = false, quiet = false, gru = false;
  train::GruOptions gru_options;
  std::vector<std::function<void(Options&)>> changes;
};

template <class T, class Set>
CLI::Option* add(CLI::App& app, Given& given, const std::string& name, const std::string& help, Set set) {
  return app.add_option_function<T>(
      name, [&given, set](const T& value) { given.changes.push_back([=](Options& o) { set(o, value); }); },
      help);
}

// One option for both networks, and one that is the shape network's alone.
template <class T, class Set>
void add_for_stages(CLI::App& app, Given& given, const std::string& name, const std::string& help, Set set) {
  add<T>(app, given, "--" + name, help, [set](Options& o, const T& v) {
    set(o.skinning, v), set(o.shape, v);
  })->group("Networks");
  add<T>(app, given, "--shape-" + name, "The same for the shape network alone",
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
  number("components", "Of the basis: 100", &StageOptions::components);
  number("hidden", "Neurons of a hidden layer: 500", &StageOptions::hidden);
  number("layers", "Hidden layers: 2", &StageOptions::hidden_layers);
  add_for_stages<std::string>(
      app, given, "activation", "relu, tanh or gelu",
      [](StageOptions& s, const std::string& v) { s.activation = learn::activation_named(v); });
  add_for_stages<std::string>(
      app, given, "scaling", "Of inputs: none, one (deviation for all) or feature (each its own)",
      [](StageOptions& s, const std::string& v) { s.scaling = train::scaling_named(v); });
  number("scale-outputs", "Learn in units of what is to be learnt: true or false",
         &StageOptions::scale_outputs);
  number("linear", "Add the network to a ridge regression: true or false", &StageOptions::linear);
  number("tune-linear", "And let that be learnt on: true or false", &StageOptions::tune_linear);
  number("rate", "Learning rate at first; falls along a cosine", &StageOptions::rate);
  number("epochs", "Times that each frame is looked at", &StageOptions::epochs);
  number("batch", "Frames a step", &StageOptions::batch);
  number("weight-decay", "Pulls weights to zero", &StageOptions::weight_decay);
  number("dropout", "Share of hidden values left out while learning", &StageOptions::dropout);
  number("noise", "Deviation of what is added to inputs while learning, m", &StageOptions::noise);
  number("data-weight", "Of squared distances to the truth: 0.1", &StageOptions::data_weight);
  number("edge-weight", "Of edges that are longer or shorter than at rest: 0", &StageOptions::edge_weight);
  collision("collision-weight", "Of squared distances to places outside the body: 1000; 0 for none",
            &train::CollisionOptions::weight);
  collision("buffer", "Nearer to the body than this counts as inside, m", &train::CollisionOptions::buffer);
  collision("collision-share", "Share of each batch that is looked at for collisions: 1",
            &train::CollisionOptions::share);
  collision("push-iterations", "At most, where a push is iterated", &train::CollisionOptions::iterations);
  add_for_stages<std::string>(
      app, given, "push",
      "Where to a vertex inside the body is drawn: truth, truth-iterated, truth-search, gradient, "
      "gradient-iterated",
      [](StageOptions& s, const std::string& v) { s.collision.push = train::push_named(v); });
}

void add_options(CLI::App& app, Given& given) {
  app.add_option("data", given.data, "Folder of the data set, as `billow simulate` makes it")->required();
  app.add_option("-o,--out", given.out, "What to write")->required();
  app.add_flag("--paper", given.paper, "The paper's own settings: plain networks, Adam at 1e-4 and 1e-5");
  app.add_flag("--resume", given.resume, "Go on where a training into the same --out was stopped");
  app.add_option("--json", given.json, "Write the record of losses, options and times here, too");
  app.add_flag("--quiet", given.quiet, "Print nothing");
  add<uint64_t>(app, given, "--seed", "The same seed gives the same networks on a CPU: 1",
                [](Options& o, uint64_t v) { o.seed = v; });
  add<std::string>(app, given, "--device", "auto (CUDA where there is one), cpu or cuda",
                   [](Options& o, const std::string& v) { o.device = train::device_named(v); });
  add<size_t>(app, given, "--frames", "Learn from this many frames only",
              [](Options& o, size_t v) { o.frames = v; });
  add<std::string>(app, given, "--bones", "Learn from bones that are embedded, rope, or a mix",
                   [](Options& o, const std::string& v) { o.bones = train::bones_named(v); });
  add<bool>(app, given, "--rope-in-collision",
            "Rope chains are inputs of the collision loss, too: true or false",
            [](Options& o, bool v) { o.rope_in_collision = v; });
  add<std::string>(app, given, "--validation", "The best epoch is chosen by single frames, or by whole clips",
                   [](Options& o, const std::string& v) { o.validation = train::validation_named(v); });
  add<bool>(app, given, "--shape", "Train the shape network, too: true or false",
            [](Options& o, bool v) { o.with_shape = v; });
  add_network_options(app, given);
  app.add_flag("--gru", given.gru, "Train the recurrent baseline instead: bones from the motion of the body")
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
      "Two networks are trained, one after the other, from the bones of a garment to its cloth: skinning, "
      "and the\n"
      "shape that skinning leaves to learn. A line is printed now and then with what they are off on the "
      "frames\n"
      "that choose the best epoch. What was stopped goes on with --resume and ends with the same bytes.\n\n"
      "Examples\n"
      "  billow-train data/cape -o cape.model\n"
      "  billow-train data/cape -o quick.model --epochs 20 --collision-weight 0\n"
      "  billow-train data/cape -o paper.model --paper --epochs 400\n"
      "  billow-train data/cape -o cape.model --bones mix --rope-in-collision true --validation clips\n"
      "  billow-train data/cape -o gru.model --gru --gru-epochs 100\n"
      "  billow-train data/cape -o cape.model --shape-rate 1e-4 --shape-epochs 100 --json record.json\n");
}

void print_line(const train::Progress& p) {
  const train::Epoch& e = p.epoch;
  std::printf(
      "%-8s %4d of %d  loss %-9.4g  validation %-9.4g  %6.2f mm, %6.2f validation  near %.3f %%  best %d  "
      "%.0f s left\n",
      p.stage.c_str(), e.number, p.epochs, e.loss, e.validation_loss, e.rmse_mm, e.validation_rmse_mm,
      e.validation_near_percent, p.best, p.seconds_left);
  std::fflush(stdout);
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  if (!(out << text << "\n").flush()) throw std::runtime_error(file + ": could not be written");
}

// Tells how far it is: the last epoch of each stage, and others every few seconds.
class Teller {
 public:
  explicit Teller(bool quiet) : quiet_(quiet) {}
  void say(const std::string& line) const {
    if (!quiet_) std::printf("%s\n", line.c_str()), std::fflush(stdout);
  }
  void report(const train::Progress& p) {
    if (quiet_ || (clock_.seconds() - told_ < 5 && p.epoch.number < p.epochs)) return;
    told_ = clock_.seconds();
    print_line(p);
  }
  double seconds() const { return clock_.seconds(); }

 private:
  Progress clock_{"training"};
  double told_ = -10;
  bool quiet_;
};

void run_gru(const Given& given, const Options& options, const learn::Frames& frames, Teller& teller) {
  train::Run how;
  how.seed = options.seed, how.device = options.device;
  how.report = [&](const train::Progress& p) { teller.report(p); };
  const train::GruTask task = train::gru_task(frames);
  teller.say("gru: " + std::to_string(task.chains.size()) + " chains, " + std::to_string(task.clips.size()) +
             " clips");
  save_gru(train_gru(task, given.gru_options, how).gru, given.out);
}

void run_networks(const Given& given, const Options& options, const learn::Frames& frames, Teller& teller) {
  const std::filesystem::path checkpoints = given.out + ".checkpoints";
  if (!given.resume) std::filesystem::remove_all(checkpoints);
  train::TrainRun how;
  how.checkpoints = checkpoints;
  how.say = [&](const std::string& line) { teller.say(line); };
  how.report = [&](const train::Progress& p) { teller.report(p); };
  const train::Result result = train::train(frames, options, how);
  save_model(result.model, result.record, given.out);
  std::filesystem::remove_all(checkpoints);
  if (!given.json.empty()) write_text(given.json, to_json(result.record));
}

void run(const Given& given) {
  Options options = given.paper ? train::paper_options() : Options{};
  for (const auto& change : given.changes) change(options);
  Teller teller(given.quiet);
  (given.gru ? run_gru : run_networks)(given, options, learn::Frames(given.data), teller);
  char text[40];
  std::snprintf(text, sizeof text, ": done in %.0f s", teller.seconds());
  teller.say(given.out + text);
}

}  // namespace
}  // namespace billow::tool

int main(int argc, char** argv) {
  CLI::App app("Trains the networks of a garment from a data set", "billow-train");
  billow::tool::Given given;
  billow::tool::add_options(app, given);
  CLI11_PARSE(app, argc, argv);
  try {
    billow::tool::run(given);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "billow-train: %s\n", e.what());
    return 1;
  }
  return 0;
}
