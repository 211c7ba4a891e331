#include "dataset/captured.h"

#include <algorithm>

#include "parallel.h"

namespace billow::dataset {

void add_captured_clips(const motion::MotionBundle& bundle, std::span<const std::string> only,
                        const OwnedCharacterBody& character, Request& request) {
  const body::Person person = person_of(character);
  const std::string prefix(motion::kCapturedPrefix);
  std::vector<const motion::BundledClip*> wanted;
  for (const std::string& name : only)
    wanted.push_back(&motion::clip_in(bundle, name.starts_with(prefix) ? name.substr(prefix.size()) : name));
  if (only.empty())
    for (const motion::BundledClip& one : bundle) wanted.push_back(&one);
  const size_t first = request.captured.size();
  request.captured.resize(first + wanted.size());
  for_each_in_parallel(wanted.size(), [&](size_t i) {
    const motion::BundledClip& one = *wanted[i];
    CapturedClip& captured = request.captured[first + i];
    captured = {on_character(character, person, motion::on_person(one, person)), one.subject, one.test};
    captured.clip.name = prefix + one.clip.name;
  });
  request.all_captured = request.all_captured || !only.empty();
}

std::string plan_in_words(std::span<const PlannedClip> clips) {
  const auto count = [&](auto&& of_kind, const std::string& kind) {
    size_t number = 0, frames = 0;
    for (const PlannedClip& clip : clips)
      if (of_kind(clip)) ++number, frames += clip.frames;
    return number == 0
               ? std::string()
               : ", " + std::to_string(number) + " " + kind + " (" + std::to_string(frames) + " frames)";
  };
  const auto unseen = [](const PlannedClip& clip) {
    return clip.parts.find(static_cast<char>(Part::kUnseen)) != std::string::npos;
  };
  return std::to_string(clips.size()) + " clips" +
         count([&](const PlannedClip& c) { return !unseen(c) && c.captured; }, "captured to learn from") +
         count([&](const PlannedClip& c) { return !unseen(c) && !c.captured; }, "other to learn from") +
         count([&](const PlannedClip& c) { return unseen(c); }, "that are never learnt from");
}

}  // namespace billow::dataset
