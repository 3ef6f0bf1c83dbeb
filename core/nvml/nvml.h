#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"

/// What NVIDIA's driver says of the machine's GPUs, through its own library (NVML), which is looked for at
/// run time: nothing of NVIDIA is needed to build or to start a program that uses this. Where there is no
/// driver every function says so. All functions may be called from any thread, at 10 calls a second and more,
/// and none throws or allocates on the GPU. HIGHWATER_NVML in the environment names another library than
/// libnvidia-ml.so.1.
namespace highwater::nvml {

struct Gpu {
    int index = 0;           ///< as nvidia-smi numbers them: by PCI bus; see visibleToCuda for CUDA's numbers
    std::string name;        ///< "NVIDIA H200"
    std::string uuid;        ///< "GPU-5a0d6a1c-...": the same as CUDA's; empty where the driver gives none
    std::string pciBusId;    ///< "00000000:17:00.0"
    base::Bytes memory = 0;  ///< the device's total; 0 where it shares the processor's
    int architecture = 0;    ///< compute capability x 10; 0: unknown
    /// Why it cannot be used ("it has fallen off the bus; ..."), one line; the other values may then be
    /// empty. Empty: it can.
    std::string problem;
    bool operator==(const Gpu&) const = default;
};

/// A device's memory now. total = used + free + reservedByDriver.
struct DeviceUse {
    base::Bytes total = 0;
    base::Bytes used = 0;  ///< by all processes, as nvidia-smi shows it
    base::Bytes free = 0;
    /// By driver and firmware, before any process. 0 with drivers before 510, which count it as used.
    base::Bytes reservedByDriver = 0;
    /// Of `used`, what the driver counts for the process that was asked for. Nothing where it does not name
    /// it: in many containers, in some virtual machines, and before the process has used the device.
    std::optional<base::Bytes> process;
    int otherProcesses = 0;  ///< further ones that the driver names on this device, computing or drawing
};

/// The device's state now; a value that the driver does not give is 0.
struct Conditions {
    int smClockMHz = 0;
    int memoryClockMHz = 0;
    int maxSmClockMHz = 0;
    int temperatureC = 0;
    double powerW = 0;
    /// What holds its clocks down: "power cap", "thermal", "power brake", "hardware slowdown", "clock
    /// setting", "sync boost", "display clocks", "board limit", "reliability", "reason 0x800" (one that is
    /// newer than this list). Empty: nothing does. An idle device's lower clocks are no throttling.
    std::vector<std::string> throttled;
};

/// The library is there and its driver answers. Asked anew until it is so.
bool available();
/// Why it is not, one plain line: no library, one too old, a driver that is not loaded. Empty when available.
std::string whyNot();
std::string driverVersion();  ///< "580.159.03"; empty where unknown
/// The newest CUDA that the driver supports, "13.0"; empty where unknown.
std::string cudaVersion();

/// All GPUs that this process may ask about, by index. Empty where the driver has none; an error with
/// whyNot()'s line where there is no driver.
base::Result<std::vector<Gpu>> gpus();

/// Those of `all` that a CUDA program sees, in its order: the first is cuda:0. `visibleDevices` is what
/// CUDA_VISIBLE_DEVICES says (numbers, or beginnings of UUIDs, after commas; the first that is neither ends
/// the list), nothing where it is not set. CUDA numbers them so under CUDA_DEVICE_ORDER=PCI_BUS_ID; its
/// default, the fastest first, differs only where GPUs of different kinds share a machine. GPUs with a
/// problem are left out. https://docs.nvidia.com/cuda/cuda-c-programming-guide/#env-vars
std::vector<Gpu> visibleToCuda(const std::vector<Gpu>& all, std::optional<std::string_view> visibleDevices);

/// `gpu` is a UUID, with or without "GPU-" ("MIG-..." names a part of a GPU), or a PCI bus id, "0000:17:00.0"
/// or with 8 digits first. `pid` is the process whose share is asked for; 0: this one. Errors name the GPU.
base::Result<DeviceUse> deviceUse(const std::string& gpu, int pid = 0);
base::Result<Conditions> conditions(const std::string& gpu);

}  // namespace highwater::nvml
