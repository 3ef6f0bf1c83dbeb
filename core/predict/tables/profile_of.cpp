#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/predict/tables/profile.h"

namespace highwater::predict {

namespace {

constexpr double kMemoryTolerance = 0.1;  // the memory that the driver keeps for itself depends on its
                                          // version and on ECC

bool isSize(const std::string& word) {  // "80GB", "80", "GB"
    const std::size_t digits = word.find_first_not_of("0123456789");
    const std::string unit = digits == std::string::npos ? "" : word.substr(digits);
    return unit == "GB" || (unit.empty() && word.size() <= 3);
}

/// Whether the word tells the board's form factor or its maker, not the model.
bool isForm(const std::string& word) {
    static constexpr std::string_view kForms[] = {"PCIE", "SXM",   "SXM2",   "SXM3",  "SXM4",
                                                  "SXM5", "DGXS",  "NVL",    "HBM2",  "HBM2E",
                                                  "HBM3", "HBM3E", "NVIDIA", "TESLA", "GEFORCE"};
    return std::find(std::begin(kForms), std::end(kForms), word) != std::end(kForms);
}

/// "NVIDIA A100-SXM4-80GB" and "NVIDIA A100 80 GB" are both {"A100"}.
std::vector<std::string> model(std::string_view name) {
    std::vector<std::string> words(1);
    for (const char c : name) {
        if (c == ' ' || c == '-') {
            words.emplace_back();
        } else {
            words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
    }
    std::erase_if(words,
                  [](const std::string& word) { return word.empty() || isSize(word) || isForm(word); });
    return words;
}

}  // namespace

const DeviceProfile* profileOf(const std::vector<DeviceProfile>& profiles, std::string_view name,
                               base::Bytes memory) {
    const auto wanted = model(name);
    for (const DeviceProfile& profile : profiles) {
        const double here = static_cast<double>(memory), there = static_cast<double>(profile.memory);
        if (!wanted.empty() && model(profile.name) == wanted &&
            std::abs(here - there) < kMemoryTolerance * there) {
            return &profile;
        }
    }
    return nullptr;
}

}  // namespace highwater::predict
