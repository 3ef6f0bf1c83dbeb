// A fake of cuDNN's backend API: its heuristics follow simple rules, so that a test knows the expected
// answers.
//
// INSTANT gives five configurations, FALLBACK one. Configuration i has engine i and the workspace 1000 * (i +
// 1) + C, where C is the number of channels of x. Engine 0 is nondeterministic, engine 1 uses tensor cores,
// engine 2 converts inputs to a lesser type, engine 4 cannot be built. By its environment (FAKE_CUDNN) and by
// C it is old, dies or hangs.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kTensor = 17, kPlan = 5, kConfig = 3, kHeuristics = 4, kDevice = 38;
constexpr int kFallbackMode = 2;
constexpr std::int64_t kDies = 13, kHangs = 17, kRefused = 19;

constexpr char kNoCublas[] = "Invalid handle. Cannot load symbol cublasLtCreate\n";

struct Descriptor {
    int kind = 0;
    std::map<int, std::vector<char>> values;
    std::int64_t index = 0, channels = 0;
    bool fallback = false;

    template <class Value>
    Value first(int attribute) const {
        Value value{};
        const auto at = values.find(attribute);
        if (at != values.end() && at->second.size() >= sizeof value) {
            std::memcpy(&value, at->second.data(), sizeof value);
        }
        return value;
    }
};

bool is(const char* way) {
    const char* const how = std::getenv("FAKE_CUDNN");
    return how != nullptr && std::string(how) == way;
}

std::size_t sizeOf(int type) {
    return type == 24                ? 1
           : type == 3 || type == 15 ? 8
                                     : 4;  // characters; 64-bit numbers and descriptors; the rest
}

/// The channels of x, from an operation graph: graph -> operation -> its x -> dimensions.
std::int64_t channelsOf(const Descriptor& graph) {
    const auto* const operation = graph.first<Descriptor*>(801);
    for (const int first : {700, 706, 712}) {
        if (const auto* const x = operation->first<Descriptor*>(first + 4); x != nullptr) {
            const auto at = x->values.find(902);
            std::int64_t channels = 0;
            std::memcpy(&channels, at->second.data() + sizeof channels, sizeof channels);
            return channels;
        }
    }
    return 0;
}

}  // namespace

extern "C" {

std::size_t cudnnGetVersion() {
    return is("old") ? 90700 : is("other") ? 91800 : 91900;
}

std::size_t cudnnGetCudartVersion() {
    return is("cuda13") ? 13000 : 12080;
}

int cudnnBackendCreateDescriptor(int kind, void** made) {
    *made = new Descriptor{kind, {}};
    return 0;
}

int cudnnBackendDestroyDescriptor(void* descriptor) {
    delete static_cast<Descriptor*>(descriptor);
    return 0;
}

int cudnnBackendSetAttribute(void* descriptor, int attribute, int type, std::int64_t count,
                             const void* values) {
    const auto* const bytes = static_cast<const char*>(values);
    static_cast<Descriptor*>(descriptor)
        ->values[attribute]
        .assign(bytes, bytes + static_cast<std::size_t>(count) * sizeOf(type));
    return 0;
}

int cudnnBackendFinalize(void* descriptor) {
    auto& d = *static_cast<Descriptor*>(descriptor);
    if (d.kind == kDevice) {
        const auto& json = d.values[2702];
        return std::string(json.begin(), json.end()).find("\"deviceVer\":700") == std::string::npos ? 0
                                                                                                    : 3000;
    }
    if (d.kind == kTensor && d.first<std::int64_t>(906) == 'x') {
        std::int64_t channels = 0;
        std::memcpy(&channels, d.values[902].data() + sizeof channels, sizeof channels);
        if (channels == kDies) {
            if (is("alone")) {  // like a cuDNN that finds no cuBLAS
                (void)!::write(2, kNoCublas, sizeof kNoCublas - 1);
            }
            std::abort();
        }
        while (channels == kHangs) {
            ::sleep(1);
        }
        return channels == kRefused ? 2000 : 0;
    }
    if (d.kind == kPlan) {
        return d.first<Descriptor*>(401)->index == 4 ? 3000 : 0;
    }
    return 0;
}

int cudnnBackendGetAttribute(void* descriptor, int attribute, int, std::int64_t wanted, std::int64_t* count,
                             void* values) {
    auto& d = *static_cast<Descriptor*>(descriptor);
    if (d.kind == kHeuristics) {
        const bool fallback = d.first<int>(200) == kFallbackMode;
        const std::int64_t all = fallback ? 1 : 5;
        *count = all;
        for (std::int64_t i = 0; i < wanted && i < all; ++i) {
            auto& config = *static_cast<Descriptor**>(values)[i];
            config.index = fallback ? 5 : i;
            config.channels = channelsOf(*d.first<Descriptor*>(201));
        }
        return 0;
    }
    *count = 1;
    if (d.kind == kConfig) {
        static_cast<Descriptor**>(values)[0]->index = d.index;
    } else if (attribute == 1301) {
        std::memcpy(values, &d.index, sizeof d.index);
    } else if (attribute == 1303) {
        constexpr int kNotes[] = {4, 0, 1};
        *count = d.index < 3 ? 1 : 0;
        if (*count > 0) {
            std::memcpy(values, &kNotes[d.index], sizeof(int));
        }
    } else if (d.kind == kPlan) {
        const auto* const config = d.first<Descriptor*>(401);
        const std::int64_t bytes = 1000 * (config->index + 1) + config->channels;
        std::memcpy(values, &bytes, sizeof bytes);
    }
    return 0;
}

}  // extern "C"
