#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "core/base/text.h"
#include "core/nvml/library.h"
#include "core/nvml/nvml.h"

namespace highwater::nvml {
namespace {

using Query = api::Return (*)(api::Device, unsigned int*, void*);
using Shares = std::map<unsigned int, std::optional<base::Bytes>>;  // by process id

constexpr unsigned char kUntouched = 0xA5;
/// Drivers 535.43 to 535.86 write one more number for each process under the same name. The buffer has room
/// for it, and whether it was written is detected.
constexpr std::size_t kLargestProcess = sizeof(api::ProcessV2) + sizeof(unsigned long long);
constexpr unsigned int kMostProcesses = 4096;

/// The bytes that the query wrote, for `count` processes. Empty if there is no answer.
std::vector<unsigned char> ask(Query query, api::Device device, unsigned int& count) {
    count = 16;
    for (int attempt = 0; query && attempt < 5; ++attempt) {
        const unsigned int room = count;
        std::vector<unsigned char> bytes(room * kLargestProcess, kUntouched);
        const api::Return code = query(device, &count, bytes.data());
        if (code == api::kSuccess && count <= room) {
            return bytes;
        }
        if (code != api::kInsufficientSize || count > kMostProcesses) {
            break;
        }
        count = std::max(count, room) + 16;  // more processes may start meanwhile
    }
    count = 0;
    return {};
}

std::size_t strideOf(const std::vector<unsigned char>& bytes, unsigned int count) {
    for (std::size_t i = count * sizeof(api::ProcessV2); i < count * kLargestProcess; ++i) {
        if (bytes[i] != kUntouched) {
            return kLargestProcess;
        }
    }
    return sizeof(api::ProcessV2);
}

void read(const std::vector<unsigned char>& bytes, unsigned int count, std::size_t stride, Shares& shares) {
    Shares here;  // a process has an entry for each MIG part of a GPU that it uses
    for (unsigned int i = 0; i < count; ++i) {
        api::ProcessV1 process{};  // later versions begin with the same fields
        std::memcpy(&process, bytes.data() + i * stride, sizeof process);
        auto& share = here[process.pid];
        if (process.usedGpuMemory <= static_cast<unsigned long long>(INT64_MAX)) {
            share = base::checkedAdd(share.value_or(0), static_cast<base::Bytes>(process.usedGpuMemory));
        }
    }
    for (const auto& [pid, share] : here) {
        if (auto& known = shares[pid]; !known) {
            known = share;
        }
    }
}

void addShares(Query query, Query older, api::Device device, Shares& shares) {
    unsigned int count = 0;
    if (const auto bytes = ask(query, device, count); !bytes.empty()) {
        return read(bytes, count, strideOf(bytes, count), shares);
    }
    if (const auto bytes = ask(older, device, count); !bytes.empty()) {
        read(bytes, count, sizeof(api::ProcessV1), shares);
    }
}

/// Drivers differ in whether their figure for used memory includes the reserved part: it is computed from the
/// other three.
DeviceUse useOf(base::Bytes total, base::Bytes free, base::Bytes reserved) {
    free = std::clamp<base::Bytes>(free, 0, total);
    reserved = std::clamp<base::Bytes>(reserved, 0, total - free);
    return {.total = total,
            .used = total - free - reserved,
            .free = free,
            .reservedByDriver = reserved,
            .process = {},
            .otherProcesses = 0};
}

base::Bytes bytes(unsigned long long number) {
    return number > INT64_MAX ? 0 : static_cast<base::Bytes>(number);
}

api::Return readMemory(const api::Functions& nvml, api::Device device, DeviceUse& use) {
    api::MemoryV2 now{};
    now.version = api::versionOf<api::MemoryV2>(2);
    if (api::call(nvml.memoryV2, device, &now) == api::kSuccess) {
        use = useOf(bytes(now.total), bytes(now.free), bytes(now.reserved));
        return api::kSuccess;
    }
    api::Memory plain{};
    const api::Return code = nvml.memory(device, &plain);
    use = useOf(bytes(plain.total), bytes(plain.free), 0);
    return code;
}

}  // namespace

base::Result<DeviceUse> deviceUse(const std::string& gpu, int pid) {
    const auto nvml = HIGHWATER_TRY(library());
    const auto device = HIGHWATER_TRY(deviceOf(*nvml, gpu));
    DeviceUse use;
    if (const auto code = readMemory(*nvml, device, use); code != api::kSuccess) {
        return base::Error{fmt::format("GPU {}: {}", base::oneLine(gpu, 100), meaning(*nvml, code))};
    }
    Shares shares;
    addShares(nvml->computing, nvml->computingV1, device, shares);
    addShares(nvml->drawing, nvml->drawingV1, device, shares);
    const auto wanted = static_cast<unsigned int>(pid ? pid : ::getpid());
    for (const auto& [id, share] : shares) {
        if (id != wanted) {
            ++use.otherProcesses;
        } else if (share && *share <= use.total) {
            use.process = share;
        }
    }
    return use;
}

}  // namespace highwater::nvml
