#pragma once

#include <cstddef>
#include <string>

/// Pickles of snapshots in which a few bytes represent many.
namespace highwater::fuzz {

/// A text, and a 32-bit number, in pickle format.
std::string pickledText(const std::string& text);
std::string pickledNumber(std::size_t number);

/// One block and one segment, each listed repeatedly by reference.
std::string oneSegmentManyTimes(std::size_t count);
/// Distinct segments with one list of blocks.
std::string segmentsThatShareBlocks(std::size_t count);
/// Devices with one list of events.
std::string devicesThatShareEvents(std::size_t count);
/// Distinct frames made of two long texts.
std::string framesOfLongTexts(std::size_t count);
/// Empty devices.
std::string emptyDevices(std::size_t count);

}  // namespace highwater::fuzz
