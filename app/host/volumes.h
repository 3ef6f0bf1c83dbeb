#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/hosts/request.h"

/// The voxels that were sent to this host, stored by content hash: highwater-host/volumes/SHA256, beside the
/// runs.
namespace highwater::host_app {

std::filesystem::path volumesFolder();

/// The maximum size of the store; the least recently used volumes are removed first. 32 GiB, or
/// $HIGHWATER_HOST_KEEPS ("8GiB").
base::Bytes mostKept();

/// A volume being received. A partial volume is kept if the connection breaks.
class Arrival {
public:
    /// Returns false while another connection is sending the same volume.
    bool open(const hosts::VolumeKey& volume);
    base::Bytes have() const { return have_; }
    /// Error: the disk is full.
    base::Status append(std::string_view bytes);
    /// To be called when all bytes have arrived: verifies the content and moves it into place. `meanwhile` is
    /// called from time to time, because a large volume takes a while. Error: the hash is wrong; the volume
    /// is then removed.
    base::Status finish(const std::function<void()>& meanwhile);

private:
    hosts::VolumeKey volume_;
    base::Descriptor file_;
    base::Bytes have_ = 0;
};

/// Whether the complete volume is here; marks it as used now.
bool isHere(const hosts::VolumeKey& volume);

/// Links the volumes into a run's folder as volume-1, ... (the links survive their removal here), and removes
/// the oldest other volumes until the store is within its limit.
base::Status giveVolumes(const std::vector<hosts::VolumeKey>& volumes, const std::filesystem::path& folder);
/// The file name in a run's folder; `number` counts from 1.
std::filesystem::path volumeFile(const std::filesystem::path& folder, std::size_t number);

}  // namespace highwater::host_app
