#include "core/engine/data/patch_values.h"

#include <algorithm>
#include <cmath>

namespace highwater::engine {

namespace {

using stack::Normalize;
using volume::Volume;

/// The standard deviation of the finite voxels; 0 if there are none. Reads slice by slice to keep memory
/// small.
double deviation(const Volume& v, double mean) {
    const auto& size = v.geometry().size;
    std::vector<float> slice(static_cast<std::size_t>(size[0] * size[1]));
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t k = 0; k < size[2]; ++k) {
        volume::extractPatch(v, {0, 0, k}, {size[0], size[1], 1}, 0, slice.data());
        for (const float value : slice) {
            if (std::isfinite(value)) {
                sum += (value - mean) * (value - mean), ++count;
            }
        }
    }
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

float inverse(double range) {
    return range > 0 && std::isfinite(range) ? static_cast<float>(1 / range) : 1.0F;
}

}  // namespace

ChannelValues channelValues(const Volume& scan, const Normalize& normalize) {
    const volume::Header& header = scan.header();
    ChannelValues values;
    values.outside = static_cast<float>(header.min);
    if (normalize.kind == Normalize::Kind::Zscore) {
        values.offset = static_cast<float>(header.mean);
        values.scale = inverse(deviation(scan, header.mean));
    } else if (normalize.kind == Normalize::Kind::Minmax) {
        values.offset = static_cast<float>(header.min);
        values.scale = inverse(header.max - header.min);
    } else if (normalize.kind == Normalize::Kind::Window) {
        values.offset = static_cast<float>(normalize.low);
        values.scale = inverse(normalize.high - normalize.low);
        values.clamp = true;
    }
    return values;
}

void normalizeValues(const ChannelValues& channel, float* values, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        const float value = (values[i] - channel.offset) * channel.scale;
        values[i] = !std::isfinite(value) ? 0 : channel.clamp ? std::clamp(value, 0.0F, 1.0F) : value;
    }
}

}  // namespace highwater::engine
