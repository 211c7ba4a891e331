// `billow figures modes`: the first principal components of what skinning and shape have to make, on the rest (paper: Figure pca).
#include <cmath>
#include <tuple>

#include "learn/pca.h"
#include "learned_rows.h"

namespace billow::tool {
namespace {

constexpr size_t kShown = 5;
// How many deviations they are shown at. What is left for shape is millimetres, which nobody would see.
constexpr float kSkinningShown = 2, kShapeShown = 8;

struct Bases {
  learn::Basis skinning, shape;
};

// Of a garment in the paper's form as the file has them; else what these would be: of the cloth, and of what skinning leaves.
Bases bases_of(const LearnedRows& rows) {
  if (const auto* whole = std::get_if<learn::Model>(&rows.garment().model))
    return {whole->skinning.basis, whole->shape.basis};
  const learn::Frames& frames = rows.frames();
  const std::vector<uint32_t> train = frames.of(dataset::Part::kTrain);
  const learn::PcaOptions options{.components = kShown};
  const learn::Rows cloth = learn::cloth_rows(frames, train);
  const evaluate::Predictor skinning =
      evaluate::networks("", frames, rows.garment().model, rows.embedded(), false);
  const learn::Rows left{cloth.count, cloth.values, [&](size_t first, Eigen::Ref<learn::Matrix> out) {
                           learn::Matrix made(out.rows(), out.cols());
                           skinning.predict({train.data() + first, static_cast<size_t>(out.rows())}, made);
                           cloth.fill(first, out);
                           out -= made;
                         }};
  return {learn::principal_components(cloth, options).basis,
          learn::principal_components(left, options).basis};
}

// How rough a mode is: the mean over edges of the squared difference of its ends, by that of its values. Detail is rough.
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
  for (const auto& [name, basis, shown] : {std::tuple{"skinning", &bases.skinning, kSkinningShown},
                                           std::tuple{"shape", &bases.shape, kShapeShown}}) {
    const size_t count = std::min<size_t>(kShown, static_cast<size_t>(basis->components()));
    double rough = 0;
    for (size_t k = 0; k < count; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      const learn::Vector mode = basis->modes.row(row).transpose();
      rough += roughness(g, mode) / static_cast<double>(count);
      const learn::Vector d = shown * basis->deviation[row] * mode;
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
