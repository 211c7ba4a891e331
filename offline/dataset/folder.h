// What all that writes data sets shares: names in the folder, small texts, the manifest. simulate.h has the layout.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace billow::dataset {

// Of a clip's folder and of its entry in chaos/.
std::string clip_name(size_t number);

std::string hex(uint64_t value);
// As JSON has it.
std::string quoted(const std::string& text);

// Makes the folder for a data set of this head ("key": value lines), or goes on with one. Throws std::invalid_argument
// where it holds clips of another request.
void claim_folder(const std::filesystem::path& folder, const std::string& head);

// head.json as its lines are written, and back.
std::string head_text(const std::string& head);
// Writes manifest.json: a head and the clips that are there. All of them have to be.
void write_manifest(const std::filesystem::path& folder, const std::string& head_text, size_t clips);

}  // namespace billow::dataset
