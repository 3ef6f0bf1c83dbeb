#pragma once

#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// A program: a stack as a flat list of steps, and the segments into which checkpointing divides it. Does not
/// use LibTorch.
namespace highwater::stack {

/// One layer to execute (never a block or a branch). Value v is the output of step v (for a head its side
/// output); value -1 is the network's input. A step reads the value `from`; a merge also reads the values
/// `with`.
struct ProgramStep {
    const Op* op = nullptr;  ///< points into the experiment, which must outlive the program; never a Shared
    int layer = 0;           ///< index into StackInfo::layers
    std::vector<int> with;
    int from = -1;  ///< the previous value on its path: v - 1, unless a head or a branch is in between
    int owner = 0;  ///< the step whose parameters it uses: itself, unless it is a Shared
};

/// The values that the step reads, without duplicates: `from`, then those of `with`.
std::vector<int> valuesRead(const ProgramStep& step);

/// Steps [first, last). The forward of a checkpointed segment saves only its inputs. Its backward recomputes
/// the forward, as the segments `inner` (at least one). The activations that a segment with `offload` saves
/// are moved to host memory; it is not checkpointed, and another segment follows it in its list.
struct Segment {
    int first = 0, last = 0;
    bool checkpoint = false;
    bool offload = false;
    std::vector<Segment> inner;
    std::vector<int> imports;    ///< earlier values that it reads
    std::vector<int> exports;    ///< its values that are read later or are outputs
    bool drawsRandomly = false;  ///< it contains an active dropout
    /// When recomputed, its last step need not run: no step inside reads its output, and its backward needs
    /// only its input and its parameters (resumable).
    bool resumes = false;
};

struct Program {
    std::vector<ProgramStep> steps;
    std::vector<Segment> segments;
    std::vector<std::vector<int>> readers;  ///< at v + 1: the steps that read value v, ascending
    std::vector<bool> needsGradient;        ///< at v + 1: whether there is a parameter at or before value v
    /// The values that the loss reads: those of the heads in order, then the stack's output, which may be any
    /// value.
    std::vector<int> outputs;
    std::vector<double> weights;  ///< weight of each output's loss; they sum to 1
    /// Segments with `offload` offload storages of more bytes than this. Smaller ones are in the allocator's
    /// small pool (kSmallSize in CUDACachingAllocator.cpp), and would cost more time than the memory is
    /// worth.
    base::Bytes offloadsAbove = base::Bytes{1} << 20;

    bool isOutput(int value) const;

    /// Returns the last step before `end` that reads value v, or -2.
    int lastReaderBefore(int value, int end) const;
};

/// Creates the program of a valid experiment (`info` is the result of inferShapes for it). Segments follow
/// Step::checkpoint. Without checkpointing, and when not training, there is exactly one segment.
Program makeProgram(const Experiment& experiment, const StackInfo& info);

}  // namespace highwater::stack
