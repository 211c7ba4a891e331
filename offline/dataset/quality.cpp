#include "dataset/quality.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "dataset/clip_writer.h"

namespace billow::dataset {
namespace {

template <class... Values> std::string formatted(const char* format, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

double seconds_of(size_t frame, double frames_per_second) {
  return frame == kUnknownFrame ? -1 : static_cast<double>(frame) / frames_per_second;
}

// Times that are unknown are null.
std::string json_seconds(double seconds) { return seconds < 0 ? "null" : formatted("%.3f", seconds); }

std::string result_as_json(const ClipResult& r, double frames_per_second) {
  const ClipQuality& q = r.quality;
  std::ostringstream out;
  out << "{\"index\": " << r.index << ", \"name\": " << quoted(r.name) << ", \"frames\": " << r.frames
      << ", \"unseen\": " << (r.unseen ? "true" : "false")
      << ", \"usable\": " << (r.usable ? "true" : "false")
      << ",\n   \"strain_worst_percent\": " << 100 * q.strain
      << ", \"strain_worst_s\": " << json_seconds(seconds_of(q.strain_frame, frames_per_second))
      << ", \"deepest_mm\": " << 1000 * q.deepest
      << ", \"deepest_s\": " << json_seconds(seconds_of(q.deepest_frame, frames_per_second))
      << ", \"tangled\": " << q.tangled
      << ", \"tangled_s\": " << json_seconds(seconds_of(q.tangled_frame, frames_per_second))
      << ",\n   \"rejected\": [";
  for (size_t k = 0; k < r.rejections.size(); ++k)
    out << (k > 0 ? ", " : "") << "{\"measure\": " << quoted(r.rejections[k].measure)
        << ", \"reason\": " << quoted(r.rejections[k].reason)
        << ", \"seconds\": " << json_seconds(r.rejections[k].seconds) << "}";
  out << "]}";
  return out.str();
}

size_t count_usable(std::span<const ClipResult> results) {
  return static_cast<size_t>(
      std::count_if(results.begin(), results.end(), [](const ClipResult& r) { return r.usable; }));
}

}  // namespace

std::vector<Rejection> rejections(const ClipQuality& q, size_t vertices, double frames_per_second) {
  const double max_tangled = kMaxTangledShare * 3 * static_cast<double>(vertices);
  std::vector<Rejection> out;
  // Written so that figures that are not numbers are rejected.
  if (!(q.strain <= kMaxWorstStrain))
    out.push_back(
        {"stretched",
         formatted("cloth stretched: %.0f %% at the 99th percentile in its worst frame, allowed %.0f %%",
                   100 * q.strain, 100 * kMaxWorstStrain),
         seconds_of(q.strain_frame, frames_per_second)});
  if (!(q.deepest <= kMaxDepth))
    out.push_back({"caught",
                   formatted("cloth caught: %.0f mm inside the body in its worst frame, allowed %.0f mm",
                             1000 * q.deepest, 1000 * kMaxDepth),
                   seconds_of(q.deepest_frame, frames_per_second)});
  if (!(q.tangled <= max_tangled))
    out.push_back({"tangled",
                   formatted("tangled: %.0f edges through other cloth in an average frame, allowed %.0f",
                             q.tangled, max_tangled),
                   seconds_of(q.tangled_frame, frames_per_second)});
  return out;
}

std::string in_words(const ClipResult& result) {
  if (result.usable) return "passes";
  std::string words;
  for (const Rejection& r : result.rejections)
    words += (words.empty() ? "" : "; ") + r.reason +
             (r.seconds < 0 ? std::string() : formatted(", worst at %.2f s", r.seconds));
  // Limits may have changed since a data set was made.
  return words.empty() ? "rejected when it was made" : words;
}

std::string summary_in_words(std::span<const ClipResult> results) {
  size_t frames = 0;
  for (const ClipResult& r : results) frames += r.frames;
  const size_t passed = count_usable(results);
  std::string words =
      formatted("%zu clips of %zu frames: %zu pass the reference's check with %zu frames, %zu are rejected\n",
                results.size(), frames, passed, usable_frames(results), results.size() - passed);
  for (const ClipResult& r : results)
    if (!r.usable)
      words += "rejected: clip " + std::to_string(r.index) + " (" + r.name + "): " + in_words(r) + "\n";
  return words;
}

std::string summary_as_json(std::span<const ClipResult> results, const std::string& folder,
                            double frames_per_second) {
  std::ostringstream out;
  size_t frames = 0;
  for (const ClipResult& r : results) frames += r.frames;
  const size_t passed = count_usable(results);
  out << "{\"folder\": " << quoted(folder) << ", \"clips\": " << results.size() << ", \"passed\": " << passed
      << ", \"rejected\": " << results.size() - passed << ", \"frames\": " << frames
      << ", \"usable_frames\": " << usable_frames(results) << ",\n \"results\": [";
  for (size_t k = 0; k < results.size(); ++k)
    out << (k > 0 ? ",\n  " : "\n  ") << result_as_json(results[k], frames_per_second);
  out << "]}\n";
  return out.str();
}

size_t usable_frames(std::span<const ClipResult> results) {
  size_t frames = 0;
  for (const ClipResult& r : results) frames += r.usable ? r.frames : 0;
  return frames;
}

}  // namespace billow::dataset
