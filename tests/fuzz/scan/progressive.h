#pragma once

#include <string>

namespace highwater::fuzz {

/// A progressive JPEG picture (ITU-T T.81, annex G) of 8 bits: a mean and one wave in every block, each in a
/// separate scan and refined by another one.
std::string progressiveJpeg(int columns, int rows);

}  // namespace highwater::fuzz
