// `billow figures`: reproduces the figures of the paper as pictures, measurements and an HTML report.
#include "research/figures/figures.h"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "files/whole_file.h"
#include "tools/billow/files.h"
#include "tools/billow/shipped.h"

namespace billow::tool {

const std::vector<FigureKind>& figure_kinds() {
  static const std::vector<FigureKind> kinds = {
      {"garments", "The garments and their chains", figure_garments},
      {"flag", "Springs lock or overstretch; ropes do neither", figure_flag},
      {"pendulum", "A rope against the analytic pendulum", figure_pendulum},
      {"sweeps", "A swinging chain by solver", figure_sweeps},
      {"body", "The body and its signed distance", figure_body},
      {"push_out", "A sphere and six particles", figure_push_out},
      {"modes", "Principal components of skinning and shape", figure_modes},
      {"skinning", "Skinning against the reference", figure_skinning},
      {"shape", "Shape against the reference", figure_shape},
      {"holdout", "Frames that were held out", figure_holdout},
      {"collision", "Without and with the collision loss", figure_collision},
      {"gru_training", "Recurrent units on training frames", figure_gru_training},
      {"gru_holdout", "Recurrent units on motions never seen", figure_gru_holdout},
      {"cape", "A cape on a running person", figure_cape},
      {"skirt", "A skirt on a dancing person", figure_skirt},
  };
  return kinds;
}

void add_picture(Figure& figure, const FigureInputs& inputs, const std::string& name,
                 const draw::Image& image) {
  draw::write_png(image, inputs.folder / (name + ".png"));
  figure.pictures.push_back(name + ".png");
}

namespace {

struct FiguresOptions {
  std::vector<std::string> names;
  std::string folder = "out/figures";
  FigureInputs inputs;
  bool json = false, quiet = false;
};

bool wanted(const FiguresOptions& o, const char* name) {
  return o.names.empty() || std::find(o.names.begin(), o.names.end(), name) != o.names.end();
}

MadeFigure make(const FigureKind& kind, const FigureInputs& inputs) {
  MadeFigure made{&kind, {}, ""};
  try {
    made.figure = kind.make(inputs);
  } catch (const NotMade& e) {
    made.missing = e.what();
    return made;
  }
  files::write_whole_file(inputs.folder / (std::string(kind.name) + ".json"),
                          made.figure.numbers.dump(2) + "\n");
  return made;
}

void print(const MadeFigure& made) {
  if (!made.missing.empty()) {
    std::printf("%-16s not made: %s\n", made.kind->name, made.missing.c_str());
  } else {
    std::printf("%-16s %s\n", made.kind->name, made.figure.shows.c_str());
    for (const std::string& line : made.figure.differs) std::printf("%-16s   but: %s\n", "", line.c_str());
  }
  std::fflush(stdout);  // the next figure may take minutes
}

// Creates the folder if it does not exist. Removes a folder it created if that is still empty at the end.
struct ResultFolder {
  bool created;
  std::filesystem::path path;

  explicit ResultFolder(const std::string& folder)
      : created(!std::filesystem::exists(folder)), path(make_folder(folder)) {}
  ~ResultFolder() {
    std::error_code not_empty;
    if (created) std::filesystem::remove(path, not_empty);
  }
};

void run_figures(FiguresOptions o) {
  const ResultFolder folder(o.folder);
  o.inputs.folder = folder.path;
  if (o.inputs.garment.empty()) o.inputs.garment = shipped_garment("cape");
  if (o.inputs.skirt.empty()) o.inputs.skirt = shipped_garment("skirt");
  const std::vector<MadeFigure> before = read_figures(o.inputs.folder);
  std::vector<MadeFigure> made;
  nlohmann::ordered_json numbers;
  for (const FigureKind& kind : figure_kinds()) {
    if (!wanted(o, kind.name)) continue;
    made.push_back(make(kind, o.inputs));
    if (!made.back().missing.empty())
      numbers[kind.name] = {{"not_made", made.back().missing}};
    else
      numbers[kind.name] = made.back().figure.numbers;
    if (!o.json && !o.quiet) print(made.back());
  }
  write_report(put_together(made, before), o.inputs.folder);
  if (o.json) std::printf("%s\n", numbers.dump(2).c_str());
  if (!o.json && !o.quiet) std::printf("%s\n", (o.inputs.folder / "report.html").c_str());
}

// Accepts existing files, and names of shipped garments, which it replaces by their files.
CLI::Validator existing_garment_file() {
  const auto find = [](std::string& given) {
    try {
      given = garment_file(given);
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return CLI::ExistingFile(given);
  };
  return {find, "FILE", "garment file"};
}

// Refuses a name that no figure has, and says which there are.
std::string check_figure_name(const std::string& name) {
  std::string message = "there is no figure '" + name + "'; the figures are";
  for (const FigureKind& kind : figure_kinds()) {
    if (name == kind.name) return "";
    message += (&kind == &figure_kinds().front() ? " " : ", ") + std::string(kind.name);
  }
  return message;
}

std::string list_of_figures() {
  std::string list = "Figures\n";
  for (const FigureKind& kind : figure_kinds()) {
    char line[160];
    std::snprintf(line, sizeof line, "  %-16s %s\n", kind.name, kind.title);
    list += line;
  }
  return list;
}

}  // namespace

void add_figures(CLI::App& app) {
  auto o = std::make_shared<FiguresOptions>();
  CLI::App* figures =
      app.add_subcommand("figures", "Make the figures of the paper: pictures, numbers and a report page");
  figures->add_option("names", o->names, "Names of the figures to make; default: all")
      ->check(CLI::Validator(check_figure_name, "NAME"));
  figures->add_option("-o,--out", o->folder, "Output folder; created if it does not exist")
      ->capture_default_str();
  figures
      ->add_option("--garment", o->inputs.garment,
                   "A trained cape (.billow); default: the one that comes with Billow")
      ->transform(existing_garment_file());
  figures
      ->add_option("--skirt", o->inputs.skirt,
                   "A trained skirt (.billow); default: the one that comes with Billow")
      ->transform(existing_garment_file());
  figures->add_option("--data", o->inputs.data, "Data set that the cape was trained on")
      ->check(CLI::ExistingDirectory);
  figures->add_option("--overtrained", o->inputs.overtrained, "An overfitted cape to compare with (.billow)")
      ->transform(existing_garment_file());
  figures
      ->add_option("--free", o->inputs.free,
                   "A cape trained without the collision loss to compare with (.billow)")
      ->transform(existing_garment_file());
  figures->add_flag("--quick", o->inputs.quick, "Draw small pictures of few frames");
  figures->add_flag("--json", o->json, "Print the numbers as JSON");
  figures->add_flag("--quiet", o->quiet, "Print errors only");
  figures->footer(
      list_of_figures() +
      "\nExamples\n"
      "  billow figures                               all that can be made without further files\n"
      "  billow figures pendulum sweeps flag --json   these, and their numbers\n"
      "  billow figures --data data/cape --overtrained over.billow --free free.billow   all of them\n");
  figures->callback([o] { run_figures(*o); });
}

}  // namespace billow::tool
