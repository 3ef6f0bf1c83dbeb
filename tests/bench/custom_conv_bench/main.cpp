// Forward and backward of one custom_conv in its four implementations, and of a plain convolution with as
// many channels, in turns within each round, so that all run under the same conditions; medians, and the
// ratios within a round.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <iostream>

#include "core/base/statistics.h"
#include "core/engine/layers/custom_conv.h"
#include "core/engine/layers/layers.h"

namespace {

using namespace highwater;

struct Options {
    std::int64_t size = 64, channels = 16, kernel = 3, batch = 1;
    int rounds = 15, threads = 0;
};

struct Candidate {
    std::string name;
    stack::Op op;
    engine::LayerTensors tensors;
    std::vector<double> millis;
};

std::vector<Candidate> candidates(const Options& options, const stack::Shape& input) {
    std::vector<Candidate> all;
    const auto add = [&](const char* name, stack::Op op) {
        at::manual_seed(1);
        engine::LayerTensors tensors = engine::makeLayer(op, input);
        all.push_back({name, std::move(op), std::move(tensors), {}});
    };
    stack::CustomConv custom;
    custom.transformChannels = custom.outChannels = options.channels;
    custom.kernelSize = {options.kernel};
    custom.padding.same = true;
    constexpr const char* kNames[] = {"naive", "two_step", "cached", "fused"};
    for (int i = 0; i < 4; ++i) {
        custom.implementation = static_cast<stack::CustomConv::Implementation>(i);
        add(kNames[i], custom);
    }
    stack::Conv plain;
    plain.outChannels = options.channels;
    plain.kernelSize = {options.kernel};
    plain.padding.same = true;
    add("conv", plain);
    return all;
}

/// The layer's part of one training step: the weights have changed, then forward and backward.
double once(const Candidate& each, const at::Tensor& x, const at::Tensor& gradient) {
    using Clock = std::chrono::steady_clock;
    if (each.tensors.composed) {
        each.tensors.composed->kernel.reset();
    }
    const auto start = Clock::now();
    const at::Tensor y = engine::applyLayer(each.op, each.tensors, x, {}, engine::ForwardMode::Train);
    y.backward(gradient);
    const double millis = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    for (const at::Tensor& parameter : each.tensors.parameters) {
        parameter.mutable_grad().reset();
    }
    x.mutable_grad().reset();
    return millis;
}

std::string spread(const std::vector<double>& values, const char* unit) {
    const base::Interval interval = base::medianWithInterval(values);
    return fmt::format("{:8.2f}{} (95 % interval {:.2f} to {:.2f})", interval.median, unit, interval.low,
                       interval.high);
}

void bench(const Options& options) {
    if (options.threads > 0) {
        at::set_num_threads(options.threads);
    }
    const stack::Shape input{options.batch, options.channels, options.size, options.size, options.size};
    const at::Tensor x = at::randn(input).set_requires_grad(true), gradient = at::randn(input);
    std::vector<Candidate> all = candidates(options, input);
    for (int round = -2; round < options.rounds; ++round) {
        for (Candidate& each : all) {
            if (const double millis = once(each, x, gradient); round >= 0) {
                each.millis.push_back(millis);
            }
        }
    }
    fmt::print("custom_conv {0} to {0} channels, {1}^3, kernel {2}, batch {3}, {4} threads, {5} rounds\n",
               options.channels, options.size, options.kernel, options.batch, at::get_num_threads(),
               options.rounds);
    for (const Candidate& each : all) {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < each.millis.size(); ++i) {
            ratios.push_back(all.front().millis[i] / each.millis[i]);
        }
        fmt::print("{:<9} forward and backward {}; naive takes {}\n", each.name, spread(each.millis, " ms"),
                   spread(ratios, " times as long"));
    }
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Measures the implementations of custom_conv against each other");
    const CLI::Range size(1, 512), rounds(1, 1000);
    app.add_option("--size", options.size, "Places along each of three axes")->check(size);
    app.add_option("--channels", options.channels, "Of input, transform and output")->check(size);
    app.add_option("--kernel", options.kernel, "Its size along each axis")->check(CLI::Range(1, 31));
    app.add_option("--batch", options.batch, "Samples")->check(size);
    app.add_option("--rounds", options.rounds, "Measured rounds")->check(rounds);
    app.add_option("--threads", options.threads, "0: LibTorch's choice")->check(CLI::Range(0, 256));
    CLI11_PARSE(app, argc, argv);
    try {
        bench(options);
    } catch (const std::exception& error) {
        std::cerr << "custom_conv_bench: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
