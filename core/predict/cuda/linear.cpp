#include "core/predict/ghost/cuda_ops.h"

/// linear on a GPU (cuda/Blas.cpp).
namespace highwater::predict::ghost {

bool onAutogradThread(const Machine& machine) {
    return machine.phase() == Phase::Backward ||
           (machine.target.inPython && machine.phase() == Phase::Recompute);
}

void useCublas(Machine& machine) {
    StoragePtr& kept = cudaState(machine).cublas[onAutogradThread(machine) ? 1 : 0];
    if (!kept && machine.target.versions.libtorch >= memory::TorchVersion{2, 0}) {
        kept = workspace(machine, "cublas workspace", Estimate::of(machine.target.gpu->cublasWorkspace));
    }
}

/// The bias is added by cuBLASLt, whose workspace of 1 MiB (#73328) stays allocated from 2.7 on. It is used
/// if x is contiguous, which is uncertain after an unknown operator.
void multipliedCuda(Machine& machine, bool withBias) {
    useCublas(machine);
    StoragePtr& kept = cudaState(machine).cublasLt[onAutogradThread(machine) ? 1 : 0];
    if (withBias && !kept) {
        kept = workspace(machine, "cublasLt workspace",
                         machine.layoutsGuessed ? Estimate{0, 0, base::kMiB} : Estimate::of(base::kMiB));
        if (machine.target.versions.libtorch < memory::TorchVersion{2, 7}) {
            kept.reset();
        }
    }
}

/// Autocast casts from last argument to first.
Tensor linearCuda(Machine& machine, const Tensor& x, const Tensor& weight, const Tensor& bias) {
    const DType type = autocastType(machine);
    const Tensor lowBias = castParameter(machine, bias), lowWeight = castParameter(machine, weight);
    return linear(machine, isLow(type) ? cast(machine, x, type) : x, lowWeight, lowBias);
}

}  // namespace highwater::predict::ghost
