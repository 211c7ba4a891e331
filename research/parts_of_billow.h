// What research adds to `billow`.
#pragma once

#include "tools/billow/research_parts.h"

namespace billow::research {

tool::ResearchParts parts_of_billow();

}  // namespace billow::research
