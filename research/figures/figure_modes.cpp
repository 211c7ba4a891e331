// `billow figures modes`: the first principal components of skinning and of shape, added to the rest (paper:
// Figure pca).
#include <cmath>
#include <tuple>

#include "learn/pca.h"
#include "research/figures/learned_rows.h"

namespace billow::tool {
namespace {

constexpr size_t kModes = 5;
// Scale of the modes in standard deviations. Those of shape are only millimetres and need exaggeration.
constexpr float kSkinningScale = 2, kShapeScale = 8;

struct Bases {
  learn::Basis skinning, shape;
};

// A whole-cloth model stores both bases. For a patch model, compute equivalents: PCA of the cloth, and PCA of
// the residual of skinning.
Bases bases_of(const LearnedRows& rows) {
  if (const auto* whole = std::get_if<learn::Model>(&rows.garment().model))
    return {whole->skinning.basis, whole->shape.basis};
  const learn::Frames& frames = rows.frames();
  const std::vector<uint32_t> train = frames.of(dataset::Part::kTrain);
  const learn::PcaOptions options{.components = kModes};
  const learn::Rows cloth = learn::cloth_rows(frames, train);
  const research::Predictor skinning =
      research::networks("", frames, rows.garment().model, rows.embedded(), false);
  const learn::Rows residual{
      cloth.count, cloth.values, [&](size_t first, Eigen::Ref<learn::Matrix> out) {
        learn::Matrix predicted(out.rows(), out.cols());
        skinning.predict({train.data() + first, static_cast<size_t>(out.rows())}, predicted);
        cloth.fill(first, out);
        out -= predicted;
      }};
  return {learn::principal_components(cloth, options).basis,
          learn::principal_components(residual, options).basis};
}

// Roughness of a mode: mean squared difference along edges over the mean square per vertex. Fine detail is
// rough.
double roughness(const garment::Garment& g, Eigen::Ref<const learn::Vector> mode) {
  double differences = 0, edges = 0;
  for (const garment::Triangle& t : g.triangles)
    for (size_t k = 0; k < 3; ++k, ++edges)
      differences += double{(mode.segment<3>(3 * static_cast<Eigen::Index>(t[k])) -
                             mode.segment<3>(3 * static_cast<Eigen::Index>(t[(k + 1) % 3])))
                                .squaredNorm()};
  return differences / edges / (double{mode.squaredNorm()} / static_cast<double>(g.size()));
}

}  // namespace

Figure figure_modes(const FigureInputs& inputs) {
  LearnedRows rows(inputs);
  const Bases bases = bases_of(rows);
  const garment::Garment& g = rows.frames().garment();
  const std::vector<Transform> joints = body::rest_transforms(rows.frames().character().skeleton);
  const DrawnBody body(rows.frames().character());
  PictureStyle style = style_for(g);
  style.width = 220, style.height = 280, style.rays = 32, style.distance = 3.9f, style.behind = 0.1f;
  if (inputs.quick) style.width = 90, style.height = 114, style.rays = 1;

  Figure figure;
  std::vector<draw::Image> panels;
  size_t columns = 0;
  for (const auto& [name, basis, scale] : {std::tuple{"skinning", &bases.skinning, kSkinningScale},
                                           std::tuple{"shape", &bases.shape, kShapeScale}}) {
    const size_t count = std::min<size_t>(kModes, static_cast<size_t>(basis->components()));
    double rough = 0;
    for (size_t k = 0; k < count; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      const learn::Vector mode = basis->modes.row(row).transpose();
      rough += roughness(g, mode) / static_cast<double>(count);
      const learn::Vector d = scale * basis->deviation[row] * mode;
      std::vector<V3> cloth;
      for (size_t v = 0; v < g.size(); ++v) {
        const auto i = 3 * static_cast<Eigen::Index>(v);
        cloth.push_back(g.rest[v] + V3{d[i], d[i + 1], d[i + 2]});
      }
      Picture picture(style, body, joints);
      picture.add_cloth({&cloth[0].x, 3 * cloth.size()}, g.triangles);
      panels.push_back(picture.make(following(joints), k == 0 ? name : ""));
    }
    columns = std::max(columns, count);
    if (count == 0) continue;
    figure.numbers[name] = {
        {"first_deviation_mm",
         1000 * std::sqrt(3.0 / static_cast<double>(basis->values())) * double{basis->deviation[0]}},
        {"mean_roughness", rough}};
  }
  add_picture(figure, inputs, "modes", draw::strip(panels, static_cast<int>(columns), 3));
  figure.shows =
      "The first principal components on the resting cloth. Top: of the cloth, which skinning makes, at "
      "twice "
      "their deviation in training. Bottom: of what skinning leaves, which shape makes, at eight times; "
      "these "
      "are finer (roughness: mean squared difference along edges by the mean square).";
  if (std::holds_alternative<learn::PatchModel>(rows.garment().model))
    figure.differs.push_back(
        "This garment learnt by patches, each with a basis of its own; shown is what the paper's two bases "
        "would be.");
  return figure;
}

}  // namespace billow::tool
