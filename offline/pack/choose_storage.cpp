// Mixed storage: everything begins coarse, and what gains most for a byte gets finer until the error is small enough. Errors
// of different parts are independent, so their squares add up. Then the basis is chosen once more, exactly: its stored
// columns come in eights, and what would only fill one up may as well make something finer.
#include "pack/choose_storage.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace billow::pack {
namespace {

constexpr size_t kCoarse = static_cast<size_t>(Kind::kInt8), kFine = static_cast<size_t>(Kind::kInt16);

size_t in_eights(size_t columns) { return (columns + 7) / 8 * 8; }

// Of the square of an error: the runtime rounds coefficients and the values between layers to 16 bits, which needs some room.
double for_storage(double most_error) { return 0.9 * most_error * most_error; }

bool whole_numbers(Kind kind) { return kind <= Kind::kInt16; }

StorageCost cost_of(const std::vector<Part>& parts, const std::vector<Kind>& kinds, std::string name) {
  StorageCost cost{std::move(name), 0, 0, 0};
  double bytes = 0, rows = 0;
  size_t stored = 0;  // columns of integers
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t k = static_cast<size_t>(kinds[i]);
    (parts[i].network ? cost.networks : cost.bases) += parts[i].error[k];
    if (parts[i].network || !whole_numbers(kinds[i]))
      bytes += parts[i].numbers * kKindBytes[k];
    else
      stored += kinds[i] == Kind::kInt16 ? 2 : 1, rows = parts[i].numbers;
  }
  cost.bases = std::sqrt(cost.bases), cost.networks = std::sqrt(cost.networks);
  cost.bytes = static_cast<size_t>(bytes + rows * static_cast<double>(in_eights(stored)));
  return cost;
}

constexpr Kind kPlain[] = {Kind::kInt8, Kind::kInt16, Kind::kFloat16, Kind::kFloat32};

// Had it been one kind for all.
std::vector<StorageCost> costs_of_each(const std::vector<Part>& parts) {
  std::vector<StorageCost> costs;
  for (const Kind k : kPlain)
    costs.push_back(cost_of(parts, std::vector<Kind>(parts.size(), k), kKindNames[static_cast<size_t>(k)]));
  return costs;
}

// Of the first parts, which are the columns of a basis: those first that gain most from 16 bits.
std::vector<size_t> by_gain(const std::vector<Part>& parts, size_t columns) {
  std::vector<size_t> order(columns);
  std::iota(order.begin(), order.end(), size_t{0});
  const auto gain = [&](size_t c) { return parts[c].error[kCoarse] - parts[c].error[kFine]; };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return gain(a) > gain(b); });
  return order;
}

// Kinds of such columns in the fewest bytes that keep what `error` says of them under `most`, as far as that is possible. Stored columns
// come in eights, which may as well be full.
std::vector<Kind> kinds_of_basis(const std::vector<Part>& parts, size_t columns, double most,
                                 const std::function<double(std::span<const Kind>)>& error) {
  const std::vector<size_t> order = by_gain(parts, columns);
  std::vector<Kind> kinds(columns, Kind::kInt8);
  size_t fine = 0;
  for (size_t stored = in_eights(columns);; stored += 8) {
    while (fine < columns && columns + fine < stored) kinds[order[fine++]] = Kind::kInt16;
    if (fine == columns || error(kinds) <= most) return kinds;
  }
}

std::vector<Kind> mixed(const std::vector<Part>& parts, size_t basis_columns, double most_error) {
  std::vector<Kind> kinds(parts.size(), Kind::kInt8);
  double error = 0;
  for (const Part& p : parts) error += p.error[kCoarse];
  const double most = for_storage(most_error);
  while (error > most) {
    size_t best = parts.size();
    double best_gain = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (kinds[i] == Kind::kInt16) continue;
      const double gain = (parts[i].error[kCoarse] - parts[i].error[kFine]) / parts[i].numbers;
      if (gain > best_gain) best = i, best_gain = gain;
    }
    if (best == parts.size()) break;  // as fine as it gets
    error -= parts[best].error[kCoarse] - parts[best].error[kFine];
    kinds[best] = Kind::kInt16;
  }
  double networks = 0;
  for (size_t i = basis_columns; i < parts.size(); ++i)
    networks += parts[i].error[static_cast<size_t>(kinds[i])];
  const std::vector<Kind> basis =
      kinds_of_basis(parts, basis_columns, most - networks, [&](std::span<const Kind> columns) {
        double sum = 0;
        for (size_t c = 0; c < columns.size(); ++c) sum += parts[c].error[static_cast<size_t>(columns[c])];
        return sum;
      });
  std::copy(basis.begin(), basis.end(), kinds.begin());
  return kinds;
}

}  // namespace

double StorageCost::all() const { return std::sqrt(bases * bases + networks * networks); }

Storage storage_named(const std::string& name) {
  constexpr const char* kNames[] = {"mixed", "int8", "int16", "fp16", "fp32"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<Storage>(i);
  throw std::invalid_argument("storage: expected mixed, int8, int16, fp16 or fp32, found " + name);
}

Choice choose_storage(const std::vector<Part>& parts, size_t basis_columns, const PackOptions& options) {
  Choice choice;
  choice.others = costs_of_each(parts);
  std::vector<Kind> kinds;
  if (options.storage == Storage::kMixed) {
    kinds = mixed(parts, basis_columns, options.most_error);
    choice.cost = cost_of(parts, kinds, "mixed");
  } else {
    const size_t at = static_cast<size_t>(options.storage) - 1;
    kinds.assign(parts.size(), kPlain[at]);
    choice.cost = choice.others[at];
  }
  const auto split = kinds.begin() + static_cast<std::ptrdiff_t>(basis_columns);
  choice.basis.assign(kinds.begin(), split);
  choice.network.assign(split, kinds.end());
  return choice;
}

Choice choose_around(const std::vector<Part>& parts, size_t basis_columns, const PackOptions& options,
                     const std::function<double(std::span<const Kind> kinds)>& quantise_basis,
                     const std::function<const RoundedNetworks&(double most)>& quantise_networks) {
  Choice choice;
  choice.others = costs_of_each(parts);
  const double most = for_storage(options.most_error);
  choice.basis = kinds_of_basis(parts, basis_columns, most / 2, quantise_basis);
  choice.cost = cost_of({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(basis_columns)},
                        choice.basis, "mixed");
  const double basis_error = quantise_basis(choice.basis);
  choice.cost.bases = std::sqrt(basis_error);
  const RoundedNetworks& networks = quantise_networks(most - basis_error);
  choice.cost.networks = std::sqrt(networks.error);
  choice.cost.bytes += networks.bytes;
  return choice;
}

}  // namespace billow::pack
