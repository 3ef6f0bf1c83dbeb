#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/stack/export/parts.h"
#include "core/stack/export/python_text.h"
#include "core/stack/windows.h"
#include "texts/stack_texts.h"

namespace highwater::stack::python {

namespace {

constexpr const char* kDice = R"(def dice(output, target):
    """1 - the mean over samples and classes of (2 sum(p y) + s) / (sum p + sum y + s)."""
    p = {}
    y = {}
    space = tuple(range(2, p.dim()))
    both = (p * y).sum(space)
    sizes = p.sum(space) + y.sum(space)
    return 1 - ((2 * both + 1e-5) / (sizes + 1e-5)).mean()


)";

constexpr const char* kProbabilities = R"(def probabilities(labels):
    """A probability for each class: 1 for the label, 0 for the others."""
    shape = (labels.size(0), CLASSES, *labels.shape[1:])
    made = torch.zeros(shape, dtype=torch.{}, device=labels.device)
    return made.scatter_(1, labels.unsqueeze(1), 1.0)


)";

std::string oneLoss(Loss loss) {
    switch (loss) {
        case Loss::Mse:
            return "F.mse_loss(output, target)";
        case Loss::CrossEntropy:
            return "F.cross_entropy(output, target)";
        case Loss::Dice:
            return "dice(output, target)";
        case Loss::DiceCrossEntropy:
            return "F.cross_entropy(output, target) + dice(output, target)";
        case Loss::Bce:
            return "F.binary_cross_entropy_with_logits(output, target)";
        case Loss::SigmoidDice:
            return "dice(output, target)";
        case Loss::SigmoidDiceBce:
            return "F.binary_cross_entropy_with_logits(output, target) + dice(output, target)";
        case Loss::Mean:
            break;
    }
    return "output.mean()";
}

/// Whether the target contains numbers, not classes.
bool comparesNumbers(Loss loss) {
    return loss == Loss::Mse || comparesProbabilities(loss);
}

/// "float32", or the type of a 16-bit model.
const char* modelType(const Experiment& e) {
    return e.step.precision == Precision::Fp16True   ? "float16"
           : e.step.precision == Precision::Bf16True ? "bfloat16"
                                                     : "float32";
}

/// Converts the expression to the model's type.
std::string inType(const Experiment& e, const std::string& text) {
    return isTrueHalf(e.step.precision) ? fmt::format("{}.to(torch.{})", text, modelType(e)) : text;
}

/// The input of the network and its target, as Python text.
struct Sample {
    std::string x, target;
};

/// loss = ..., under autocast if the precision requires it. With `keep`, the outputs get a name.
std::string lossLines(const Experiment& e, const Sample& sample, int indent, bool keep = false) {
    const std::string wanted = comparesNumbers(e.loss) ? inType(e, sample.target) : sample.target;
    const std::string target = hasTarget(e) ? ", " + wanted : "", x = inType(e, sample.x);
    const std::string line = keep ? fmt::format("output = model({})\nloss = criterion(output{})\n", x, target)
                                  : fmt::format("loss = criterion(model({}){})\n", x, target);
    if (!usesAutocast(e.step.precision)) {
        return indented(indent, line);
    }
    return indented(
        indent, fmt::format("with torch.autocast(x.device.type, dtype=torch.{}):\n{}",
                            e.step.precision == Precision::Bf16 ? "bfloat16" : "float16", indented(4, line)));
}

/// Returns the code that lists the pieces of a batch: micro-batches, and the windows of each.
std::string pieces(const Experiment& e) {
    std::string text =
        "def pieces(x):\n"
        "    \"\"\"The index of each window";
    text += e.step.microBatches > 1 ? " of each micro-batch.\"\"\"\n" : ".\"\"\"\n";
    std::string indent = "    ", samples = "slice(None)";
    if (e.step.microBatches > 1) {
        text +=
            "    samples = x.size(0) // MICRO_BATCHES\n"
            "    for first in range(0, x.size(0), samples):\n";
        indent += "    ";
        samples = "slice(first, first + samples)";
    }
    text += indent + "for corner in itertools.product(*STARTS):\n";
    text += indent + "    places = (slice(at, at + size) for at, size in zip(corner, WINDOW))\n";
    text += indent + "    yield (" + samples + ", ..., *places)\n\n\n";
    return text;
}

/// Returns the number of pieces over which losses and gradients are averaged, as Python text; empty if there
/// is only one.
std::string pieceCount(const Experiment& e) {
    return e.windows ? "PIECES" : e.step.microBatches > 1 ? "MICRO_BATCHES" : "";
}

/// The "for ...:" of the loop over pieces, and the expressions from which the loss is computed in it.
struct Loop {
    std::string head, x, target;
};

Loop loopOf(const Experiment& e) {
    const bool target = hasTarget(e);
    if (e.windows) {
        return {"for piece in pieces(x):\n", "x[piece].contiguous()", "target[piece].contiguous()"};
    }
    if (e.step.microBatches == 1) {
        return {};
    }
    if (target) {
        return {"for part, labels in zip(x.chunk(MICRO_BATCHES), target.chunk(MICRO_BATCHES)):\n", "part",
                "labels"};
    }
    return {"for part in x.chunk(MICRO_BATCHES):\n", "part", ""};
}

std::string backward(const Experiment& e) {
    const std::string count = pieceCount(e);
    const std::string loss = count.empty() ? "loss" : "loss / " + count;
    if (e.step.precision == Precision::Fp16) {
        return "scaler.scale(" + loss + ").backward()\n";
    }
    return count.empty() ? "loss.backward()\n" : "(" + loss + ").backward()\n";
}

std::string update(const Experiment& e) {
    const bool scales = e.step.precision == Precision::Fp16;
    std::string clip;
    if (e.step.clipGradients > 0) {
        clip = fmt::format("{}    torch.nn.utils.clip_grad_norm_(model.parameters(), {})\n",
                           scales ? "    scaler.unscale_(optimizer)\n" : "", literal(e.step.clipGradients));
    }
    return clip + (scales ? "    scaler.step(optimizer)\n    scaler.update()\n" : "    optimizer.step()\n") +
           (e.step.keepGradients ? "    optimizer.zero_grad(set_to_none=False)\n"
                                 : "    optimizer.zero_grad(set_to_none=True)\n");
}

std::string trainStep(const Experiment& e) {
    std::string text = "def train_step(model, optimizer, ";
    text += e.step.precision == Precision::Fp16 ? "scaler, " : "";
    text += hasTarget(e) ? "x, target):\n" : "x):\n";
    const Loop loop = loopOf(e);
    if (loop.head.empty()) {
        text += "    \"\"\"One step of training; returns the loss.\"\"\"\n";
        text += lossLines(e, {"x", "target"}, 4, e.step.keepOutput) + "    " + backward(e);
        return text + update(e) + "    return loss.item()\n";
    }
    text +=
        "    \"\"\"One step of training; returns the mean loss. Gradients add up over the pieces.\"\"\"\n";
    text += "    total = 0.0\n    " + loop.head;
    text += lossLines(e, {loop.x, loop.target}, 8, e.step.keepOutput) + "        " + backward(e);
    text += e.step.keepOutput ? "        del output  # before the next piece's forward\n" : "";
    text += "        total += loss.item()\n" + update(e);
    return text + "    return total / " + pieceCount(e) + "\n";
}

/// Returns the code that evaluates the loss without training and without windows.
std::string evaluation(const Experiment& e) {
    std::string text = "@torch.no_grad()\ndef evaluate(model, ";
    text += hasTarget(e) ? "x, target):\n" : "x):\n";
    const Loop loop = loopOf(e);
    if (loop.head.empty()) {
        return text + "    \"\"\"The loss.\"\"\"\n" + lossLines(e, {"x", "target"}, 4) +
               "    return loss.item()\n";
    }
    text += "    \"\"\"The mean loss of the micro-batches.\"\"\"\n    total = 0.0\n    " + loop.head;
    text += lossLines(e, {loop.x, loop.target}, 8);
    return text + "        total += loss.item()\n    return total / " + pieceCount(e) + "\n";
}

std::string windowedEvaluation(const Experiment& e, const StackInfo& info, const Program& program) {
    const bool target = hasTarget(e), heads = program.outputs.size() > 1;
    std::string text = "@torch.no_grad()\ndef predict(model, ";
    text += target ? "x, target):\n" : "x):\n";
    text +=
        "    \"\"\"The windows' outputs blended into one for the whole batch, and their mean loss.\"\"\"\n";
    text += fmt::format("    blended = x.new_zeros((x.size(0), {}, *x.shape[2:]))\n", info.output[1]);
    text +=
        "    sums = x.new_zeros(x.shape[2:])\n"
        "    weights = window_weights(WINDOW).to(x.device)\n"
        "    for corner in itertools.product(*STARTS):\n"
        "        sums[tuple(slice(at, at + size) for at, size in zip(corner, WINDOW))] += weights\n"
        "    total = 0.0\n"
        "    for piece in pieces(x):\n";
    std::string body = fmt::format("output = model({})\n", inType(e, "x[piece].contiguous()"));
    const std::string wanted = "target[piece].contiguous()";
    body += fmt::format("loss = criterion(output{})\n", !target                   ? ""
                                                        : comparesNumbers(e.loss) ? ", " + inType(e, wanted)
                                                                                  : ", " + wanted);
    if (usesAutocast(e.step.precision)) {
        body = fmt::format("with torch.autocast(x.device.type, dtype=torch.{}):\n",
                           e.step.precision == Precision::Bf16 ? "bfloat16" : "float16") +
               indented(4, body);
    }
    text += indented(8, body);
    text += fmt::format("        blended[piece] += weights * output{}\n", heads ? "[-1]" : "");
    return text +
           "        total += loss.item()\n"
           "    return blended / sums, total / PIECES\n";
}

}  // namespace

std::string lossFunction(const Experiment& e, const StackInfo& info, const Program& program) {
    std::string text;
    const bool soft = e.step.softTargets;
    if (usesDice(e.loss)) {
        const bool classes = wantsClasses(e.loss);
        text += fmt::format(
            fmt::runtime(kDice), classes ? "output.softmax(dim=1)" : "output.sigmoid()",
            soft || !classes ? "target" : "torch.zeros_like(p).scatter_(1, target.unsqueeze(1), 1.0)");
    }
    if (soft) {
        text += fmt::format("CLASSES = {}\n\n\n", info.targetClasses) +
                fmt::format(fmt::runtime(kProbabilities), modelType(e));
    }
    const std::string arguments = hasTarget(e) ? "(output, target)" : "(output)";
    const std::string body = std::string(":\n") + (soft ? "    target = probabilities(target)\n" : "") +
                             "    return " + oneLoss(e.loss);
    if (program.outputs.size() == 1) {
        return text + "def criterion" + arguments + body + "\n";
    }
    std::vector<std::string> weights;
    for (const double weight : program.weights) {
        weights.push_back(literal(weight));
    }
    if (hasTarget(e)) {
        text += function(texts::at_size);
    }
    text += "def output_loss" + arguments + body + "\n\n\n";
    text += call(0, "WEIGHTS = ", weights, "  # of each output's loss: the heads', then the network's");
    text += "\n\ndef criterion";
    text += hasTarget(e) ? "(outputs, target):\n" : "(outputs):\n";
    text += "    losses = [\n        weight * output_loss(output";
    text += hasTarget(e) ? ", at_size(target, output.shape[2:]))\n" : ")\n";
    return text + "        for weight, output in zip(WEIGHTS, outputs)\n    ]\n    return sum(losses)\n";
}

std::string windowFunctions(const Experiment& e, const StackInfo& info) {
    if (!e.windows) {
        return {};
    }
    const auto grid = windowGrid(*e.windows, info.data);
    std::vector<std::string> size, data;
    for (const std::int64_t length : grid->size) {
        size.push_back(fmt::format("{}", length));
    }
    for (std::size_t axis = 2; axis < info.data.size(); ++axis) {
        data.push_back(fmt::format("{}", info.data[axis]));
    }
    std::string text = function(texts::window_starts);
    text += fmt::format("SHAPE, WINDOW, OVERLAP = {}, {}, {}\n", tuple(data), tuple(size),
                        literal(e.windows->overlap));
    text += "STARTS = [window_starts(length, size, OVERLAP) for length, size in zip(SHAPE, WINDOW)]\n";
    text += fmt::format("PIECES = {}math.prod(len(starts) for starts in STARTS)\n\n\n",
                        e.step.microBatches > 1 ? "MICRO_BATCHES * " : "");
    text += pieces(e);
    if (!e.step.train) {
        text += function(e.windows->blend == Windows::Blend::Gaussian ? texts::gaussian_weights
                                                                      : texts::constant_weights);
    }
    while (text.ends_with("\n\n")) {
        text.pop_back();
    }
    return text;
}

std::string stepFunction(const Experiment& e, const StackInfo& info, const Program& program) {
    if (e.step.train && info.parameters > 0) {
        return trainStep(e);
    }
    return e.windows && !e.step.train ? windowedEvaluation(e, info, program) : evaluation(e);
}

}  // namespace highwater::stack::python
