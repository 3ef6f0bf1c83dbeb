// Whole training steps of the same stack with batch_norm and leaky_relu, in place and out of place, and with
// InPlace-ABN. The three take turns, a few steps each, so that all run under the same conditions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <atomic>
#include <iostream>
#include <stdexcept>

#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/engine/run/runner.h"

namespace {

using namespace highwater;

enum Norm { InPlace, OutOfPlace, Abn };
constexpr std::array kNames = {"batch_norm, leaky_relu in place", "batch_norm, leaky_relu", "inplace_abn"};

struct Options {
    int dims = 3, units = 4, rounds = 12, steps = 3;
    std::int64_t size = 48, channels = 16, batch = 2, threads = 2;
    std::string device = "cpu";
};

stack::Experiment experimentOf(const Options& o, Norm norm) {
    stack::Experiment e;
    stack::Shape shape{o.channels};
    shape.insert(shape.end(), static_cast<std::size_t>(o.dims), o.size);
    e.input = stack::SyntheticInput{shape};
    e.loss = stack::Loss::Mean;
    e.step.batchSize = o.batch;
    e.backend.threads = o.threads;
    for (int unit = 0; unit < o.units; ++unit) {
        stack::Conv conv;
        conv.outChannels = o.channels;
        conv.padding.sizes = {1};
        conv.bias = false;
        e.stack.push_back({"", conv});
        if (norm == Abn) {
            e.stack.push_back({"", stack::InplaceAbn{}});
            continue;
        }
        stack::Activation leaky;
        leaky.kind = stack::Activation::Kind::LeakyRelu;
        leaky.inplace = norm == InPlace;
        e.stack.push_back({"", stack::Norm{}});
        e.stack.push_back({"", leaky});
    }
    return e;
}

struct Measured {
    std::vector<double> stepMs, layersMs;  ///< whole steps; the part of norms and activations
    base::Bytes peak = 0;
};

void addRound(const Options& o, Norm norm, Measured& to) {
    engine::RunRequest request;
    request.experiment = experimentOf(o, norm);
    request.device = o.device;
    request.steps = o.steps;
    request.warmup = 1;
    const std::atomic<bool> cancel{false};
    const auto take = [&](const wire::Event& event) {
        if (const auto* const step = std::get_if<wire::StepDone>(&event); step != nullptr && !step->warmup) {
            to.stepMs.push_back(step->total);
        }
    };
    const auto result = engine::run(request, take, cancel);
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    if (result->failure) {
        throw std::runtime_error(result->failure->why);
    }
    double layers = 0;
    for (const wire::LayerCost& layer : result->layers) {
        if (layer.type != "conv") {
            layers += layer.forwardMs + layer.backwardMs;
        }
    }
    to.layersMs.push_back(layers);
    to.peak = result->peakAllocated;
}

std::string textOf(const std::vector<double>& values) {
    const auto all = base::medianWithInterval(values);
    return fmt::format("{:.2f} ms ({:.2f} to {:.2f})", all.median, all.low, all.high);
}

/// The ratio of abn to another, of the medians of each round.
base::Interval ratio(const Options& o, const Measured& abn, const Measured& other) {
    std::vector<double> ratios;
    const auto steps = static_cast<std::size_t>(o.steps);
    for (std::size_t from = 0; from + steps <= abn.stepMs.size(); from += steps) {
        ratios.push_back(base::median(std::span(abn.stepMs).subspan(from, steps)) /
                         base::median(std::span(other.stepMs).subspan(from, steps)));
    }
    return base::medianWithInterval(ratios);
}

void measure(const Options& o) {
    std::array<Measured, 3> all;
    for (int round = 0; round < o.rounds; ++round) {
        for (int i = 0; i < 3; ++i) {
            const int norm = (i + round) % 3;
            addRound(o, static_cast<Norm>(norm), all[static_cast<std::size_t>(norm)]);
        }
    }
    fmt::print("{}d, {} units of {} channels, size {}, batch {}, {} threads, {}\n", o.dims, o.units,
               o.channels, o.size, o.batch, o.threads, o.device);
    for (std::size_t norm = 0; norm < 3; ++norm) {
        fmt::print("  {:<33}step {}, norms and activations {}, peak {:.1f} MiB\n", kNames[norm],
                   textOf(all[norm].stepMs), textOf(all[norm].layersMs),
                   static_cast<double>(all[norm].peak) / base::kMiB);
    }
    for (const Norm other : {InPlace, OutOfPlace}) {
        const auto r = ratio(o, all[Abn], all[other]);
        fmt::print("  inplace_abn over {}: {:.4f} of the step (95 % {:.4f} to {:.4f}, {} rounds)\n",
                   kNames[other], r.median, r.low, r.high, r.n);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("A step with InPlace-ABN against batch_norm and leaky_relu");
    app.add_option("--dims", options.dims, "1, 2 or 3")->check(CLI::Range(1, 3));
    app.add_option("--size", options.size, "of each axis")->check(CLI::PositiveNumber);
    app.add_option("--units", options.units, "convolution, norm, activation")->check(CLI::PositiveNumber);
    app.add_option("--channels", options.channels, "of every layer")->check(CLI::PositiveNumber);
    app.add_option("--batch", options.batch, "samples a step")->check(CLI::PositiveNumber);
    app.add_option("--threads", options.threads, "of the CPU")->check(CLI::PositiveNumber);
    app.add_option("--rounds", options.rounds, "turns of each")->check(CLI::PositiveNumber);
    app.add_option("--steps", options.steps, "measured steps a turn")->check(CLI::PositiveNumber);
    app.add_option("--device", options.device, "cpu or cuda:N");
    CLI11_PARSE(app, argc, argv);
    try {
        measure(options);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
