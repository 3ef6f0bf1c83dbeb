#pragma once

#include <ATen/core/Tensor.h>

#include "core/engine/kernels/abn.h"

/// InPlace-ABN: batch normalization and an activation that overwrite their input. Backward needs only the
/// output (Rota Bulo 2018, arXiv 1712.02616; kernels/abn.h has the formulas). CPU: float and double; GPU:
/// float, half and bfloat16 (parameters and statistics are float). Private to core/engine.
///
/// It differs from batch_norm followed by the activation in two ways. The scale is |weight| + eps instead of
/// weight: a weight of 1 scales by 1 + eps, and the gradient of a negative weight has the opposite sign (a
/// weight of 0 counts as positive). And backward computes y from z, so the rounding of z affects the result:
/// it is 1 / (|weight| + eps) times as large in xhat, and for elu exp(-y) times as large at y < 0.
namespace highwater::engine {

struct AbnParameters {
    at::Tensor weight, bias;             ///< learned, one value per channel
    at::Tensor runningMean, runningVar;  ///< as in batch_norm: momentum 0.1, unbiased variance
};

struct AbnOptions {
    kernels::AbnActivation activation;
    double eps = 1e-5;
    bool batchStatistics = true;  ///< false: use the running statistics
    bool updateRunning = true;    ///< with batchStatistics: update the running statistics
};

/// Overwrites x [N, C, spatial...] with z and returns x, now the output of a new autograd node. If a gradient
/// is wanted, the node saves x, the parameters and one inverse standard deviation per channel; this needs
/// batchStatistics. If x is changed later in place, backward throws. The gradient of x overwrites that of z
/// if nothing else references it and its layout is x's; otherwise it overwrites x if nothing else references
/// x; otherwise it is a new tensor.
at::Tensor inplaceAbn(at::Tensor x, const AbnParameters& parameters, const AbnOptions& options);

}  // namespace highwater::engine
