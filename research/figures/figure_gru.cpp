// `billow figures gru_training gru_holdout`: bones that the GRU baseline predicts from the body's pose, and
// cloth decoded from them (paper: Figures rnn_training and rnn_holdout).
#include <cmath>

#include "research/figures/learned_rows.h"
#include "research/gru/gru.h"

namespace billow::tool {
namespace {

learn::Matrix predicted_bones(const pack::GarmentData& packed, const learn::Frames& frames,
                              const std::string& file) {
  const auto section = packed.extra.find(research::kGruSection);
  if (section == packed.extra.end())
    throw NotMade("needs a garment file with recurrent units, which " + file +
                  " has not (billow train --gru)");
  return research::gru_bones(frames, research::gru_from_bytes(section->second));
}

double rms_mm(const learn::Matrix& a, const learn::Matrix& b, const std::vector<uint32_t>& frame_indices) {
  double sum = 0;
  for (const uint32_t f : frame_indices) sum += double{(a.row(f) - b.row(f)).squaredNorm()};
  return frame_indices.empty() ? 0
                               : 1000 * std::sqrt(3 * sum / static_cast<double>(frame_indices.size()) /
                                                  static_cast<double>(a.cols()));
}

Figure gru_figure(const FigureInputs& inputs, const char* name, dataset::Part part) {
  LearnedRows rows(inputs);
  const evaluate::BoneSource gru{"gru",
                                 predicted_bones(rows.garment(), rows.frames(), inputs.garment.string())};
  const learn::Matrix& truth = rows.embedded().bones;
  rows.add_chains("recurrent units", gru.bones);
  rows.add_chains("reference", truth);
  rows.add_networks("networks on the units", "networks_on_gru", rows.garment().model, true, gru);
  rows.add_truth();
  Figure figure;
  add_picture(figure, inputs, name, rows.draw(rows.some_of(part)));
  figure.numbers = rows.numbers(part);
  for (size_t s = 0; s < research::kSets.size(); ++s) {
    const std::vector<uint32_t> frame_indices = rows.frames().of(research::kSets[s]);
    if (!frame_indices.empty())
      figure.numbers["bones_" + std::string(research::kSetNames[s]) + "_mm"] =
          rms_mm(gru.bones, truth, frame_indices);
  }
  figure.differs.push_back(
      "The paper's overtrained row is left out: garment files hold one set of recurrent units.");
  return figure;
}

}  // namespace

Figure figure_gru_training(const FigureInputs& inputs) {
  Figure figure = gru_figure(inputs, "gru_training", dataset::Part::kTrain);
  figure.shows =
      "Training frames: bones as one recurrent unit a chain has them, bones embedded in the reference, our "
      "networks on the "
      "former, and the reference cloth. Numbers: RMS distance of the units' bones on each part of the data "
      "set. There is no push-out here, so where units are off, the body shows through.";
  return figure;
}

Figure figure_gru_holdout(const FigureInputs& inputs) {
  Figure figure = gru_figure(inputs, "gru_holdout", dataset::Part::kUnseen);
  figure.shows =
      "The same on clips that were never seen: bones of the recurrent units follow the reference roughly or "
      "not at all, and no network on top can mend that.";
  figure.differs.push_back(
      "The paper's holdout frames stand among training frames; we show clips never seen, which is what "
      "holdout is to say. Its units are completely wrong there; ours fall apart in some motions, and in "
      "others are off at the tips.");
  return figure;
}

}  // namespace billow::tool
