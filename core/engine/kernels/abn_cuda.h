#pragma once

#include "core/engine/kernels/abn.h"

struct CUstream_st;

/// InPlace-ABN on a GPU; abn.h has the formulas. Every pointer is to the device's memory; what is called here
/// runs on the stream and is not waited for. Elements are float, half or bfloat16, arithmetic is float. An
/// error of a launch stays CUDA's last error for the caller to ask for.
namespace highwater::engine::kernels {

enum class Element { Float, Half, BFloat16 };

/// x becomes z, with these statistics. weight, bias, mean, invstd: float, one a channel.
struct AbnApply {
    void* x = nullptr;
    Element element = Element::Float;
    AbnShape shape;
    AbnActivation activation;
    const float *weight = nullptr, *bias = nullptr, *mean = nullptr, *invstd = nullptr;
    float eps = 1e-5F;
};
void abnApply(const AbnApply& work, CUstream_st* stream);

}  // namespace highwater::engine::kernels
