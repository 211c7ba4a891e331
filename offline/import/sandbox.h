// Runs code that may crash in a child process first.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace billow::importer {

// Runs `work` in a forked child with limits on CPU time and memory. Returns an empty string if it returned or
// threw, else what happened: "crashes its reader (signal 11)". Has no effect on this process. Without fork(),
// does nothing.
std::string probe_in_child(const std::function<void()>& work, unsigned seconds, size_t bytes);

}  // namespace billow::importer
