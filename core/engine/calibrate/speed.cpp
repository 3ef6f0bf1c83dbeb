#include "core/engine/calibrate/speed.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <chrono>

#include "core/engine/books/allocator.h"
#include "core/engine/calibrate/speed_families.h"
#include "core/engine/run/environment.h"

namespace highwater::engine {

namespace {

using predict::Calibration;
using predict::ConvKey;
using predict::CpuSpeed;
using predict::Efficiency;
using Clock = std::chrono::steady_clock;

constexpr base::Bytes kTensors[] = {base::kMiB / 4, 2 * base::kMiB, 16 * base::kMiB, 64 * base::kMiB};
constexpr double kPatience = 0.15;  // time limit in seconds for one operator at one size
constexpr double kUndisturbed =
    0.25;  // quantile of the times, ascending: other programs can only slow a run down

/// The times of repeated runs in seconds, ascending; a first run is not timed.
std::vector<double> secondsOf(const std::function<void()>& run) {
    std::vector<double> times;
    run();
    for (const auto begin = Clock::now(); times.size() < 200;) {
        const auto start = Clock::now();
        run();
        const auto end = Clock::now();
        times.push_back(std::chrono::duration<double>(end - start).count());
        if (times.size() >= 5 && std::chrono::duration<double>(end - begin).count() > kPatience) {
            break;
        }
    }
    std::sort(times.begin(), times.end());
    return times;
}

/// `sorted` ascending; `share` from 0 to 1.
double quantile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

std::map<std::string, Efficiency> summarise(std::map<std::string, std::vector<double>>& shares) {
    std::map<std::string, Efficiency> families;
    for (auto& [family, values] : shares) {
        for (double& value : values) {
            value = std::clamp(value, 0.0, 1.0);
        }
        std::sort(values.begin(), values.end());
        families[family] = {quantile(values, 0.05), quantile(values, 0.5), quantile(values, 0.95)};
    }
    return families;
}

/// FLOP/s of the fastest of repeated 1024 x 1024 matrix products.
double matrixFlops() {
    constexpr std::int64_t kSide = 1024;
    const at::Tensor a = at::full({kSide, kSide}, 0.5F), b = at::full({kSide, kSide}, 0.25F);
    at::Tensor product = at::empty({kSide, kSide});
    const auto times = secondsOf([&] { at::mm_out(product, a, b); });
    return 2.0 * kSide * kSide * kSide / times.front();
}

double copyRate(base::Bytes bytes) {
    const at::Tensor from = at::full({bytes / 4}, 0.5F);
    at::Tensor to = at::zeros_like(from);
    return 2 * static_cast<double>(bytes) / secondsOf([&] { to.copy_(from); }).front();
}

std::string familyOf(const ConvKey& key) {
    const std::int64_t kernel = key.kernel[0] * key.kernel[1] * key.kernel[2];
    return key.transposed                                   ? "conv_transpose"
           : key.groups > 1 && key.groups == key.inChannels ? "depthwise"
           : kernel == 1                                    ? "conv_1x1"
                                                            : "conv";
}

/// FLOP/s by family of the rows with at least a million multiply-adds.
std::map<std::string, std::vector<double>> convolutionRates(const Calibration& table) {
    constexpr double kEnough = 1e6;  // multiply-adds
    std::map<std::string, std::vector<double>> rates;
    for (const auto& [text, row] : table.rows()) {
        const auto key = predict::parseConvKey(text);
        if (!key || row.microseconds <= 0 || key->multiplyAdds() < kEnough) {
            continue;
        }
        const int passes = key->pass == ConvKey::Pass::Forward ? 1 : key->inputGradient + key->weightGradient;
        rates[familyOf(*key)].push_back(2 * passes * key->multiplyAdds() / (row.microseconds * 1e-6));
    }
    return rates;
}

/// Bytes per second by family of operators whose time is mostly memory traffic.
std::map<std::string, std::vector<double>> memoryRates(const std::atomic<bool>& cancel) {
    std::map<std::string, std::vector<double>> rates;
    for (const base::Bytes tensor : kTensors) {
        if (tensor > machineMemory() / 64) {
            continue;
        }
        for (const MemoryOperator& op : memoryOperators(tensor)) {
            if (cancel) {
                return rates;
            }
            rates[std::string(op.family)].push_back(op.bytes / quantile(secondsOf(op.run), kUndisturbed));
        }
    }
    return rates;
}

void divideBy(std::map<std::string, std::vector<double>>& rates, double roof) {
    for (auto& [family, values] : rates) {
        for (double& value : values) {
            value /= roof;
        }
    }
}

}  // namespace

CpuSpeed measureSpeed(const Calibration& table, const std::atomic<bool>& cancel) {
    const c10::AutoGradMode noGraph(false);
    CpuSpeed speed;
    const at::Tensor one = at::full({1}, 0.5F);
    speed.overheadUs = quantile(secondsOf([&] { at::relu(one); }), kUndisturbed) * 1e6;
    auto compute = convolutionRates(table);
    speed.flops = matrixFlops();
    for (const auto& [family, rates] : compute) {
        speed.flops = std::max(speed.flops, *std::max_element(rates.begin(), rates.end()));
    }
    for (const base::Bytes bytes : kTensors) {
        speed.bytesPerSecond = std::max(speed.bytesPerSecond, copyRate(bytes));
    }
    auto memory = memoryRates(cancel);
    divideBy(compute, speed.flops);
    divideBy(memory, speed.bytesPerSecond);
    speed.compute = summarise(compute);
    speed.memory = summarise(memory);
    return speed;
}

}  // namespace highwater::engine
