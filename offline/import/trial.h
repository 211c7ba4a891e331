// Trying something dangerous in a process of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace billow::importer {

// Runs `work` in a copy of this process. Empty if it came to its end, with or without an exception; else what
// happened: "crashes its reader (signal 11)". Nothing that `work` does is seen here. Where there is no fork,
// nothing is tried.
std::string survives(const std::function<void()>& work, unsigned seconds, size_t bytes);

}  // namespace billow::importer
