// What research adds to billow-train.
#pragma once

#include "tools/train/research_parts.h"

namespace billow::research {

tool::ResearchParts parts_of_training();

}  // namespace billow::research
