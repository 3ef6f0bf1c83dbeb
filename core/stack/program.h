#pragma once

#include <vector>

#include "core/stack/experiment.h"
#include "core/stack/shapes.h"

/// A stack as a plain list of steps and the segments that checkpointing cuts it into. No LibTorch.
namespace highwater::stack {

/// One layer to execute (never a block or a branch). Value v is the output of step v (a head's: its side
/// output); value -1 is the network's input. A step reads `from`, and `with` where it brings one back.
struct ProgramStep {
    const Op* op = nullptr;  ///< within the experiment, which must outlive the program
    int layer = 0;           ///< index into StackInfo::layers
    int with = -2;           ///< a value, or -2 for none
    int from = -1;  ///< the value before it on its path: v - 1 unless a head or a branch lies between
};

/// Steps [first, last). A checkpointed segment's forward keeps its inputs alone; its backward computes it
/// again, through `inner` (at least one segment).
struct Segment {
    int first = 0, last = 0;
    bool checkpoint = false;
    std::vector<Segment> inner;
    std::vector<int> imports;    ///< values from before it that it reads
    std::vector<int> exports;    ///< its values that are read after it, or outputs
    bool drawsRandomly = false;  ///< an active dropout is among its steps
};

struct Program {
    std::vector<ProgramStep> steps;
    std::vector<Segment> segments;
    std::vector<std::vector<int>> readers;  ///< at v + 1: the steps that read value v, ascending
    std::vector<bool> needsGradient;        ///< at v + 1: a parameter lies at or before value v
    /// What the loss reads: the heads' values in order, then the stack's output, which may be any value.
    std::vector<int> outputs;
    std::vector<double> weights;  ///< of each output's loss; they sum to 1

    bool isOutput(int value) const;

    /// The last step before `end` that reads value v, or -2.
    int lastReaderBefore(int value, int end) const;
};

/// The stack of a valid experiment (`info` is inferShapes of it). Segments follow Step::checkpoint; without
/// a checkpoint, and when not training, there is exactly one.
Program makeProgram(const Experiment& experiment, const StackInfo& info);

}  // namespace highwater::stack
