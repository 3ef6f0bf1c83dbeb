#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/engine/device/device.h"
#include "core/engine/run/runner.h"
#include "core/engine/run/target.h"
#include "core/stack/shapes.h"
#include "tests/gpu/convolutions/device_convolution.h"
#include "tests/gpu/convolutions/gpu_convolutions.h"
#include "tests/gpu/kit/session.h"

namespace highwater::kit {

namespace {

std::string nameOf(const predict::GpuConvolution& convolution) {
    return convolution.op.text() + " " + convolution.switches.text();
}

Json recordOf(const predict::GpuConvolution& convolution, const predict::GpuOpRow& row) {
    Json record = {{"pass", convolution.op.text()}, {"switches", convolution.switches.text()}};
    if (row.forward) {
        record["forward_bytes"] = *row.forward;
    }
    if (row.inputGradient) {
        record["input_gradient_bytes"] = *row.inputGradient;
    }
    if (row.weightGradient) {
        record["weight_gradient_bytes"] = *row.weightGradient;
    }
    record["microseconds"] = row.microseconds;
    return record;
}

/// The convolutions of the kit's own experiments, without which none of them can be predicted to the byte,
/// then the standard list; each once; with or without `benchmark`.
std::vector<predict::GpuConvolution> convolutionsToMeasure(const Session& session, bool timed) {
    std::vector<predict::GpuConvolution> all;
    std::set<std::string> known;
    const auto add = [&](const std::vector<predict::GpuConvolution>& more) {
        for (const predict::GpuConvolution& each : more) {
            if (each.switches.benchmark == timed && known.insert(nameOf(each)).second) {
                all.push_back(each);
            }
        }
    };
    wire::Environment environment = engine::environment(session.device);
    if (const auto device = engine::parseDevice(session.device); device && device->cuda) {
        engine::describe(*device, environment);
    }
    if (const auto cases = allCases(session.scale, session.quick)) {
        for (const Case& each : *cases) {
            const auto info = stack::inferShapes(each.experiment);
            const auto target = engine::targetOf(environment, each.experiment);
            if (info && target) {
                add(predict::gpuConvolutionsOf(each.experiment, *info, *target));
            }
        }
    }
    add(predict::standardGpuConvolutions());
    return all;
}

}  // namespace

void measureConvolutions(const Session& session, bool timed) {
    if (!session.onGpu()) {
        return session.journal.add({{"left_out", "convolutions one by one: they are a GPU's"}});
    }
    std::set<std::string> begun;
    for (const Json& line : session.journal.read()) {
        if (line.contains("begin_convolution")) {
            begun.insert(line["begin_convolution"].get<std::string>());
        }
    }
    const std::vector<predict::GpuConvolution> all = convolutionsToMeasure(session, timed);
    std::size_t measured = 0, refused = 0, seen = 0;
    std::string why;
    const std::size_t stride = session.quick ? 8 : 1;
    for (std::size_t i = 0; i < all.size() && !session.timeIsOver(); i += stride) {
        ++seen;
        if (!begun.insert(nameOf(all[i])).second) {
            continue;
        }
        session.journal.add({{"begin_convolution", nameOf(all[i])}});
        engine::DeviceConvolutionOptions options;
        options.device = session.device;
        options.tf32 = all[i].switches.tf32;
        options.benchmark = all[i].switches.benchmark;
        options.deterministic = all[i].switches.deterministic;
        const auto row = engine::measureDeviceConvolution(all[i].op, options);
        if (row) {
            ++measured;
            session.journal.add({{"convolution", recordOf(all[i], *row)}});
        } else if (refused++ == 0) {
            why = nameOf(all[i]) + ": " + row.error().message;
        }
    }
    if (refused > 0) {
        session.journal.add(
            {{"left_out",
              fmt::format("{} convolutions that could not be measured; the first: {}", refused, why)}});
    }
    if (seen < (all.size() + stride - 1) / stride) {
        session.journal.add(
            {{"left_out", fmt::format("{} convolutions, as the time was over", all.size() / stride - seen)}});
    }
    say(fmt::format("  {} convolutions measured, {} refused", measured, refused));
}

}  // namespace highwater::kit
