#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

/// Queries NVIDIA's driver about the machine's GPUs through its library NVML, which is loaded at run time: a
/// program that uses this needs no NVIDIA software to build or start. Without a driver, every function says
/// so. All functions may be called from any thread, 10 times a second or more; none throws or allocates on
/// the GPU. The environment variable HIGHWATER_NVML names a library to use instead of libnvidia-ml.so.1.
namespace highwater::nvml {

struct Gpu {
    int index = 0;           ///< in nvidia-smi's order, by PCI bus; see visibleToCuda for CUDA's order
    std::string name;        ///< "NVIDIA H200"
    std::string uuid;        ///< "GPU-5a0d6a1c-...": the same as CUDA's; empty if the driver reports none
    std::string pciBusId;    ///< "00000000:17:00.0"
    base::Bytes memory = 0;  ///< the device's total; 0 if it shares the processor's memory
    int architecture = 0;    ///< compute capability x 10; 0: unknown
    /// Why it cannot be used ("it has fallen off the bus; ..."), one line; the other values may then be
    /// empty. Empty if it can be used.
    std::string problem;
    bool operator==(const Gpu&) const = default;
};

/// A device's current memory use. total = used + free + reservedByDriver.
struct DeviceUse {
    base::Bytes total = 0;
    base::Bytes used = 0;  ///< by all processes, as nvidia-smi shows it
    base::Bytes free = 0;
    /// Reserved by driver and firmware, before any process. 0 with drivers before 510, which count it as
    /// used.
    base::Bytes reservedByDriver = 0;
    /// The part of `used` that the driver attributes to the process. std::nullopt if the driver does not list
    /// the process: in many containers, in some virtual machines, and before the process has used the device.
    std::optional<base::Bytes> process;
    int otherProcesses = 0;  ///< other processes that the driver lists on this device, computing or drawing
};

/// The device's current state; 0 for a value that the driver does not report.
struct Conditions {
    int smClockMHz = 0;
    int memoryClockMHz = 0;
    int maxSmClockMHz = 0;
    int temperatureC = 0;
    double powerW = 0;
    /// What currently reduces its clocks: "power cap", "thermal", "power brake", "hardware slowdown", "clock
    /// setting", "sync boost", "display clocks", "board limit", "reliability", "reason 0x800" (one that is
    /// newer than this list). Empty: nothing. The lower clocks of an idle device do not count.
    std::vector<std::string> throttled;
};

/// True if the library is found and its driver answers. Checked again at each call until it is true.
bool available();
/// Why it is not available, one line: no library, a library that is too old, a driver that is not loaded.
/// Empty if it is available.
std::string whyNot();
std::string driverVersion();  ///< "580.159.03"; empty if unknown
/// The newest CUDA version that the driver supports, "13.0"; empty if unknown.
std::string cudaVersion();

/// All GPUs that this process may query, by index. Empty if the driver has none. Error, with whyNot()'s line,
/// if there is no driver.
base::Result<std::vector<Gpu>> gpus();

/// The GPUs of `all` that a CUDA program sees, in its order: the first is cuda:0. `visibleDevices` is the
/// value of CUDA_VISIBLE_DEVICES, std::nullopt if it is not set: numbers or beginnings of UUIDs, separated by
/// commas; the first entry that is neither ends the list. This is CUDA's order with
/// CUDA_DEVICE_ORDER=PCI_BUS_ID; its default, fastest first, differs only if a machine has different GPU
/// models. GPUs with a problem are left out. https://docs.nvidia.com/cuda/cuda-c-programming-guide/#env-vars
std::vector<Gpu> visibleToCuda(const std::vector<Gpu>& all, std::optional<std::string_view> visibleDevices);

/// `gpu` is a UUID, with or without "GPU-" ("MIG-..." is a part of a GPU), or a PCI bus id, "0000:17:00.0" or
/// with 8 digits first. `pid` is the process whose share is reported; 0: this one. The message of an Error
/// names the GPU.
base::Result<DeviceUse> deviceUse(const std::string& gpu, int pid = 0);
base::Result<Conditions> conditions(const std::string& gpu);

}  // namespace highwater::nvml
