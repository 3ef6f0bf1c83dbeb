#pragma once

#include <ATen/core/Tensor.h>

#include "core/engine/kernels/abn.h"

/// InPlace-ABN: batch normalisation and an activation that overwrite their input, of which backward needs the
/// output alone (Rota Bulo 2018, arXiv 1712.02616; kernels/abn.h has the formulas). CPU: float and double;
/// GPU: float, half and bfloat16 (parameters and statistics float). Private to core/engine.
///
/// What differs from batch_norm and the activation one after the other: the scale is |weight| + eps, not
/// weight, so a weight of 1 scales by 1 + eps, and the gradient of a negative weight has the other sign (that
/// of weight 0 is taken as positive); and backward finds y from z, so it errs by a rounding of z, which is
/// 1 / (|weight| + eps) times as large in xhat, and for elu exp(-y) times as large at y < 0.
namespace highwater::engine {

struct AbnParameters {
    at::Tensor weight, bias;             ///< one value a channel, learned
    at::Tensor runningMean, runningVar;  ///< as batch_norm's: momentum 0.1, unbiased variance
};

struct AbnOptions {
    kernels::AbnActivation activation;
    double eps = 1e-5;
    bool batchStatistics = true;  ///< false: the running ones
    bool updateRunning = true;    ///< with batchStatistics
};

/// Writes z over x (N, C, spatial) and returns x, whose graph then goes on from here; where gradients are
/// wanted, it keeps x, the parameters and one inverse deviation a channel, and only batchStatistics can be
/// differentiated. A later change of x is found in backward and thrown. The gradient of x is written over
/// that of z where nobody else holds that and it lies as x does; else over x, where nobody else holds it;
/// else it is a new tensor.
at::Tensor inplaceAbn(at::Tensor x, const AbnParameters& parameters, const AbnOptions& options);

}  // namespace highwater::engine
