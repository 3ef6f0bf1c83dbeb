#include "core/engine/kernels/abn_activation.cuh"
#include "core/engine/kernels/abn_cuda.h"
#include "core/engine/kernels/channel_sums.cuh"

namespace highwater::engine::kernels {

namespace {

/// sum dy and sum dy * (y - beta).
struct Pair {
    float dy = 0, dyY = 0;

    __device__ void add(const Pair& other) {
        dy += other.dy;
        dyY += other.dyY;
    }
    __device__ Pair shuffled(int lanes) const {
        return {__shfl_down_sync(~0U, dy, lanes), __shfl_down_sync(~0U, dyY, lanes)};
    }
};

template <class T>
struct SumPairs {
    using Sum = Pair;
    const T *z, *dz;
    Phi phi;
    const float* bias;

    struct Channel {
        float bias;
    };
    __device__ Channel channel(std::int64_t c) const { return {bias[c]}; }
    template <int N>
    __device__ void one(Sum& sum, const Channel& channel, std::int64_t at) const {
        float values[N], gradients[N];
        load<N>(z + at, values);
        load<N>(dz + at, gradients);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            count(sum, values[i], gradients[i], channel.bias);
        }
    }
    template <int N>
    __device__ void each(Sum (&sums)[N], const Channel (&channels)[N], std::int64_t at) const {
        float values[N], gradients[N];
        load<N>(z + at, values);
        load<N>(dz + at, gradients);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            count(sums[i], values[i], gradients[i], channels[i].bias);
        }
    }

private:
    __device__ void count(Sum& sum, float value, float gradient, float beta) const {
        const float dy = phi.gradient(value, gradient);
        sum.dy += dy;
        sum.dyY = fmaf(dy, phi.invert(value) - beta, sum.dyY);
    }
};

struct FinishPairs {
    const float* weight;
    float eps;
    float *dweight, *dbias;

    __device__ void operator()(std::int64_t c, const Pair& sum) const {
        const float dyXhat = sum.dyY / (fabsf(weight[c]) + eps);
        dweight[c] = weight[c] < 0 ? -dyXhat : dyXhat;
        dbias[c] = sum.dy;
    }
};

template <class T>
struct Gradient {
    const T *z, *dz;
    T* dx;
    Phi phi;
    const float *weight, *bias, *invstd, *dweight, *dbias;
    float eps, inverseCount;

    struct Channel {
        float factor, sum, product, bias;
    };
    __device__ Channel channel(std::int64_t c) const {
        const float scale = fabsf(weight[c]) + eps;
        const float dyXhat = weight[c] < 0 ? -dweight[c] : dweight[c];
        return {scale * invstd[c], dbias[c] * inverseCount, dyXhat * inverseCount / scale, bias[c]};
    }
    template <int N, class Of>
    __device__ void run(const Of& of, std::int64_t at) const {
        float values[N], gradients[N];
        load<N>(z + at, values);
        load<N>(dz + at, gradients);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const Channel& c = of(i);
            const float dy = phi.gradient(values[i], gradients[i]);
            values[i] = c.factor * (dy - c.sum - (phi.invert(values[i]) - c.bias) * c.product);
        }
        store<N>(values, dx + at);
    }
};

}  // namespace

void abnSums(const AbnPlace& place, const void* z, const void* dz, float* dweight, float* dbias,
             float* passing, cudaStream_t stream) {
    withElement(place.element, [&](auto as) {
        using T = typename decltype(as)::Type;
        const SumPairs<T> work{static_cast<const T*>(z), static_cast<const T*>(dz),
                               Phi(place.activation, leastAboveMinusOne<T>), place.bias};
        const FinishPairs finish{place.weight, place.eps, dweight, dbias};
        if (packs<T>(place.shape, z, dz)) {
            launchSums<packed<T>>(place.shape, work, passing, finish, stream);
        } else {
            launchSums<1>(place.shape, work, passing, finish, stream);
        }
    });
}

void abnGradient(const AbnPlace& place, const void* z, const void* dz, void* dx, const float* invstd,
                 const float* dweight, const float* dbias, cudaStream_t stream) {
    withElement(place.element, [&](auto as) {
        using T = typename decltype(as)::Type;
        const auto inverseCount = static_cast<float>(1.0 / static_cast<double>(place.shape.perChannel()));
        const Gradient<T> work{static_cast<const T*>(z),
                               static_cast<const T*>(dz),
                               static_cast<T*>(dx),
                               Phi(place.activation, leastAboveMinusOne<T>),
                               place.weight,
                               place.bias,
                               invstd,
                               dweight,
                               dbias,
                               place.eps,
                               inverseCount};
        if (packs<T>(place.shape, z, dz, static_cast<const void*>(dx))) {
            launchChannelwise<packed<T>>(place.shape, work, stream);
        } else {
            launchChannelwise<1>(place.shape, work, stream);
        }
    });
}

}  // namespace highwater::engine::kernels
