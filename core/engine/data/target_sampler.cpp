#include "core/engine/data/target_sampler.h"

#include <ATen/ATen.h>

#include <array>

#include "core/engine/device/device.h"

namespace highwater::engine {

namespace {

/// The input index for output index i: that of the center, as PyTorch's nearest-exact.
std::int64_t nearest(std::int64_t i, std::int64_t from, std::int64_t to) {
    return (2 * i + 1) * from / (2 * to);
}

template <class T>
void sampleOnHost(const at::Tensor& from, const at::Tensor& to, std::int64_t dims) {
    std::array<std::int64_t, 3> in{1, 1, 1}, out{1, 1, 1};
    for (std::int64_t axis = 1; axis <= dims; ++axis) {
        in[static_cast<std::size_t>(3 - axis)] = from.size(-axis);
        out[static_cast<std::size_t>(3 - axis)] = to.size(-axis);
    }
    const std::int64_t each = in[0] * in[1] * in[2], count = from.numel() / each;
    const T* source = from.data_ptr<T>();
    T* target = to.data_ptr<T>();
    for (std::int64_t n = 0; n < count; ++n, source += each) {
        for (std::int64_t z = 0; z < out[0]; ++z) {
            for (std::int64_t y = 0; y < out[1]; ++y) {
                const T* const row =
                    source + (nearest(z, in[0], out[0]) * in[1] + nearest(y, in[1], out[1])) * in[2];
                for (std::int64_t x = 0; x < out[2]; ++x) {
                    *target++ = row[nearest(x, in[2], out[2])];
                }
            }
        }
    }
}

}  // namespace

TargetSampler::TargetSampler(at::Tensor from, at::Tensor to, std::int64_t dims)
    : from_(std::move(from)), to_(std::move(to)), dims_(dims) {
    if (from_.is_cuda() || !from_.is_contiguous() || !to_.is_contiguous()) {
        makeViews();
    }
}

void TargetSampler::makeViews() {
    const std::int64_t first = from_.dim() - dims_;
    at::Tensor strided = from_;
    for (std::int64_t axis = first; axis < from_.dim(); ++axis) {
        const std::int64_t in = from_.size(axis), out = to_.size(axis), step = in / out;
        if (in % out != 0) {
            return makePlaces(first);
        }
        strided = strided.slice(axis, nearest(0, in, out), in, step);
    }
    strided_ = strided;
}

void TargetSampler::makePlaces(std::int64_t first) {
    at::Tensor places = at::zeros({1}, at::kLong);
    for (std::int64_t axis = first; axis < from_.dim(); ++axis) {
        const std::int64_t in = from_.size(axis), out = to_.size(axis);
        at::Tensor along = at::empty({out}, at::kLong);
        for (std::int64_t i = 0; i < out; ++i) {
            along.data_ptr<std::int64_t>()[i] = nearest(i, in, out);
        }
        places = (places.unsqueeze(1) * in + along).flatten();
    }
    places_ = places.to(from_.device());
    retag(places_, Category::Input);
    // Views with the last axes flattened; no copy.
    from_ = from_.flatten(first);
    to_ = to_.flatten(first);
}

void TargetSampler::sample() const {
    at::Tensor to = to_;
    if (strided_.defined()) {
        to.copy_(strided_);
    } else if (places_.defined()) {
        c10::List<c10::optional<at::Tensor>> places;
        for (std::int64_t axis = 0; axis + 1 < from_.dim(); ++axis) {
            places.push_back(c10::optional<at::Tensor>());
        }
        places.push_back(c10::optional<at::Tensor>(places_));
        at::index_out(to, from_, places);
    } else if (from_.scalar_type() == at::kLong) {
        sampleOnHost<std::int64_t>(from_, to_, dims_);
    } else {
        sampleOnHost<float>(from_, to_, dims_);
    }
}

}  // namespace highwater::engine
