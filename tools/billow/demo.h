// The pictures of `billow demo`, one a file. Each plays its scenes, writes its picture into a folder and
// returns what there is to say about it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace billow::tool {

struct DemoPicture {
  std::filesystem::path file;
  std::string shows;
  std::vector<std::string> numbers;  // a line each
};

// A cape on a runner and a skirt on kicking legs: body, bones, ropes, lateral springs and the sheet between
// them.
DemoPicture demo_cape(const std::filesystem::path& folder);
DemoPicture demo_skirt(const std::filesystem::path& folder);

}  // namespace billow::tool
