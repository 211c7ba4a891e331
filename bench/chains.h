#pragma once

#include <string>

namespace billow::bench {

// Prints the cost of the chains; `count_program` is the path of the operation counter.
void report_chains(const std::string& count_program);

}  // namespace billow::bench
