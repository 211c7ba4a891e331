// `billow figures skinning shape holdout collision`: cloth predicted from the bones of a data set, next to
// its reference cloth (paper: Figures train_skinning, train_qnn, train_holdout and pinn).
#include "research/figures/learned_rows.h"

namespace billow::tool {
namespace {

using dataset::Part;

constexpr const char* kByPatches =
    "The paper's skinning network sees the whole cloth and is not linear; this garment learnt by patches, "
    "whose skinning is the "
    "linear half of their networks.";

void note_patches(Figure& figure, const LearnedRows& rows) {
  if (std::holds_alternative<learn::PatchModel>(rows.garment().model)) figure.differs.push_back(kByPatches);
}

void add_overtrained(LearnedRows& rows, Figure& figure, const FigureInputs& inputs, bool shape) {
  if (inputs.overtrained.empty())
    figure.differs.push_back("The overtrained row is not there: it needs --overtrained FILE.");
  else
    rows.add_networks("overtrained", "overtrained", rows.open(inputs.overtrained), shape);
}

// Adds a note if the overtrained network is less than 10 % worse on unseen clips.
void note_harmless_overtraining(Figure& figure) {
  const auto& n = figure.numbers;
  if (!n.contains("overtrained") || !n["overtrained"].contains("unseen_rmse_mm")) return;
  if (n["overtrained"]["unseen_rmse_mm"].get<double>() < 1.1 * n["shape"]["unseen_rmse_mm"].get<double>())
    figure.differs.push_back(
        "The paper expects that an overtrained network does not generalise. On clips never seen this one is "
        "hardly worse, as the table says. (Training keeps the epoch that is best on validation frames, "
        "which need not be the last.)");
}

// Adds a note that the linear part of a patch network, a ridge regression, cannot be overtrained.
void note_linear_overtraining(Figure& figure, const LearnedRows& rows, const FigureInputs& inputs) {
  if (!inputs.overtrained.empty() && std::holds_alternative<learn::PatchModel>(rows.garment().model))
    figure.differs.push_back(
        "The overtrained row is no nearer to the reference, which the paper's is: a linear half is solved "
        "for "
        "once, and no training can make it fit more. The next figure has an overtrained network that does.");
}

}  // namespace

Figure figure_skinning(const FigureInputs& inputs) {
  LearnedRows rows(inputs);
  Figure figure;
  note_patches(figure, rows);
  rows.add_networks("skinning", "skinning", rows.garment().model, false);
  rows.add_truth();
  add_overtrained(rows, figure, inputs, false);
  note_linear_overtraining(figure, rows, inputs);
  add_picture(figure, inputs, "skinning", rows.draw(rows.some_of(Part::kTrain)));
  figure.numbers = rows.numbers(Part::kTrain);
  figure.shows =
      "Training frames, bones embedded in the reference: skinning alone, the reference, and skinning that "
      "was overtrained.";
  return figure;
}

Figure figure_shape(const FigureInputs& inputs) {
  LearnedRows rows(inputs);
  Figure figure;
  note_patches(figure, rows);
  rows.add_networks("skinning", "skinning", rows.garment().model, false);
  rows.add_networks("skinning + shape", "shape", rows.garment().model, true);
  rows.add_truth();
  add_overtrained(rows, figure, inputs, true);
  add_picture(figure, inputs, "shape", rows.draw(rows.some_of(Part::kTrain)));
  figure.numbers = rows.numbers(Part::kTrain);
  note_harmless_overtraining(figure);
  figure.shows =
      "The same frames with the shape network on top of skinning. Overtrained, it is nearer on the frames "
      "that it "
      "learnt from; how near on frames that were held out and on clips never seen, the table says.";
  return figure;
}

Figure figure_holdout(const FigureInputs& inputs) {
  LearnedRows rows(inputs);
  Figure figure;
  note_patches(figure, rows);
  rows.add_networks("skinning", "skinning", rows.garment().model, false);
  rows.add_networks("skinning + shape", "shape", rows.garment().model, true);
  rows.add_truth();
  add_picture(figure, inputs, "holdout", rows.draw(rows.some_of(Part::kHoldout)));
  figure.numbers = rows.numbers(Part::kHoldout);
  figure.shows = "Frames that were held out of training: skinning, shape on top of it, the reference.";
  return figure;
}

Figure figure_collision(const FigureInputs& inputs) {
  if (inputs.free.empty())
    throw NotMade(
        "needs --garment FILE, --data DIR, and --free FILE, the garment trained without the collision loss");
  LearnedRows rows(inputs);
  Figure figure;
  rows.add_networks("without collision loss", "without", rows.open(inputs.free), true);
  rows.add_networks("with collision loss", "with", rows.garment().model, true);
  add_picture(figure, inputs, "collision", rows.draw(rows.deepest_of(Part::kHoldout), true));
  figure.numbers = rows.numbers(Part::kHoldout);
  figure.shows =
      "Held-out frames as networks predict them, before any push-out: those in which most vertices are "
      "inside "
      "the body without the collision loss. Each of these has a red dot where it would leave the body; dots "
      "that the body or the cloth hides are "
      "not seen.";
  figure.differs.push_back(
      "The paper shows its skinning network; here it is skinning and shape together, which are trained at "
      "once.");
  return figure;
}

}  // namespace billow::tool
