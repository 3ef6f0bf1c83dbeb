#include "core/stack/program.h"

#include <algorithm>
#include <cmath>

#include "core/stack/shared.h"

namespace highwater::stack {

namespace {

Segment plain(int first, int last, bool checkpoint) {
    Segment segment;
    segment.first = first;
    segment.last = last;
    segment.checkpoint = checkpoint;
    if (checkpoint) {
        segment.inner = {plain(first, last, false)};
    }
    return segment;
}

/// Numbers the layers as inferShapes does: in order of execution, a block before the layers in it.
class ProgramBuilder {
public:
    ProgramBuilder(const StackInfo& info, const std::vector<Layer>& layers)
        : info_(info), operators_(layers), valueOf_(info.layers.size(), -1) {}

    /// Returns the segments of these layers. With `obeyBlocks`, they are divided at checkpointed blocks.
    std::vector<Segment> list(const std::vector<Layer>& layers, bool obeyBlocks) {
        std::vector<Segment> segments;
        add(layers, obeyBlocks, segments);
        return segments;
    }

    std::vector<ProgramStep> steps;
    int path = -1;  ///< the value that the next step reads

private:
    int here() const { return static_cast<int>(steps.size()); }

    void add(const std::vector<Layer>& layers, bool obeyBlocks, std::vector<Segment>& segments) {
        for (const Layer& layer : layers) {
            const int index = next_++;
            if (const auto* const block = std::get_if<Block>(&layer.op)) {
                addBlock(*block, obeyBlocks, segments);
            } else {
                addStep(layer, index, segments);
            }
            valueOf_[static_cast<std::size_t>(index)] = path;
        }
    }

    void addBlock(const Block& block, bool obeyBlocks, std::vector<Segment>& segments) {
        const int first = here();
        if (!obeyBlocks || !block.checkpoint) {
            add(block.layers, obeyBlocks, segments);
            return;
        }
        Segment segment = plain(first, first, false);
        segment.checkpoint = true;
        segment.inner = list(block.layers, true);
        segment.last = here();
        if (segment.last > segment.first) {
            segments.push_back(std::move(segment));
        }
    }

    void addStep(const Layer& layer, int index, std::vector<Segment>& segments) {
        std::vector<int> back;
        for (const int with : info_.layers[static_cast<std::size_t>(index)].with) {
            back.push_back(valueOf_[static_cast<std::size_t>(with)]);
        }
        const auto* const merge = std::get_if<Merge>(&layer.op);
        if (merge && merge->kind == Merge::Kind::Branch) {
            path = back.front();
            return;
        }
        if (segments.empty() || segments.back().checkpoint) {
            segments.push_back(plain(here(), here(), false));
        }
        const int owner = info_.layers[static_cast<std::size_t>(index)].owner;
        steps.push_back({&operators_.of(layer), index, std::move(back), path,
                         owner < 0 ? here() : valueOf_[static_cast<std::size_t>(owner)]});
        if (!std::holds_alternative<Head>(layer.op)) {
            path = here() - 1;
        }
        segments.back().last = here();
    }

    const StackInfo& info_;
    Operators operators_;
    std::vector<int> valueOf_;
    int next_ = 0;
};

/// As torch.utils.checkpoint_sequential: equal numbers of top-level layers per segment; the last segment,
/// which takes the remainder, is not checkpointed.
std::vector<Segment> equalSegments(const std::vector<Layer>& layers, const StackInfo& info,
                                   std::int64_t wanted) {
    const auto count = static_cast<std::int64_t>(layers.size());
    const std::int64_t segments = std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(count, 1));
    const std::int64_t each = count / segments;
    std::vector<int> stepsAfter;  // number of steps up to and including each top-level layer
    int steps = 0, top = 0;
    for (const LayerInfo& layer : info.layers) {
        if (layer.depth == 0 && top++ > 0) {
            stepsAfter.push_back(steps);
        }
        steps += layer.type == "block" || layer.type == "branch" ? 0 : 1;
    }
    stepsAfter.push_back(steps);

    std::vector<Segment> all;
    int first = 0;
    for (std::int64_t i = 1; i <= segments; ++i) {
        const bool rest = i == segments;
        const int last = rest ? steps : stepsAfter[static_cast<std::size_t>(i * each - 1)];
        if (last > first) {
            all.push_back(plain(first, last, !rest));
        }
        first = last;
    }
    return all;
}

/// The steps [first, last), divided according to the parts of a plan, which are clipped at both ends.
std::vector<Segment> planned(const std::vector<PlanPart>& parts, int first, int last) {
    std::vector<Segment> all;
    int done = first;
    for (const PlanPart& each : parts) {
        const int from = static_cast<int>(std::clamp<std::int64_t>(each.first, done, last)),
                  to = static_cast<int>(std::clamp<std::int64_t>(each.last, from, last));
        if (from == to) {
            continue;
        }
        if (from > done) {
            all.push_back(plain(done, from, false));
        }
        Segment& segment = all.emplace_back(plain(from, to, false));
        done = to;
        if (each.offload) {
            segment.offload = to < last;  // the backward of the last one begins immediately
            continue;
        }
        segment.checkpoint = true;
        segment.inner = planned(each.inner, from, to);
    }
    if (done < last || all.empty()) {
        all.push_back(plain(done, last, false));
    }
    return all;
}

std::vector<Segment> cut(const Experiment& experiment, const StackInfo& info, std::vector<Segment> byBlocks,
                         int steps) {
    const Checkpointing& checkpoint = experiment.step.checkpoint;
    const auto layers = static_cast<double>(experiment.stack.size());
    if (!experiment.step.train || checkpoint.kind == Checkpointing::Kind::None) {
        return {plain(0, steps, false)};
    }
    if (checkpoint.kind == Checkpointing::Kind::Sqrt) {
        return equalSegments(experiment.stack, info, std::llround(std::sqrt(layers)));
    }
    if (checkpoint.kind == Checkpointing::Kind::Segments) {
        return equalSegments(experiment.stack, info, checkpoint.segments);
    }
    if (checkpoint.kind == Checkpointing::Kind::Plan) {
        return planned(checkpoint.plan, 0, steps);
    }
    return byBlocks;
}

void fillOutputs(Program& program, int output) {
    double sum = 1;
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        if (const auto* const head = std::get_if<Head>(program.steps[i].op)) {
            program.outputs.push_back(static_cast<int>(i));
            program.weights.push_back(head->weight);
            sum += head->weight;
        }
    }
    program.outputs.push_back(output);
    program.weights.push_back(1);
    for (double& weight : program.weights) {
        weight /= sum;
    }
}

void fillReaders(Program& program) {
    program.readers.assign(program.steps.size() + 1, {});
    for (int i = 0; i < static_cast<int>(program.steps.size()); ++i) {
        const ProgramStep& step = program.steps[static_cast<std::size_t>(i)];
        for (const int value : valuesRead(step)) {
            program.readers[static_cast<std::size_t>(value + 1)].push_back(i);
        }
    }
}

void fillNeedsGradient(Program& program) {
    program.needsGradient.assign(program.steps.size() + 1, false);
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
        const ProgramStep& step = program.steps[i];
        const std::vector<int> read = valuesRead(step);
        program.needsGradient[i + 1] =
            learns(*step.op) || (!readsNothing(*step.op) && std::any_of(read.begin(), read.end(), [&](int v) {
                return program.needsGradient[static_cast<std::size_t>(v + 1)];
            }));
    }
}

/// Only looks at the steps of the segment, because there may be as many segments as steps.
void fillBorders(const Program& program, Segment& segment) {
    for (int i = segment.first; i < segment.last; ++i) {
        const ProgramStep& step = program.steps[static_cast<std::size_t>(i)];
        for (const int value : valuesRead(step)) {
            if (value < segment.first) {
                segment.imports.push_back(value);
            }
        }
        const std::vector<int>& readers = program.readers[static_cast<std::size_t>(i + 1)];
        if (program.isOutput(i) || (!readers.empty() && readers.back() >= segment.last)) {
            segment.exports.push_back(i);
        }
        segment.drawsRandomly = segment.drawsRandomly || drawsRandomly(*step.op);
    }
    std::sort(segment.imports.begin(), segment.imports.end());
    segment.imports.erase(std::unique(segment.imports.begin(), segment.imports.end()), segment.imports.end());
    for (Segment& inner : segment.inner) {
        fillBorders(program, inner);
    }
}

/// Marks inner segments of `segment` that are recomputed and need not compute their last output.
void fillResumes(const Program& program, Segment& segment) {
    for (Segment& inner : segment.inner) {
        const ProgramStep& step = program.steps[static_cast<std::size_t>(inner.last - 1)];
        // Values made inside are read by steps inside; values read after the segment exist already.
        inner.resumes = !inner.checkpoint && resumable(*step.op) &&
                        program.lastReaderBefore(inner.last - 1, segment.last) < inner.last;
        fillResumes(program, inner);
    }
}

}  // namespace

std::vector<int> valuesRead(const ProgramStep& step) {
    std::vector<int> values = {step.from};
    for (const int value : step.with) {
        if (std::find(values.begin(), values.end(), value) == values.end()) {
            values.push_back(value);
        }
    }
    return values;
}

int Program::lastReaderBefore(int value, int end) const {
    const std::vector<int>& all = readers[static_cast<std::size_t>(value + 1)];
    const auto after = std::lower_bound(all.begin(), all.end(), end);
    return after == all.begin() ? -2 : *std::prev(after);
}

bool Program::isOutput(int value) const {
    const auto heads = outputs.end() - 1;  // all but the last are in the order of the steps
    return value == *heads || std::binary_search(outputs.begin(), heads, value);
}

Program makeProgram(const Experiment& experiment, const StackInfo& info) {
    Program program;
    ProgramBuilder builder(info, experiment.stack);
    std::vector<Segment> byBlocks = builder.list(experiment.stack, true);
    program.steps = std::move(builder.steps);
    program.segments = cut(experiment, info, std::move(byBlocks), static_cast<int>(program.steps.size()));
    fillOutputs(program, builder.path);
    fillReaders(program);
    fillNeedsGradient(program);
    for (Segment& segment : program.segments) {
        fillBorders(program, segment);
        if (experiment.step.checkpoint.kind == Checkpointing::Kind::Plan) {
            fillResumes(program, segment);
        }
    }
    return program;
}

}  // namespace highwater::stack
