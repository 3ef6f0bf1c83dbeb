#include "core/engine/target_sampler.h"

#include <ATen/ATen.h>

#include <array>

#include "core/engine/device.h"

namespace highwater::engine {

namespace {

/// Where output place i of `to` lies among `from` places: the centre's, as nearest-exact of PyTorch.
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
    for (std::int64_t n = 0; n < count; ++n, source += each)
        for (std::int64_t z = 0; z < out[0]; ++z)
            for (std::int64_t y = 0; y < out[1]; ++y) {
                const T* const row =
                    source + (nearest(z, in[0], out[0]) * in[1] + nearest(y, in[1], out[1])) * in[2];
                for (std::int64_t x = 0; x < out[2]; ++x)
                    *target++ = row[nearest(x, in[2], out[2])];
            }
}

}  // namespace

TargetSampler::TargetSampler(at::Tensor from, at::Tensor to, std::int64_t dims)
    : from_(std::move(from)), to_(std::move(to)), dims_(dims) {
    if (from_.is_cuda() || !from_.is_contiguous() || !to_.is_contiguous())
        makePlaces();
}

void TargetSampler::makePlaces() {
    for (std::int64_t axis = dims_; axis >= 1; --axis) {
        const std::int64_t in = from_.size(-axis), out = to_.size(-axis);
        at::Tensor places = at::empty({out}, at::kLong);
        for (std::int64_t i = 0; i < out; ++i)
            places.data_ptr<std::int64_t>()[i] = nearest(i, in, out);
        places = places.to(from_.device());
        retag(places, Category::Input);
        std::vector<std::int64_t> shape(static_cast<std::size_t>(axis), 1);
        shape.front() = out;
        places_.push_back(places.view(shape));
    }
}

void TargetSampler::sample() const {
    if (!places_.empty())
        sampleByIndex();
    else if (from_.scalar_type() == at::kLong)
        sampleOnHost<std::int64_t>(from_, to_, dims_);
    else
        sampleOnHost<float>(from_, to_, dims_);
}

void TargetSampler::sampleByIndex() const {
    c10::List<c10::optional<at::Tensor>> places;
    for (std::int64_t axis = from_.dim(); axis > dims_; --axis)
        places.push_back(c10::optional<at::Tensor>());
    for (const at::Tensor& each : places_)
        places.push_back(c10::optional<at::Tensor>(each));
    at::Tensor to = to_;
    at::index_out(to, from_, places);
}

}  // namespace highwater::engine
