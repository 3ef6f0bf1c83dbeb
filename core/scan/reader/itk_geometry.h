#pragma once

#include <string_view>

#include "core/volume/volume.h"

namespace highwater::scan::reader {

enum class ItkReader { Nifti, Nrrd, Meta };

/// Asks ITK where a scan with this header lies, and adds a warning where ITK, and so most programs built on
/// it, place it elsewhere than `header` says. `place` is an already checked header for one of ITK's readers;
/// ITK gets a private copy of it, so it neither sees the voxels nor another file of a similar name. Nothing
/// happens where `place` is empty or the spacing is unknown: that has been said already.
void addSecondOpinion(ItkReader reader, std::string_view place, volume::Header& header);

}  // namespace highwater::scan::reader
