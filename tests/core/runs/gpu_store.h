#pragma once

#include <stdexcept>
#include <string>

#include "core/runs/run_store.h"
#include "tests/core/wire/gpu_run.h"

namespace highwater::runs::test {

/// The experiment of the made-up GPU run.
inline stack::Experiment gpuExperiment() {
    const auto layer = [](stack::Op op) { return stack::Layer{"", std::move(op)}; };
    const auto conv = [&](std::int64_t channels, std::int64_t stride) {
        stack::Conv c;
        c.outChannels = channels;
        c.stride = {stride};
        c.padding.sizes = {1};
        return layer(c);
    };
    const auto relu = [&] {
        return layer(stack::Activation{.kind = stack::Activation::Kind::LeakyRelu, .inplace = true});
    };
    stack::Experiment e;
    e.name = "two levels on a GPU";
    e.input = stack::SyntheticInput{{1, 128, 128, 128}};
    e.stack = {conv(64, 1), layer(stack::Norm{.kind = stack::Norm::Kind::Instance}),
               relu(),      conv(128, 2),
               relu(),      layer(stack::Upsample{}),
               conv(64, 1)};
    e.loss = stack::Loss::Mean;
    e.step.batchSize = 4;
    return e;
}

/// The made-up run as a recorded one; returns its id.
inline std::string addGpuRun(RunStore& store, const wire::test::GpuRun& run) {
    const auto check = [](const auto& result) {
        if (!result) {
            throw std::runtime_error(result.error().message);
        }
    };
    auto folder = store.create(gpuExperiment(), "cuda:0");
    check(folder);
    auto writer = RunWriter::open(*folder);
    check(writer);
    wire::test::GpuRun named = run;
    named.id = folder->filename().string();
    for (const wire::Event& event : wire::test::gpuRunEvents(named)) {
        check(writer->append(event));
        if (const auto* finished = std::get_if<wire::Finished>(&event)) {
            check(writer->finish(*finished->result));
        }
    }
    return named.id;
}

}  // namespace highwater::runs::test
