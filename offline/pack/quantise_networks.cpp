#include "pack/quantise_networks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "pack/parts.h"
#include "pack/quantise_row.h"
#include "parallel.h"

namespace billow::pack {
namespace {

using Eigen::Index;

// Columns from the one that varies most, to the one that varies least once those before it are known.
Order by_what_they_add(Square spread) {
  Order order(static_cast<size_t>(spread.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  for (size_t k = 0; k < order.size(); ++k) {
    const auto most = std::max_element(order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                                       [&](Index a, Index b) { return spread(a, a) < spread(b, b); });
    std::iter_swap(order.begin() + static_cast<std::ptrdiff_t>(k), most);
    const Index c = order[k];
    if (!(spread(c, c) > 0)) break;
    const Eigen::VectorXd column = spread.col(c) / std::sqrt(spread(c, c));
    spread -= column * column.transpose();
  }
  return order;
}

// How inputs vary about their mean, which a bias can make up for; with a little added to each: frames are a sample.
struct Spread {
  Square products;
  Eigen::RowVectorXf mean;

  explicit Spread(const learn::Matrix& inputs) : mean(inputs.colwise().mean()) {
    const learn::Matrix off = inputs.rowwise() - mean;
    products =
        (off.transpose() * off).cast<double>() / static_cast<double>(std::max<Index>(1, inputs.rows()));
    products.diagonal().array() += 0.001 * products.diagonal().mean() + 1e-9;
  }
};

// A matrix in whole steps, and how large 127 of them are in each row.
struct Rounded {
  learn::Matrix weights;
  std::vector<float> scales;
};

// `order`: of rounding, the `fine` last ones to 16 bits. `steps`: how large those of columns are, compared with each other.
Rounded rounded(const learn::Matrix& weights, const Square& factor, const Order& order,
                const Eigen::RowVectorXd& steps, Index fine) {
  Rounded out{learn::Matrix(weights.rows(), weights.cols()), {}};
  for (Index r = 0; r < weights.rows(); ++r) {
    Eigen::RowVectorXd row = weights.row(r).cast<double>();
    const double most = row.size() > 0 ? row.cwiseQuotient(steps).cwiseAbs().maxCoeff() : 0;
    out.scales.push_back(static_cast<float>(most > 0 ? most : 1));
    quantise_row(factor, order, fine, steps * (static_cast<double>(out.scales.back()) / kByteSteps), row);
    out.weights.row(r) = row.cast<float>();
  }
  return out;
}

// The layers, and behind them the linear path.
template <class Network> auto& matrix(Network& n, size_t which) {
  return which < n.layers.size() ? n.layers[which].weights : n.linear;
}
learn::Vector& bias(learn::Network& n, size_t which) {
  return which < n.layers.size() ? n.layers[which].bias : n.bias;
}

// One network: what it sees, and what comes of it.
struct Known {
  learn::Matrix inputs, right;  // frames to measure by
  learn::Matrix squares;        // of the displacement of its patches' cloth, from coefficients
  // For the inputs of each layer.
  std::vector<Square> factor;
  std::vector<Order> order;
  std::vector<Eigen::RowVectorXf> mean;
};

class Rounding {
 public:
  Rounding(learn::PatchModel& model, const learn::PatchInputs& frames)
      : model_(model), known_(model.networks.size()), layers_(model.networks[0].layers.size()) {
    std::vector<std::vector<Spread>> spreads(known_.size());
    const auto patches_of = model.patches_of_networks();
    for_each_in_parallel(known_.size(), [&](size_t n) { spreads[n] = look_at(n, patches_of[n], frames); });
    // Inputs stand alike in all networks, so the fine ones are the same; units of layers each network may sort for itself.
    Square together = spreads[0][0].products;
    for (size_t n = 1; n < known_.size(); ++n) together += spreads[n][0].products;
    const Order seen = by_what_they_add(together);
    first_ = seen;
    for_each_in_parallel(known_.size(), [&](size_t n) {
      Known& k = known_[n];
      for (size_t i = 0; i < spreads[n].size(); ++i) {
        Spread& spread = spreads[n][i];
        if (i > 0) sort_units(n, i - 1, by_what_they_add(spread.products), spread);
        Order order = i == 0 ? seen : Order(static_cast<size_t>(spread.mean.size()));
        if (i > 0) std::iota(order.begin(), order.end(), Index{0});
        std::reverse(order.begin(), order.end());
        k.factor.push_back(factor_of(spread.products, order));
        k.order.push_back(std::move(order));
        k.mean.push_back(spread.mean);
      }
    });
    for (size_t i = 0; i < groups(); ++i) steps_.push_back(quantise_input(i));
  }

  // Matrices that have the same inputs are rounded alike: the linear path goes with the first layer.
  size_t groups() const { return std::max<size_t>(1, layers_); }
  Index columns(size_t group) const { return static_cast<Index>(known_[0].order[group].size()); }
  double numbers(size_t group) const {
    double sum = 0;
    for (const size_t m : matrices_of(group))
      for (size_t n = 0; n < known_.size(); ++n)
        sum += static_cast<double>(matrix(model_.networks[n], m).size());
    return sum;
  }
  // mm squared
  double error(size_t group, Index fine) {
    const auto [at, fresh] = errors_.try_emplace({group, fine}, 0.0);
    if (!fresh) return at->second;
    std::vector<double> sums(known_.size());
    for_each_in_parallel(known_.size(), [&](size_t n) {
      learn::Network changed = model_.networks[n];
      round(n, group, fine, changed, [](size_t, const std::vector<float>&) {});
      const Known& k = known_[n];
      const learn::Matrix off = changed(k.inputs) - k.right;
      sums[n] = static_cast<double>((off * k.squares).cwiseProduct(off).sum()) /
                static_cast<double>(std::max<Index>(1, k.inputs.rows()));
    });
    at->second =
        1e6 / static_cast<double>(model_.rest.size()) * std::accumulate(sums.begin(), sums.end(), 0.0);
    return at->second;
  }
  // For good.
  void round(size_t group, Index fine, RoundedNetworks& out) {
    for (const size_t m : matrices_of(group)) {
      RoundedMatrix& r = out.matrices[m];
      r.kinds.assign(static_cast<size_t>(columns(group)), Kind::kInt8);
      for (Index c = 0; c < fine; ++c)
        r.kinds[static_cast<size_t>(group == 0 ? first_[static_cast<size_t>(c)] : c)] = Kind::kInt16;
      const auto rows = static_cast<uint32_t>(matrix(model_.networks[0], m).rows());
      r.row_scales.assign(known_.size() * round_up_to_panels(rows), 1.0f);
      const Eigen::RowVectorXd s = steps(group, fine);
      r.column_scales.assign(s.begin(), s.end());
    }
    for_each_in_parallel(known_.size(), [&](size_t n) {
      round(n, group, fine, model_.networks[n], [&](size_t m, const std::vector<float>& scales) {
        const size_t rows = round_up_to_panels(static_cast<uint32_t>(scales.size()));
        std::copy(scales.begin(), scales.end(),
                  out.matrices[m].row_scales.begin() + static_cast<std::ptrdiff_t>(n * rows));
      });
    });
  }
  size_t matrices() const { return layers_ + (model_.networks[0].linear.size() > 0); }

 private:
  // How long steps of columns are, compared with each other. Shorter where there is less to make up for an error, and where weights are small
  // anyway: powers of both, as found by trying.
  Eigen::RowVectorXd quantise_input(size_t group) const {
    constexpr double kOfWhatMakesUp = 0.3, kOfWeights = 0.5;
    Eigen::RowVectorXd logarithms = Eigen::RowVectorXd::Zero(columns(group)), squares = logarithms;
    for (const Known& k : known_)
      for (Index c = 0; c < columns(group); ++c)
        logarithms[k.order[group][static_cast<size_t>(c)]] += std::log(k.factor[group](c, c));
    for (const size_t m : matrices_of(group))
      for (const learn::Network& n : model_.networks)
        squares += matrix(n, m).rowwise().normalized().colwise().squaredNorm().cast<double>();
    logarithms *= kOfWhatMakesUp / static_cast<double>(known_.size());
    logarithms.array() += 0.5 * kOfWeights * (squares.array() + 1e-20).log();
    return (logarithms.array() - logarithms.mean()).exp();
  }
  // Those of 16 bits are fine enough to be longer than the others, which can then be shorter.
  Eigen::RowVectorXd steps(size_t group, Index fine) const {
    constexpr double kLonger = 4;
    Eigen::RowVectorXd out = steps_[group];
    const Order& order = known_[0].order[group];
    for (Index c = columns(group) - fine; c < columns(group); ++c)
      out[order[static_cast<size_t>(c)]] *= kLonger;
    return out;
  }
  static constexpr Index kFrames = 512, kMeasured = 128;

  std::vector<size_t> matrices_of(size_t group) const { return matrices_of(group, model_.networks[0]); }
  // All networks have the same; one that is rounded looks at itself, as another may just be changing.
  std::vector<size_t> matrices_of(size_t group, const learn::Network& n) const {
    std::vector<size_t> out;
    if (group < layers_) out.push_back(group);
    if (group == 0 && n.linear.size() > 0) out.push_back(layers_);
    return out;
  }
  // `tell(matrix, scales of its rows)`
  template <class Tell>
  void round(size_t which, size_t group, Index fine, learn::Network& n, Tell tell) const {
    const Known& k = known_[which];
    for (const size_t m : matrices_of(group, n)) {
      const Rounded r = rounded(matrix(n, m), k.factor[group], k.order[group], steps(group, fine), fine);
      learn::Vector& b = bias(n, m);
      if (b.size() == 0) b = learn::Vector::Zero(r.weights.rows());
      b += (matrix(n, m) - r.weights) * k.mean[group].transpose();
      matrix(n, m) = r.weights;
      tell(m, r.scales);
    }
  }

  // What a network's patches see in half of the frames goes into `known_`; in the other half, how its layers' inputs vary.
  std::vector<Spread> look_at(size_t which, std::span<const uint32_t> patches,
                              const learn::PatchInputs& frames) {
    Known& k = known_[which];
    const learn::Network& n = model_.networks[which];
    learn::Matrix all = typical_inputs(n, kFrames);
    if (const Index rows = frames.bones.rows(); rows > 0) {
      all.resize(rows * static_cast<Index>(patches.size()), all.cols());
      for (size_t i = 0; i < patches.size(); ++i)
        all.middleRows(static_cast<Index>(i) * rows, rows) = model_.features(patches[i], frames);
    }
    learn::Matrix half((all.rows() + 1) / 2, all.cols());
    for (Index f = 0; f < half.rows(); ++f) half.row(f) = all.row(2 * f);
    const Index measured = std::min(all.rows() / 2, kMeasured);
    k.inputs.resize(measured, all.cols());
    for (Index f = 0; f < measured; ++f) k.inputs.row(f) = all.row(2 * (f * (all.rows() / 2) / measured) + 1);
    k.right = n(k.inputs);
    k.squares = displacement_squares(model_, patches);
    std::vector<Spread> spreads;
    learn::Matrix values = n.centered(half);
    spreads.emplace_back(values);
    for (size_t i = 0; i + 1 < layers_; ++i) {
      values = n.after(i, values);
      spreads.emplace_back(values);
    }
    return spreads;
  }
  // Puts the units of a layer in order; `spread` is that of their values.
  void sort_units(size_t which, size_t layer, const Order& order, Spread& spread) {
    learn::Network& n = model_.networks[which];
    const learn::Layer from = n.layers[layer];
    const learn::Matrix next = n.layers[layer + 1].weights;
    const Spread before = spread;
    for (Index i = 0; i < spread.mean.size(); ++i) {
      const Index o = order[static_cast<size_t>(i)];
      n.layers[layer].weights.row(i) = from.weights.row(o);
      n.layers[layer].bias[i] = from.bias[o];
      n.layers[layer + 1].weights.col(i) = next.col(o);
      spread.mean[i] = before.mean[o];
      for (Index j = 0; j < spread.mean.size(); ++j)
        spread.products(i, j) = before.products(o, order[static_cast<size_t>(j)]);
    }
  }

  learn::PatchModel& model_;
  std::vector<Known> known_;
  size_t layers_;
  Order first_;                            // of the inputs
  std::vector<Eigen::RowVectorXd> steps_;  // of the columns of each group
  std::map<std::pair<size_t, Index>, double> errors_;
};

}  // namespace

learn::PatchInputs frames_to_round_by(const learn::Frames& frames) {
  constexpr size_t kEach = 2000;
  const std::vector<uint32_t> all = frames.of(dataset::Part::kTrain);
  std::vector<uint32_t> some;
  const size_t count = std::min(kEach, all.size());
  for (size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  learn::PatchSamples samples = learn::patch_samples(frames, some, learn::Source::kEmbedded, nullptr);
  samples.append(learn::patch_samples(frames, some, learn::Source::kRope, nullptr));
  return samples.inputs;
}

RoundedNetworks quantise_networks(learn::PatchModel& model, const learn::PatchInputs& frames,
                                  double most_error) {
  Rounding rounding(model, frames);
  // From no fine columns on, whatever gains most for a byte gets eight more.
  std::vector<Index> fine(rounding.groups(), 0);
  const auto more = [&](size_t g) { return std::min(fine[g] + 8, rounding.columns(g)); };
  RoundedNetworks out;
  for (;;) {
    out.error = 0;
    for (size_t g = 0; g < fine.size(); ++g) out.error += rounding.error(g, fine[g]);
    if (out.error <= most_error) break;
    size_t best = fine.size();
    double best_gain = 0;
    for (size_t g = 0; g < fine.size(); ++g) {
      if (fine[g] == rounding.columns(g)) continue;
      const double gain = (rounding.error(g, fine[g]) - rounding.error(g, more(g))) / rounding.numbers(g) *
                          static_cast<double>(rounding.columns(g));
      if (best == fine.size() || gain > best_gain) best = g, best_gain = gain;
    }
    if (best == fine.size()) break;  // as fine as it gets
    fine[best] = more(best);
  }
  out.matrices.resize(rounding.matrices());
  for (size_t g = 0; g < fine.size(); ++g) {
    rounding.round(g, fine[g], out);
    const double columns = static_cast<double>(rounding.columns(g));
    out.bytes += static_cast<size_t>(rounding.numbers(g) * (1 + static_cast<double>(fine[g]) / columns));
  }
  return out;
}

}  // namespace billow::pack
