// Greedy mixed precision: all units start as int8, and the one with the largest gain a byte becomes int16 until the error is
// within the budget. Errors of different units are independent, so their squares add up. The basis is then chosen
// again exactly: its stored columns are padded to multiples of eight, and residual columns replace the padding.
#include "pack/choose_precision.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace billow::pack {
namespace {

constexpr size_t kInt8Index = static_cast<size_t>(Format::kInt8),
                 kInt16Index = static_cast<size_t>(Format::kInt16);

size_t round_up_to_8(size_t columns) { return (columns + 7) / 8 * 8; }

// Budget of the squared error. The rest is for the runtime, which rounds coefficients and activations to 16 bits.
double storage_budget(double max_error_mm) { return 0.9 * max_error_mm * max_error_mm; }

bool is_integer(Format format) { return format <= Format::kInt16; }

QuantisationCost cost_of(const std::vector<QuantisationUnit>& units, const std::vector<Format>& formats,
                         std::string name) {
  QuantisationCost cost{std::move(name), 0, 0, 0};
  double bytes = 0, rows = 0;
  size_t stored = 0;  // int8 columns
  for (size_t i = 0; i < units.size(); ++i) {
    const size_t k = static_cast<size_t>(formats[i]);
    (units[i].network ? cost.networks : cost.bases) += units[i].error[k];
    if (units[i].network || !is_integer(formats[i]))
      bytes += units[i].values * kFormatBytes[k];
    else
      stored += formats[i] == Format::kInt16 ? 2 : 1, rows = units[i].values;
  }
  cost.bases = std::sqrt(cost.bases), cost.networks = std::sqrt(cost.networks);
  cost.bytes = static_cast<size_t>(bytes + rows * static_cast<double>(round_up_to_8(stored)));
  return cost;
}

constexpr Format kSingleFormats[] = {Format::kInt8, Format::kInt16, Format::kFloat16, Format::kFloat32};

// Costs of a single format for all units.
std::vector<QuantisationCost> single_format_costs(const std::vector<QuantisationUnit>& units) {
  std::vector<QuantisationCost> costs;
  for (const Format k : kSingleFormats)
    costs.push_back(
        cost_of(units, std::vector<Format>(units.size(), k), kFormatNames[static_cast<size_t>(k)]));
  return costs;
}

// Columns of the basis (the first units) in descending order of their gain from int16.
std::vector<size_t> by_gain(const std::vector<QuantisationUnit>& units, size_t columns) {
  std::vector<size_t> order(columns);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto gain = [&](size_t c) { return units[c].error[kInt8Index] - units[c].error[kInt16Index]; };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return gain(a) > gain(b); });
  return order;
}

// Formats of the basis' columns in the fewest bytes with error(formats) <= max_error, if possible.
std::vector<Format> choose_basis_formats(const std::vector<QuantisationUnit>& units, size_t columns,
                                         double max_error,
                                         const std::function<double(std::span<const Format>)>& error) {
  const std::vector<size_t> order = by_gain(units, columns);
  std::vector<Format> formats(columns, Format::kInt8);
  size_t int16_count = 0;
  for (size_t stored = round_up_to_8(columns);; stored += 8) {
    while (int16_count < columns && columns + int16_count < stored)
      formats[order[int16_count++]] = Format::kInt16;
    if (int16_count == columns || error(formats) <= max_error) return formats;
  }
}

std::vector<Format> mixed_precision(const std::vector<QuantisationUnit>& units, size_t basis_columns,
                                    double max_error_mm) {
  std::vector<Format> formats(units.size(), Format::kInt8);
  double error = 0;
  for (const QuantisationUnit& p : units) error += p.error[kInt8Index];
  const double max_error = storage_budget(max_error_mm);
  while (error > max_error) {
    size_t best = units.size();
    double best_gain = 0;
    for (size_t i = 0; i < units.size(); ++i) {
      if (formats[i] == Format::kInt16) continue;
      const double gain = (units[i].error[kInt8Index] - units[i].error[kInt16Index]) / units[i].values;
      if (gain > best_gain) best = i, best_gain = gain;
    }
    if (best == units.size()) break;  // all int16
    error -= units[best].error[kInt8Index] - units[best].error[kInt16Index];
    formats[best] = Format::kInt16;
  }
  double networks = 0;
  for (size_t i = basis_columns; i < units.size(); ++i)
    networks += units[i].error[static_cast<size_t>(formats[i])];
  const std::vector<Format> basis =
      choose_basis_formats(units, basis_columns, max_error - networks, [&](std::span<const Format> columns) {
        double sum = 0;
        for (size_t c = 0; c < columns.size(); ++c) sum += units[c].error[static_cast<size_t>(columns[c])];
        return sum;
      });
  std::copy(basis.begin(), basis.end(), formats.begin());
  return formats;
}

}  // namespace

double QuantisationCost::total() const { return std::sqrt(bases * bases + networks * networks); }

Precision precision_named(const std::string& name) {
  constexpr const char* kNames[] = {"mixed", "int8", "int16", "fp16", "fp32"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<Precision>(i);
  throw std::invalid_argument("storage: expected mixed, int8, int16, fp16 or fp32, found " + name);
}

PrecisionChoice choose_precision(const std::vector<QuantisationUnit>& units, size_t basis_columns,
                                 const PackOptions& options) {
  PrecisionChoice choice;
  choice.others = single_format_costs(units);
  std::vector<Format> formats;
  if (options.precision == Precision::kMixed) {
    formats = mixed_precision(units, basis_columns, options.max_error_mm);
    choice.cost = cost_of(units, formats, "mixed");
  } else {
    const size_t at = static_cast<size_t>(options.precision) - 1;
    formats.assign(units.size(), kSingleFormats[at]);
    choice.cost = choice.others[at];
  }
  const auto split = formats.begin() + static_cast<std::ptrdiff_t>(basis_columns);
  choice.basis.assign(formats.begin(), split);
  choice.network.assign(split, formats.end());
  return choice;
}

PrecisionChoice choose_gptq_precision(
    const std::vector<QuantisationUnit>& units, size_t basis_columns, const PackOptions& options,
    const std::function<double(std::span<const Format> formats)>& quantise_basis,
    const std::function<const QuantisedNetworks&(double max_error)>& quantise_networks) {
  PrecisionChoice choice;
  choice.others = single_format_costs(units);
  const double max_error = storage_budget(options.max_error_mm);
  choice.basis = choose_basis_formats(units, basis_columns, max_error / 2, quantise_basis);
  choice.cost = cost_of({units.begin(), units.begin() + static_cast<std::ptrdiff_t>(basis_columns)},
                        choice.basis, "mixed");
  const double basis_error = quantise_basis(choice.basis);
  choice.cost.bases = std::sqrt(basis_error);
  const QuantisedNetworks& networks = quantise_networks(max_error - basis_error);
  choice.cost.networks = std::sqrt(networks.error);
  choice.cost.bytes += networks.bytes;
  return choice;
}

}  // namespace billow::pack
