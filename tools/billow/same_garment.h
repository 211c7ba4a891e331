// A garment file says nothing about another garment's frames.
#pragma once

#include <string>

#include "garment/garment.h"

namespace billow::tool {

// Throws std::runtime_error unless the garment of a file is that of a data set, with the same rest: what is learnt goes by it.
void check_same_garment(const std::string& file, const garment::Garment& of_file, const std::string& data,
                        const garment::Garment& of_data);

}  // namespace billow::tool
