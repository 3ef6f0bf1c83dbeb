#pragma once

#include <cstdint>

/// InPlace-ABN (Rota Bulo 2018, arXiv 1712.02616): common definitions of its CPU and CUDA kernels. C++17, no
/// LibTorch. With gamma' = |weight| + eps and beta = bias, for each channel:
///   forward   xhat = (x - mean) * invstd;  y = gamma' * xhat + beta;  z = phi(y), written over x
///   backward  y = phi^-1(z);  dy = dz * phi'(y);  xhat = (y - beta) / gamma';  with m values a channel:
///             dbeta = sum dy;  dgamma' = sum dy * xhat;  dweight = dgamma' * sign(weight)
///             dx = gamma' * invstd * (dy - dbeta / m - xhat * dgamma' / m)
namespace highwater::engine::kernels {

/// An invertible activation: leaky_relu with this slope (above 0), or elu with alpha 1.
struct AbnActivation {
    bool elu = false;
    double slope = 0.01;
};

/// The shape N x C x positions, contiguous [N, C, positions] or channels_last [N, positions, C].
struct AbnShape {
    std::int64_t batch = 0, channels = 0, positions = 0;
    bool channelsLast = false;
    std::int64_t perChannel() const { return batch * positions; }
};

}  // namespace highwater::engine::kernels
