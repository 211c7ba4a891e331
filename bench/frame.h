#pragma once

namespace billow::bench {

// Prints the cost of a dressed frame, stage by stage, for a cape and a skirt of full size, beside the time it takes to read
// their bases as fp32 once.
void report_frames();

}  // namespace billow::bench
