#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/hosts/request.h"

/// The voxels that were sent here, kept by their content: highwater-host/volumes/SHA256, beside the runs.
namespace highwater::host_app {

std::filesystem::path volumesFolder();

/// What is kept at most, least recently used first to go: 32 GiB, or $HIGHWATER_HOST_KEEPS ("8GiB").
base::Bytes mostKept();

/// A volume that arrives. What was there of it stays when the connection breaks.
class Arrival {
public:
    /// False while another connection sends the same one.
    bool open(const hosts::VolumeKey& volume);
    base::Bytes have() const { return have_; }
    /// Error: the disk is full.
    base::Status append(std::string_view bytes);
    /// Once all is there: checks the content and puts it in place. `meanwhile` is called now and then, for a
    /// large one takes its time. Error: it is another than was announced; it is removed then.
    base::Status finish(const std::function<void()>& meanwhile);

private:
    hosts::VolumeKey volume_;
    base::Descriptor file_;
    base::Bytes have_ = 0;
};

/// Whether it is here, complete; it counts as used now.
bool isHere(const hosts::VolumeKey& volume);

/// Puts the volumes into a run's folder as volume-1, ... (links: what goes from here stays there), and the
/// oldest of the others away, until what is kept fits.
base::Status giveVolumes(const std::vector<hosts::VolumeKey>& volumes, const std::filesystem::path& folder);
/// The name in a run's folder; `number` counts from 1.
std::filesystem::path volumeFile(const std::filesystem::path& folder, std::size_t number);

}  // namespace highwater::host_app
