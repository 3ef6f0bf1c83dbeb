#include "core/layers/norm.h"

#include <fmt/format.h>

#include <numeric>

#include "core/layers/rules.h"

namespace highwater::stack {

using base::Error;
using base::Result;

Result<LayerRule> About<Norm>::rule(const Norm& op, const Shape& input, bool train) {
    const std::int64_t channels = input[1];
    std::optional<Error> error;
    if (op.kind == Norm::Kind::Group) {
        error = outside("num_groups", op.numGroups, 1, kMostSize);
        if (!error && channels % op.numGroups != 0) {
            error = Error{
                fmt::format("num_groups {} does not divide the {} input channels", op.numGroups, channels)};
        }
        if (!error && channels == op.numGroups) {
            error = checkStatistics(input, input[0], "batch and spatial size 1, one channel per group");
        }
    } else if (op.kind == Norm::Kind::Instance) {
        error = checkStatistics(input, 1, "spatial size 1");
    } else if (train) {
        error = checkStatistics(input, input[0], "batch and spatial size 1");
    }
    if (error) {
        return *error;
    }
    return LayerRule{input, op.affine ? 2 * channels : 0};
}

void About<Norm>::suit(Norm& op, const Shape& input) {
    if (op.kind == Norm::Kind::Group) {
        op.numGroups = std::gcd(input.empty() ? 1 : input[1], std::int64_t{8});
    }
}

void epsWords(double eps, Words& w) {
    w.addIf(!w.brief && eps != Norm().eps, fmt::format("eps {}", eps));
}

void About<Norm>::words(const Norm& op, Words& w) {
    w.addIf(op.kind == Norm::Kind::Group, fmt::format("{} groups", op.numGroups));
    w.addIf(!w.brief && op.affine != (op.kind != Norm::Kind::Instance), op.affine ? "affine" : "not affine");
    epsWords(op.eps, w);
}

python::Module About<Norm>::module(const Norm& op, const python::Place& at) {
    if (op.kind == Norm::Kind::Group) {
        python::Module made{"nn.GroupNorm"};
        made.addAll({op.numGroups, at.channels});
        return made.add("eps", op.eps, Norm().eps).add("affine", op.affine, true);
    }
    const bool batch = op.kind == Norm::Kind::Batch;
    python::Module made{python::withDims(batch ? "BatchNorm" : "InstanceNorm", at.dims)};
    made.addAll({at.channels}).add("eps", op.eps, Norm().eps).add("affine", op.affine, batch);
    return batch ? made.addMomentum(at.runs) : made;
}

}  // namespace highwater::stack
