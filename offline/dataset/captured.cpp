#include "dataset/captured.h"

#include <algorithm>

namespace billow::dataset {

void add_captured_clips(const motion::MotionBundle& bundle, std::span<const std::string> only,
                        Request& request) {
  const body::Person person = body::make_person(body::person_preset(request.preset));
  const std::string prefix(motion::kCapturedPrefix);
  const auto add = [&](const motion::BundledClip& one) {
    CapturedClip captured{motion::on_person(one, person), one.subject, one.test};
    captured.clip.name = prefix + one.clip.name;
    request.captured.push_back(std::move(captured));
  };
  for (const std::string& name : only)
    add(motion::clip_in(bundle, name.starts_with(prefix) ? name.substr(prefix.size()) : name));
  if (only.empty())
    for (const motion::BundledClip& one : bundle) add(one);
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
