#include <fmt/format.h>

#include <utility>

#include "core/base/text.h"
#include "core/nvml/library.h"
#include "core/nvml/nvml.h"

namespace highwater::nvml {
namespace {

/// Queries one device; a value that it does not report is 0.
class Asker {
public:
    explicit Asker(api::Device device) : device_(device) {}

    template <class Function, class... First>
    unsigned int ask(Function function, First... first) {
        unsigned int value = 0;
        const auto code = api::call(function, device_, first..., &value);
        lost_ |= code == api::kGpuIsLost || code == api::kResetRequired;
        return code == api::kSuccess ? value : 0;
    }
    bool lost() const { return lost_; }

private:
    api::Device device_;
    bool lost_ = false;
};

int temperatureOf(const api::Functions& nvml, api::Device device, Asker& asker) {
    api::Temperature now{api::versionOf<api::Temperature>(1), api::kTemperatureOfGpu, 0};
    if (api::call(nvml.temperatureV, device, &now) == api::kSuccess) {
        return now.celsius;
    }
    return static_cast<int>(asker.ask(nvml.temperature, api::kTemperatureOfGpu));
}

std::vector<std::string> inWords(unsigned long long reasons) {
    if (reasons &
        (api::kHardwareThermal | api::kPowerBrake)) {  // these also set the hardware slowdown that they cause
        reasons &= ~static_cast<unsigned long long>(api::kHardwareSlowdown);
    }
    static constexpr std::pair<unsigned long long, const char*> kWords[] = {
        {api::kPowerCap, "power cap"},           {api::kSoftwareThermal | api::kHardwareThermal, "thermal"},
        {api::kPowerBrake, "power brake"},       {api::kHardwareSlowdown, "hardware slowdown"},
        {api::kClockSetting, "clock setting"},   {api::kSyncBoost, "sync boost"},
        {api::kDisplayClocks, "display clocks"}, {api::kBoardLimit, "board limit"},
        {api::kReliability, "reliability"}};
    std::vector<std::string> words;
    unsigned long long unknown = reasons & ~static_cast<unsigned long long>(api::kIdle);
    for (const auto& [bits, word] : kWords) {
        if (reasons & bits) {
            words.emplace_back(word);
        }
        unknown &= ~bits;
    }
    if (unknown) {
        words.push_back(fmt::format("reason {:#x}", unknown));
    }
    return words;
}

}  // namespace

base::Result<Conditions> conditions(const std::string& gpu) {
    const auto nvml = HIGHWATER_TRY(library());
    const auto device = HIGHWATER_TRY(deviceOf(*nvml, gpu));
    const api::Functions& f = *nvml;
    Asker asker(device);
    Conditions now;
    now.smClockMHz = static_cast<int>(asker.ask(f.clock, api::kClockSm));
    now.memoryClockMHz = static_cast<int>(asker.ask(f.clock, api::kClockMemory));
    now.maxSmClockMHz = static_cast<int>(asker.ask(f.maxClock, api::kClockSm));
    now.temperatureC = temperatureOf(f, device, asker);
    now.powerW = asker.ask(f.power) / 1000.0;
    unsigned long long reasons = 0;
    if (api::call(f.reasons, device, &reasons) == api::kSuccess) {
        now.throttled = inWords(reasons);
    }
    if (asker.lost()) {
        return base::Error{fmt::format("GPU {}: {}", base::oneLine(gpu, 100), meaning(f, api::kGpuIsLost))};
    }
    return now;
}

}  // namespace highwater::nvml
