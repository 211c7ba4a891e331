#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "dataset/plan.h"

namespace billow::dataset {
namespace {

// Fisher-Yates, because std::shuffle differs between standard libraries.
template <class Values> void shuffle_seeded(Values& values, std::mt19937& engine) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[engine() % i]);
}

size_t tenth_of(size_t total) { return total < kMinFrames ? 0 : std::max<size_t>(1, total / 10); }

// Assigns sets of clips, in their order, to validation and holdout, until either has about a tenth of the frames.
// A set is taken if the part comes closer to its tenth by it. Returns whether all three parts have clips.
bool assign(const std::vector<std::vector<size_t>>& sets, std::span<const size_t> frames,
            std::vector<Part>& parts) {
  const size_t tenth = tenth_of(std::accumulate(frames.begin(), frames.end(), size_t{0}));
  std::fill(parts.begin(), parts.end(), Part::kTrain);
  std::vector<bool> used(sets.size());
  bool all = true;
  for (const Part part : {Part::kValidation, Part::kHoldout}) {
    size_t have = 0;
    for (size_t s = 0; s < sets.size(); ++s) {
      size_t size = 0;
      for (const size_t c : sets[s]) size += frames[c];
      if (used[s] || have >= tenth || 2 * have + size > 2 * tenth) continue;
      used[s] = true, have += size;
      for (const size_t c : sets[s]) parts[c] = part;
    }
    all = all && have > 0;
  }
  return all && std::count(parts.begin(), parts.end(), Part::kTrain) > 0;
}

// For few clips: the two shortest become validation and holdout.
void assign_shortest(std::span<const size_t> frames, std::vector<Part>& parts) {
  std::vector<size_t> order(frames.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return frames[a] < frames[b]; });
  std::fill(parts.begin(), parts.end(), Part::kTrain);
  parts[order[0]] = Part::kValidation, parts[order[1]] = Part::kHoldout;
}

}  // namespace

std::vector<std::string> split_frames(std::span<const size_t> frames, uint32_t seed) {
  // Shuffle exact counts of letters.
  const size_t total = std::accumulate(frames.begin(), frames.end(), size_t{0}), tenth = tenth_of(total);
  std::string letters(total, static_cast<char>(Part::kTrain));
  std::fill_n(letters.begin(), tenth, static_cast<char>(Part::kValidation));
  std::fill_n(letters.begin() + static_cast<std::ptrdiff_t>(tenth), tenth, static_cast<char>(Part::kHoldout));
  std::mt19937 engine(seed);
  shuffle_seeded(letters, engine);
  std::vector<std::string> parts;
  size_t next = 0;
  for (const size_t n : frames) parts.push_back(letters.substr(next, n)), next += n;
  return parts;
}

std::vector<std::string> split_clips(std::span<const size_t> frames, std::span<const std::string> groups,
                                     uint32_t seed) {
  if (frames.size() < 3) return split_frames(frames, seed);
  // Clips without a group stand for themselves.
  std::map<std::string, std::vector<size_t>> by_group;
  for (size_t c = 0; c < frames.size(); ++c)
    by_group[groups[c].empty() ? "\n" + std::to_string(c) : groups[c]].push_back(c);
  std::vector<std::vector<size_t>> sets, single;
  for (auto& [name, clips] : by_group) sets.push_back(clips);
  for (size_t c = 0; c < frames.size(); ++c) single.push_back({c});
  std::mt19937 engine(seed);
  shuffle_seeded(sets, engine);
  shuffle_seeded(single, engine);
  std::vector<Part> chosen(frames.size());
  if (!assign(sets, frames, chosen) && !assign(single, frames, chosen)) assign_shortest(frames, chosen);
  std::vector<std::string> parts;
  for (size_t c = 0; c < frames.size(); ++c)
    parts.push_back(std::string(frames[c], static_cast<char>(chosen[c])));
  return parts;
}

}  // namespace billow::dataset
