// The paper's figures, reproduced by `billow figures`. Each figure function writes its pictures into a folder
// and returns their captions and measurements. docs/figures.md lists them.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "draw/image.h"

namespace billow::tool {

struct FigureInputs {
  std::filesystem::path folder = "out/figures";
  bool quick = false;  // small pictures of few frames, for previews and tests
  // Results of training, each empty if not given: a trained cape and skirt, the cape's data set, an
  // overtrained cape and a cape trained without the collision loss.
  std::filesystem::path garment, skirt, data, overtrained, free;
};

struct Figure {
  std::string shows;                  // caption
  std::vector<std::string> pictures;  // files in the folder
  nlohmann::ordered_json numbers;
  std::vector<std::string> differs;  // differences from the paper's figure, with reasons
};

// Thrown if an input that only the caller can provide is missing. The message names it.
struct NotMade : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FigureKind {
  const char *name, *title;
  Figure (*make)(const FigureInputs&);
};

// All figures, in the order of the paper.
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

// Registers `billow figures`.
void add_figures(CLI::App& app);

// Writes NAME.png and appends it to figure.pictures.
void add_picture(Figure& figure, const FigureInputs& inputs, const std::string& name,
                 const draw::Image& image);

struct MadeFigure {
  const FigureKind* kind;
  Figure figure;
  std::string missing;  // reason why the figure was not made; empty: made
};
// HTML page of all figures; picture links are relative to the page.
std::string figures_page(const std::vector<MadeFigure>& made);

// Reads the figures that earlier runs left in a folder. Throws std::runtime_error if its report.json is
// malformed.
std::vector<MadeFigure> read_figures(const std::filesystem::path& folder);
// Merges the figures of this run with earlier ones, in the order of the paper. A figure made now replaces an
// earlier one; an earlier one replaces a figure that could not be made now.
std::vector<MadeFigure> put_together(const std::vector<MadeFigure>& now,
                                     const std::vector<MadeFigure>& before);
// Writes report.html, and report.json for the next run.
void write_report(const std::vector<MadeFigure>& all, const std::filesystem::path& folder);

}  // namespace billow::tool
