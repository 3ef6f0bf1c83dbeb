#include "core/pretend/nvml_answer.h"

// The condition of the pretended device as NVML reports it, and the functions that are not modeled.
using namespace highwater::pretend;

extern "C" {

// An idle device: nothing is executed, so nothing heats or throttles it.
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t, int, unsigned* megahertz) {
    return give(megahertz, 345U);
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t, int, unsigned* megahertz) {
    return give(megahertz, 1980U);
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t, int, unsigned* celsius) {
    return give(celsius, 30U);
}
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t, unsigned long long* reasons) {
    constexpr unsigned long long kGpuIdle = 1;
    return give(reasons, kGpuIdle);
}
nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long* reasons) {
    return nvmlDeviceGetCurrentClocksThrottleReasons(device, reasons);
}
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t, unsigned* milliwatts) {
    return give(milliwatts, 75000U);
}
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t, unsigned* milliwatts) {
    return give(milliwatts, 700000U);
}
nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t, int* state) {
    return give(state, 8);
}
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t, nvmlUtilization_t* rates) {
    return give(rates, nvmlUtilization_t{0, 0});
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t, nvmlGpuFabricInfoV_t*) {
    return kNvmlNotSupported;
}
nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t, unsigned, int*) {
    return kNvmlNotSupported;
}
nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t, unsigned, nvmlPciInfo_t*) {
    return kNvmlNotSupported;
}
nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t, nvmlDevice_t, int, int*) {
    return kNvmlNotSupported;
}
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t, unsigned*, unsigned*) {
    return kNvmlNotSupported;
}

}  // extern "C"
