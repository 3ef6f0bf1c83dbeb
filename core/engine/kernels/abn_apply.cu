#include "core/engine/kernels/abn_activation.cuh"
#include "core/engine/kernels/abn_cuda.h"
#include "core/engine/kernels/channelwise.cuh"

namespace highwater::engine::kernels {

namespace {

template <class T>
struct Apply {
    T* x;
    Phi phi;
    const float *weight, *bias, *mean, *deviation;
    bool isVariance;
    float eps;

    struct Channel {
        float mean, scale, bias;
    };
    __device__ Channel channel(std::int64_t c) const {
        const float invstd = isVariance ? rsqrtf(deviation[c] + eps) : deviation[c];
        return {mean[c], (fabsf(weight[c]) + eps) * invstd, bias[c]};
    }
    template <int N, class Of>
    __device__ void run(const Of& of, std::int64_t at) const {
        float values[N];
        load<N>(x + at, values);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const Channel& c = of(i);
            values[i] = phi.forward(fmaf(values[i] - c.mean, c.scale, c.bias));
        }
        store<N>(values, x + at);
    }
};

}  // namespace

void abnApply(const AbnPlace& place, void* x, const float* mean, const float* deviation, bool isVariance,
              cudaStream_t stream) {
    withElement(place.element, [&](auto as) {
        using T = typename decltype(as)::Type;
        const Apply<T> work{static_cast<T*>(x),
                            Phi(place.activation, leastAboveMinusOne<T>),
                            place.weight,
                            place.bias,
                            mean,
                            deviation,
                            isVariance,
                            place.eps};
        if (packs<T>(place.shape, x)) {
            launchChannelwise<packed<T>>(place.shape, work, stream);
        } else {
            launchChannelwise<1>(place.shape, work, stream);
        }
    });
}

}  // namespace highwater::engine::kernels
