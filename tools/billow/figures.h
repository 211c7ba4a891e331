// The figures of the paper, made by this program: one a file. Each writes its pictures into a folder and returns what there
// is to say about them. docs/figures.md lists them.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "draw/image.h"

namespace billow::tool {

struct FigureInputs {
  std::filesystem::path folder = "out/figures";
  bool quick = false;  // small pictures of few frames: a look, or a test
  // What learning left, each empty where it was not given: a trained cape and skirt, the cape's data set, and capes that were
  // trained far too long and without the collision loss.
  std::filesystem::path garment, skirt, data, overtrained, free;
};

struct Figure {
  std::string shows;                  // a caption, in our words, of what was made
  std::vector<std::string> pictures;  // files in the folder
  nlohmann::ordered_json numbers;
  std::vector<std::string> differs;  // from what the paper's caption says, and why
};

// Thrown where something that only the caller can give is missing; says what.
struct NotMade : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FigureKind {
  const char *name, *title;
  Figure (*make)(const FigureInputs&);
};

// All of them, in the order of the paper.
const std::vector<FigureKind>& figure_kinds();

Figure figure_garments(const FigureInputs& inputs);
Figure figure_flag(const FigureInputs& inputs);
Figure figure_pendulum(const FigureInputs& inputs);
Figure figure_sweeps(const FigureInputs& inputs);
Figure figure_body(const FigureInputs& inputs);
Figure figure_push_out(const FigureInputs& inputs);
Figure figure_modes(const FigureInputs& inputs);
Figure figure_skinning(const FigureInputs& inputs);
Figure figure_shape(const FigureInputs& inputs);
Figure figure_holdout(const FigureInputs& inputs);
Figure figure_collision(const FigureInputs& inputs);
Figure figure_gru_training(const FigureInputs& inputs);
Figure figure_gru_holdout(const FigureInputs& inputs);
Figure figure_cape(const FigureInputs& inputs);
Figure figure_skirt(const FigureInputs& inputs);

// Writes NAME.png and notes it in the figure.
void add_picture(Figure& figure, const FigureInputs& inputs, const std::string& name,
                 const draw::Image& image);

struct MadeFigure {
  const FigureKind* kind;
  Figure figure;
  std::string missing;  // not empty: not made, and why
};
// A page with all of them; pictures are linked relative to it.
std::string figures_page(const std::vector<MadeFigure>& made);

// Figures that were made in a folder before. Throws std::runtime_error where its record is none.
std::vector<MadeFigure> read_figures(const std::filesystem::path& folder);
// In the order of the paper; those made now instead of those made before, which instead of those that could not be made.
std::vector<MadeFigure> put_together(const std::vector<MadeFigure>& now,
                                     const std::vector<MadeFigure>& before);
// The page, and a record for the next time.
void write_report(const std::vector<MadeFigure>& all, const std::filesystem::path& folder);

}  // namespace billow::tool
