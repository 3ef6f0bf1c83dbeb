#include "core/engine/kernels/abn_activation.cuh"
#include "core/engine/kernels/abn_cuda.h"
#include "core/engine/kernels/channelwise.cuh"

namespace highwater::engine::kernels {

namespace {

template <class T>
struct Apply {
    T* x;
    AbnActivation activation;
    const float *weight, *bias, *mean, *invstd;
    float eps;

    struct Channel {
        float mean, scale, bias;
    };
    __device__ Channel channel(std::int64_t c) const {
        return {mean[c], (fabsf(weight[c]) + eps) * invstd[c], bias[c]};
    }
    template <int N, class Of>
    __device__ void run(const Of& of, std::int64_t at) const {
        float values[N];
        load<N>(x + at, values);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const Channel& c = of(i);
            values[i] = activate(activation, fmaf(values[i] - c.mean, c.scale, c.bias));
        }
        store<N>(values, x + at);
    }
};

template <class T>
void applyAs(const AbnApply& w, cudaStream_t stream) {
    const Apply<T> work{static_cast<T*>(w.x), w.activation, w.weight, w.bias, w.mean, w.invstd, w.eps};
    if (canPack<T>(w.x, w.shape.channelsLast ? w.shape.channels : w.shape.positions))
        launchChannelwise<packed<T>>(w.shape, work, stream);
    else
        launchChannelwise<1>(w.shape, work, stream);
}

}  // namespace

void abnApply(const AbnApply& work, cudaStream_t stream) {
    switch (work.element) {
        case Element::Float:
            return applyAs<float>(work, stream);
        case Element::Half:
            return applyAs<__half>(work, stream);
        case Element::BFloat16:
            return applyAs<__nv_bfloat16>(work, stream);
    }
}

}  // namespace highwater::engine::kernels
