// Motion bundles (.billowmotion): many captured clips of the built-in person in one small file. docs/formats.md
// describes the bytes.
//
// Joint rotations are stored by their three smallest quaternion components of 15 bits each, to within 0.01
// degrees; root positions by 16 bits per axis of the clip's bounding box, to within 1 mm.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "body/person.h"
#include "motion/clip.h"

namespace billow::motion {

struct BundledClip {
  Clip clip;            // on the skeleton of the average built-in person
  std::string about;    // what the person does
  std::string subject;  // who was captured; clips of one subject resemble each other
  bool test = false;    // never to be learnt from
};
using MotionBundle = std::vector<BundledClip>;

// The file's bytes. Throws std::invalid_argument for clips that it cannot hold: poses of another skeleton, joint
// offsets, names that are empty or not unique, or more than 100 m of way.
std::string bundle_bytes(const MotionBundle& bundle);

// Input is untrusted. Throws std::runtime_error with `name`, the clip, what was expected and what was found.
MotionBundle parse_bundle(std::string_view bytes, const std::string& name);
MotionBundle read_bundle(const std::filesystem::path& file);

// Path of the bundle that ships with Billow, in the installation or in the source tree of the build. Throws
// std::runtime_error with the places that were searched.
std::filesystem::path shipped_bundle();

// The clip of that name. Throws std::invalid_argument with names that resemble it.
const BundledClip& clip_in(const MotionBundle& bundle, std::string_view name);

// The clip on a built-in person of any shape.
Clip on_person(const BundledClip& clip, const body::Person& person);

// The subject of a clip of the CMU database by its name: "07" of "07_03". Other names are returned unchanged, so
// that each clip counts as a subject of its own.
std::string subject_of_clip(const std::string& name);

// What the names of bundled clips begin with where all kinds of motions can be named: "captured:07_03".
inline constexpr std::string_view kCapturedPrefix = "captured:";

}  // namespace billow::motion
