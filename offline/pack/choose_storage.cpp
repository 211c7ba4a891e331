// Mixed storage: everything begins coarse, and what gains most for a byte gets finer until the error is small enough. Errors
// of different parts are independent, so their squares add up. Then the basis is chosen once more, exactly: its stored
// columns come in fours and eights, and what would only fill them up may as well make something finer.
#include "pack/choose_storage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace billow::pack {
namespace {

// Stored columns of integers that kinds take.
struct Planes {
  size_t int8 = 0, int4 = 0;

  void add(Kind kind) {
    int8 += kind == Kind::kInt16 ? 2 : kind == Kind::kInt4 ? 0 : 1;
    int4 += kind == Kind::kInt4 || kind == Kind::kInt12;
  }
  // Of a row.
  double bytes() const {
    return static_cast<double>((int8 + 3) / 4 * 4) + static_cast<double>((int4 + 7) / 8 * 8) / 2;
  }
};

// Of the square of an error: the runtime rounds coefficients and the values between layers to 16 bits, which needs some room.
double for_storage(double most_error) { return 0.9 * most_error * most_error; }

bool whole_numbers(Kind kind) { return kind <= Kind::kInt16; }

StorageCost cost_of(const std::vector<Part>& parts, const std::vector<Kind>& kinds, std::string name) {
  StorageCost cost{std::move(name), 0, 0, 0};
  double bytes = 0, rows = 0;
  Planes planes;
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t k = static_cast<size_t>(kinds[i]);
    (parts[i].network ? cost.networks : cost.bases) += parts[i].error[k];
    if (parts[i].network || !whole_numbers(kinds[i]))
      bytes += parts[i].numbers * kKindBytes[k];
    else
      planes.add(kinds[i]), rows = parts[i].numbers;
  }
  cost.bases = std::sqrt(cost.bases), cost.networks = std::sqrt(cost.networks);
  cost.bytes = static_cast<size_t>(bytes + rows * planes.bytes());
  return cost;
}

constexpr Kind kPlain[] = {Kind::kInt8, Kind::kInt12, Kind::kInt16, Kind::kFloat16, Kind::kFloat32};

// Had it been one kind for all.
std::vector<StorageCost> costs_of_each(const std::vector<Part>& parts) {
  std::vector<StorageCost> costs;
  for (const Kind k : kPlain)
    costs.push_back(cost_of(parts, std::vector<Kind>(parts.size(), k), kKindNames[static_cast<size_t>(k)]));
  return costs;
}

// The kinds of the first parts, which are the columns of a basis, in the fewest bytes that keep their error under `most`; of
// those, the ones with the least error. Empty where nothing does.
class BasisChoice {
 public:
  BasisChoice(const std::vector<Part>& parts, size_t columns)
      : columns_(columns), int8_(2 * columns + 1), int4_(columns + 1) {
    // least_[n8][n4]: the error of the columns so far, if they may take so many stored columns.
    least_.assign(int8_ * int4_, 0);
    taken_.resize(columns * least_.size());
    std::vector<double> next(least_.size());
    for (size_t c = 0; c < columns; ++c) {
      for (size_t n8 = 0; n8 < int8_; ++n8)
        for (size_t n4 = 0; n4 < int4_; ++n4) {
          double best = std::numeric_limits<double>::infinity();
          for (size_t k = 0; k <= static_cast<size_t>(Kind::kInt16); ++k) {
            Planes used;
            used.add(static_cast<Kind>(k));
            if (used.int8 > n8 || used.int4 > n4) continue;
            const double error = least_[at(n8 - used.int8, n4 - used.int4)] + parts[c].error[k];
            if (error < best) best = error, taken_[c * least_.size() + at(n8, n4)] = static_cast<Kind>(k);
          }
          next[at(n8, n4)] = best;
        }
      least_.swap(next);
    }
  }
  std::vector<Kind> under(double most) const {
    double best_bytes = std::numeric_limits<double>::infinity();
    Planes best;
    // Of the same bytes rather int8, which need not be taken apart.
    for (size_t n8 = (int8_ - 1) / 4 * 4;; n8 -= 4) {
      for (size_t n4 = 0; n4 < int4_ + 7; n4 += 8) {
        const Planes room{n8, std::min(n4, int4_ - 1)};
        if (!(least_[at(room.int8, room.int4)] <= most) || !(room.bytes() < best_bytes)) continue;
        best_bytes = room.bytes(), best = room;
      }
      if (n8 == 0) break;
    }
    if (best_bytes == std::numeric_limits<double>::infinity()) return {};
    std::vector<Kind> kinds(columns_);
    for (size_t c = columns_; c-- > 0;) {
      kinds[c] = taken_[c * least_.size() + at(best.int8, best.int4)];
      Planes used;
      used.add(kinds[c]);
      best = {best.int8 - used.int8, best.int4 - used.int4};
    }
    return kinds;
  }

 private:
  size_t at(size_t n8, size_t n4) const { return n8 * int4_ + n4; }

  size_t columns_, int8_, int4_;
  std::vector<double> least_;
  std::vector<Kind> taken_;
};

std::vector<Kind> mixed(const std::vector<Part>& parts, size_t basis_columns, double most_error) {
  std::vector<size_t> level(parts.size(), 0);
  double error = 0;
  for (const Part& p : parts) error += p.error[0];
  const double most = for_storage(most_error);
  constexpr size_t kFinest = static_cast<size_t>(Kind::kInt16);
  while (error > most) {
    size_t best = parts.size();
    double best_gain = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (level[i] == kFinest) continue;
      const double gain = (parts[i].error[level[i]] - parts[i].error[level[i] + 1]) / parts[i].numbers;
      if (gain > best_gain) best = i, best_gain = gain;
    }
    if (best == parts.size()) break;  // as fine as it gets
    error -= parts[best].error[level[best]] - parts[best].error[level[best] + 1];
    ++level[best];
  }
  std::vector<Kind> kinds;
  for (const size_t l : level) kinds.push_back(static_cast<Kind>(l));
  double networks = 0;
  for (size_t i = basis_columns; i < parts.size(); ++i) networks += parts[i].error[level[i]];
  const std::vector<Kind> basis = BasisChoice(parts, basis_columns).under(most - networks);
  std::copy(basis.begin(), basis.end(), kinds.begin());
  return kinds;
}

}  // namespace

double StorageCost::all() const { return std::sqrt(bases * bases + networks * networks); }

Storage storage_named(const std::string& name) {
  constexpr const char* kNames[] = {"mixed", "int8", "int12", "int16", "fp16", "fp32"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<Storage>(i);
  throw std::invalid_argument("storage: expected mixed, int8, int12, int16, fp16 or fp32, found " + name);
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
                     const std::function<const RoundedNetworks&(double most)>& round) {
  Choice choice;
  choice.others = costs_of_each(parts);
  const double most = for_storage(options.most_error);
  choice.basis = BasisChoice(parts, basis_columns).under(most / 2);
  if (choice.basis.empty()) choice.basis.assign(basis_columns, Kind::kInt16);
  choice.cost = cost_of({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(basis_columns)},
                        choice.basis, "mixed");
  const RoundedNetworks& networks = round(most - choice.cost.bases * choice.cost.bases);
  choice.cost.networks = std::sqrt(networks.error);
  choice.cost.bytes += networks.bytes;
  return choice;
}

}  // namespace billow::pack
