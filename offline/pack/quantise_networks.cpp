#include "pack/quantise_networks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "pack/gptq.h"
#include "pack/model_matrices.h"
#include "parallel.h"

namespace billow::pack {
namespace {

using Eigen::Index;

// Columns in the order of pivoted Cholesky decomposition: each has the largest variance given those before it.
ColumnOrder pivoted_cholesky_order(SquareMatrix covariance) {
  ColumnOrder order(static_cast<size_t>(covariance.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  for (size_t k = 0; k < order.size(); ++k) {
    const auto pivot =
        std::max_element(order.begin() + static_cast<std::ptrdiff_t>(k), order.end(),
                         [&](Index a, Index b) { return covariance(a, a) < covariance(b, b); });
    std::iter_swap(order.begin() + static_cast<std::ptrdiff_t>(k), pivot);
    const Index c = order[k];
    if (!(covariance(c, c) > 0)) break;
    const Eigen::VectorXd column = covariance.col(c) / std::sqrt(covariance(c, c));
    covariance -= column * column.transpose();
  }
  return order;
}

// Mean and covariance of a layer's inputs. The covariance is the Hessian of GPTQ, as the bias compensates the mean error. Its
// diagonal is dampened, because calibration frames are a sample.
struct InputStatistics {
  SquareMatrix covariance;
  Eigen::RowVectorXf mean;

  explicit InputStatistics(const learn::Matrix& inputs) : mean(inputs.colwise().mean()) {
    const learn::Matrix centred = inputs.rowwise() - mean;
    covariance = (centred.transpose() * centred).cast<double>() /
                 static_cast<double>(std::max<Index>(1, inputs.rows()));
    covariance.diagonal().array() += 0.001 * covariance.diagonal().mean() + 1e-9;
  }
};

// Quantised weights, and the magnitude of 127 steps in each row.
struct QuantisedWeights {
  learn::Matrix weights;
  std::vector<float> scales;
};

// `steps`: relative step sizes of the columns.
QuantisedWeights quantise_weights(const learn::Matrix& weights, const SquareMatrix& factor,
                                  const ColumnOrder& order, const Eigen::RowVectorXd& steps,
                                  Index int16_count) {
  QuantisedWeights out{learn::Matrix(weights.rows(), weights.cols()), {}};
  for (Index r = 0; r < weights.rows(); ++r) {
    Eigen::RowVectorXd row = weights.row(r).cast<double>();
    const double scale = row.size() > 0 ? row.cwiseQuotient(steps).cwiseAbs().maxCoeff() : 0;
    out.scales.push_back(static_cast<float>(scale > 0 ? scale : 1));
    gptq_row(factor, order, int16_count, steps * (static_cast<double>(out.scales.back()) / kInt8Max), row);
    out.weights.row(r) = row.cast<float>();
  }
  return out;
}

// A layer, or the linear path after the layers.
template <class Network> auto& weights_of(Network& n, size_t which) {
  return which < n.layers.size() ? n.layers[which].weights : n.linear;
}
learn::Vector& bias_of(learn::Network& n, size_t which) {
  return which < n.layers.size() ? n.layers[which].bias : n.bias;
}

// Calibration data of one network.
struct NetworkData {
  learn::Matrix inputs, expected;  // held-out frames, to measure the error
  learn::Matrix metric;            // displacement_metric of its patches
  // One entry a layer:
  std::vector<SquareMatrix> factor;
  std::vector<ColumnOrder> order;
  std::vector<Eigen::RowVectorXf> mean;
};

class NetworkQuantiser {
 public:
  NetworkQuantiser(learn::PatchModel& model, const learn::PatchInputs& calibration)
      : model_(model), networks_(model.networks.size()), layers_(model.networks[0].layers.size()) {
    std::vector<std::vector<InputStatistics>> statistics(networks_.size());
    const auto patches_of = model.patches_of_networks();
    for_each_in_parallel(networks_.size(),
                         [&](size_t n) { statistics[n] = collect(n, patches_of[n], calibration); });
    // Inputs have one order in all networks, so that the same ones are int16. Hidden units are sorted for each network.
    SquareMatrix pooled = statistics[0][0].covariance;
    for (size_t n = 1; n < networks_.size(); ++n) pooled += statistics[n][0].covariance;
    const ColumnOrder input_order = pivoted_cholesky_order(pooled);
    input_order_ = input_order;
    for_each_in_parallel(networks_.size(), [&](size_t n) {
      NetworkData& data = networks_[n];
      for (size_t i = 0; i < statistics[n].size(); ++i) {
        InputStatistics& own = statistics[n][i];
        if (i > 0) sort_units(n, i - 1, pivoted_cholesky_order(own.covariance), own);
        ColumnOrder order = i == 0 ? input_order : ColumnOrder(static_cast<size_t>(own.mean.size()));
        if (i > 0) std::iota(order.begin(), order.end(), Index{0});
        std::reverse(order.begin(), order.end());
        data.factor.push_back(inverse_hessian_factor(own.covariance, order));
        data.order.push_back(std::move(order));
        data.mean.push_back(own.mean);
      }
    });
    for (size_t i = 0; i < groups(); ++i) steps_.push_back(column_steps(i));
  }

  // Matrices with the same inputs form a group: the linear path belongs to that of the first layer.
  size_t groups() const { return std::max<size_t>(1, layers_); }
  Index columns(size_t group) const { return static_cast<Index>(networks_[0].order[group].size()); }
  double weight_count(size_t group) const {
    double sum = 0;
    for (const size_t m : matrices_of(group))
      for (size_t n = 0; n < networks_.size(); ++n)
        sum += static_cast<double>(weights_of(model_.networks[n], m).size());
    return sum;
  }
  // Error with one group quantised, mm squared, mean over vertices.
  double error(size_t group, Index int16_count) {
    const auto [at, is_new] = errors_.try_emplace({group, int16_count}, 0.0);
    if (!is_new) return at->second;
    std::vector<double> sums(networks_.size());
    for_each_in_parallel(networks_.size(), [&](size_t n) {
      learn::Network quantised = model_.networks[n];
      quantise(n, group, int16_count, quantised, [](size_t, const std::vector<float>&) {});
      const NetworkData& data = networks_[n];
      const learn::Matrix error = quantised(data.inputs) - data.expected;
      sums[n] = static_cast<double>((error * data.metric).cwiseProduct(error).sum()) /
                static_cast<double>(std::max<Index>(1, data.inputs.rows()));
    });
    at->second =
        1e6 / static_cast<double>(model_.rest.size()) * std::accumulate(sums.begin(), sums.end(), 0.0);
    return at->second;
  }
  // Quantises a group in the model.
  void quantise(size_t group, Index int16_count, QuantisedNetworks& out) {
    for (const size_t m : matrices_of(group)) {
      QuantisedMatrix& r = out.matrices[m];
      r.formats.assign(static_cast<size_t>(columns(group)), Format::kInt8);
      for (Index c = 0; c < int16_count; ++c)
        r.formats[static_cast<size_t>(group == 0 ? input_order_[static_cast<size_t>(c)] : c)] =
            Format::kInt16;
      const auto rows = static_cast<uint32_t>(weights_of(model_.networks[0], m).rows());
      r.row_scales.assign(networks_.size() * round_up_to_panels(rows), 1.0f);
      const Eigen::RowVectorXd s = steps(group, int16_count);
      r.column_scales.assign(s.begin(), s.end());
    }
    for_each_in_parallel(networks_.size(), [&](size_t n) {
      quantise(n, group, int16_count, model_.networks[n], [&](size_t m, const std::vector<float>& scales) {
        const size_t rows = round_up_to_panels(static_cast<uint32_t>(scales.size()));
        std::copy(scales.begin(), scales.end(),
                  out.matrices[m].row_scales.begin() + static_cast<std::ptrdiff_t>(n * rows));
      });
    });
  }
  size_t matrices() const { return layers_ + (model_.networks[0].linear.size() > 0); }

 private:
  // Relative step sizes of the columns: smaller where later columns can compensate less of the error (diagonal of the factor),
  // and where weights are small. The exponents were tuned by hand.
  Eigen::RowVectorXd column_steps(size_t group) const {
    constexpr double kFactorPower = 0.3, kWeightPower = 0.5;
    Eigen::RowVectorXd logarithms = Eigen::RowVectorXd::Zero(columns(group)), squares = logarithms;
    for (const NetworkData& data : networks_)
      for (Index c = 0; c < columns(group); ++c)
        logarithms[data.order[group][static_cast<size_t>(c)]] += std::log(data.factor[group](c, c));
    // A row of zeros has no direction. Patches with fewer vertices than components have some.
    for (const size_t m : matrices_of(group))
      for (const learn::Network& n : model_.networks) {
        const auto& weights = weights_of(n, m);
        const learn::Vector norms = weights.rowwise().norm().cwiseMax(std::numeric_limits<float>::min());
        squares +=
            (weights.array().colwise() / norms.array()).matrix().colwise().squaredNorm().cast<double>();
      }
    logarithms *= kFactorPower / static_cast<double>(networks_.size());
    logarithms.array() += 0.5 * kWeightPower * (squares.array() + 1e-20).log();
    return (logarithms.array() - logarithms.mean()).exp();
  }
  // Enlarges the steps of int16 columns, which can afford it. The row scale, and with it all other steps, then gets smaller.
  Eigen::RowVectorXd steps(size_t group, Index int16_count) const {
    constexpr double kInt16StepFactor = 4;
    Eigen::RowVectorXd out = steps_[group];
    const ColumnOrder& order = networks_[0].order[group];
    for (Index c = columns(group) - int16_count; c < columns(group); ++c)
      out[order[static_cast<size_t>(c)]] *= kInt16StepFactor;
    return out;
  }
  static constexpr Index kRandomInputs = 512, kTestFrames = 128;

  std::vector<size_t> matrices_of(size_t group) const { return matrices_of(group, model_.networks[0]); }
  // All networks have the same matrices. A task must pass its own network, as other tasks change theirs at the same time.
  std::vector<size_t> matrices_of(size_t group, const learn::Network& n) const {
    std::vector<size_t> out;
    if (group < layers_) out.push_back(group);
    if (group == 0 && n.linear.size() > 0) out.push_back(layers_);
    return out;
  }
  // Calls report_scales(matrix, row scales).
  template <class ReportScales>
  void quantise(size_t which, size_t group, Index int16_count, learn::Network& n,
                ReportScales report_scales) const {
    const NetworkData& data = networks_[which];
    for (const size_t m : matrices_of(group, n)) {
      const QuantisedWeights r = quantise_weights(weights_of(n, m), data.factor[group], data.order[group],
                                                  steps(group, int16_count), int16_count);
      learn::Vector& b = bias_of(n, m);
      if (b.size() == 0) b = learn::Vector::Zero(r.weights.rows());
      b += (weights_of(n, m) - r.weights) * data.mean[group].transpose();
      weights_of(n, m) = r.weights;
      report_scales(m, r.scales);
    }
  }

  // Even calibration frames go into the statistics of layer inputs, odd ones are held out to measure the error.
  std::vector<InputStatistics> collect(size_t which, std::span<const uint32_t> patches,
                                       const learn::PatchInputs& calibration) {
    NetworkData& data = networks_[which];
    const learn::Network& n = model_.networks[which];
    learn::Matrix all = typical_inputs(n, kRandomInputs);
    if (const Index rows = calibration.bones.rows(); rows > 0) {
      all.resize(rows * static_cast<Index>(patches.size()), all.cols());
      for (size_t i = 0; i < patches.size(); ++i)
        all.middleRows(static_cast<Index>(i) * rows, rows) = model_.features(patches[i], calibration);
    }
    learn::Matrix half((all.rows() + 1) / 2, all.cols());
    for (Index f = 0; f < half.rows(); ++f) half.row(f) = all.row(2 * f);
    const Index test_count = std::min(all.rows() / 2, kTestFrames);
    data.inputs.resize(test_count, all.cols());
    for (Index f = 0; f < test_count; ++f)
      data.inputs.row(f) = all.row(2 * (f * (all.rows() / 2) / test_count) + 1);
    data.expected = n(data.inputs);
    data.metric = displacement_metric(model_, patches);
    std::vector<InputStatistics> statistics;
    learn::Matrix values = n.standardised(half);
    statistics.emplace_back(values);
    for (size_t i = 0; i + 1 < layers_; ++i) {
      values = n.layer_output(i, values);
      statistics.emplace_back(values);
    }
    return statistics;
  }
  // Reorders the units of a hidden layer, and the statistics of their values.
  void sort_units(size_t which, size_t layer, const ColumnOrder& order, InputStatistics& own) {
    learn::Network& n = model_.networks[which];
    const learn::Layer from = n.layers[layer];
    const learn::Matrix next = n.layers[layer + 1].weights;
    const InputStatistics before = own;
    for (Index i = 0; i < own.mean.size(); ++i) {
      const Index o = order[static_cast<size_t>(i)];
      n.layers[layer].weights.row(i) = from.weights.row(o);
      n.layers[layer].bias[i] = from.bias[o];
      n.layers[layer + 1].weights.col(i) = next.col(o);
      own.mean[i] = before.mean[o];
      for (Index j = 0; j < own.mean.size(); ++j)
        own.covariance(i, j) = before.covariance(o, order[static_cast<size_t>(j)]);
    }
  }

  learn::PatchModel& model_;
  std::vector<NetworkData> networks_;
  size_t layers_;
  ColumnOrder input_order_;                // in descending order of importance
  std::vector<Eigen::RowVectorXd> steps_;  // column_steps of each group
  std::map<std::pair<size_t, Index>, double> errors_;
};

}  // namespace

learn::PatchInputs calibration_frames(const learn::Frames& frames) {
  constexpr size_t kFramesPerSource = 2000;
  const std::vector<uint32_t> all = frames.of(dataset::Part::kTrain);
  std::vector<uint32_t> some;
  const size_t count = std::min(kFramesPerSource, all.size());
  for (size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  learn::PatchSamples samples = learn::patch_samples(frames, some, learn::Source::kEmbedded, nullptr);
  samples.append(learn::patch_samples(frames, some, learn::Source::kRope, nullptr));
  return samples.inputs;
}

QuantisedNetworks quantise_networks(learn::PatchModel& model, const learn::PatchInputs& calibration,
                                    double max_error) {
  NetworkQuantiser quantiser(model, calibration);
  // Start without int16 columns, and add eight to the group with the largest gain a byte until the error is small enough.
  std::vector<Index> int16_counts(quantiser.groups(), 0);
  const auto more = [&](size_t g) { return std::min(int16_counts[g] + 8, quantiser.columns(g)); };
  QuantisedNetworks out;
  for (;;) {
    out.error = 0;
    for (size_t g = 0; g < int16_counts.size(); ++g) out.error += quantiser.error(g, int16_counts[g]);
    if (out.error <= max_error) break;
    size_t best = int16_counts.size();
    double best_gain = 0;
    for (size_t g = 0; g < int16_counts.size(); ++g) {
      if (int16_counts[g] == quantiser.columns(g)) continue;
      const double gain = (quantiser.error(g, int16_counts[g]) - quantiser.error(g, more(g))) /
                          quantiser.weight_count(g) * static_cast<double>(quantiser.columns(g));
      if (best == int16_counts.size() || gain > best_gain) best = g, best_gain = gain;
    }
    if (best == int16_counts.size()) break;  // all int16
    int16_counts[best] = more(best);
  }
  out.matrices.resize(quantiser.matrices());
  for (size_t g = 0; g < int16_counts.size(); ++g) {
    quantiser.quantise(g, int16_counts[g], out);
    const double columns = static_cast<double>(quantiser.columns(g));
    out.bytes +=
        static_cast<size_t>(quantiser.weight_count(g) * (1 + static_cast<double>(int16_counts[g]) / columns));
  }
  return out;
}

}  // namespace billow::pack
