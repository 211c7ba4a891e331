#include "research/parts_of_billow.h"

#include "research/comparison/comparison.h"
#include "research/figures/figures.h"
#include "research/peers/peers.h"

namespace billow::research {

tool::ResearchParts parts_of_billow() {
  return {tool::add_figures, [](const evaluate::ComparisonTask& task) { return compare(task); }, peers()};
}

}  // namespace billow::research
