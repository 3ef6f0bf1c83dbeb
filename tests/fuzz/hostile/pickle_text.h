#pragma once

#include <cstddef>
#include <string>

/// Pickles of snapshots in which a few bytes stand for much.
namespace highwater::fuzz {

/// A text, and a number of 32 bits, as a pickle has them.
std::string pickledText(const std::string& text);
std::string pickledNumber(std::size_t number);

/// One block and one segment, each listed repeatedly by reference.
std::string oneSegmentManyTimes(std::size_t count);
/// Segments of their own, with one list of blocks.
std::string segmentsThatShareBlocks(std::size_t count);
/// Devices with one list of events.
std::string devicesThatShareEvents(std::size_t count);
/// Frames that are all different, of two long texts.
std::string framesOfLongTexts(std::size_t count);
/// Devices without anything.
std::string emptyDevices(std::size_t count);

}  // namespace highwater::fuzz
