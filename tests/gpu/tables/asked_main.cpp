// Makes the tables of cuDNN's answers that are shipped with the program, and the page about how much they
// narrow predictions: docs/make-asked-tables.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "core/ask/ask.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/predict/predict.h"
#include "core/stack/nnunet/nnunet.h"
#include "core/stack/presets/presets.h"
#include "core/stack/shapes.h"
#include "tests/core/stack/nnunet/nnunet_plans.h"
#include "tests/gpu/convolutions/gpu_convolutions.h"

namespace highwater::gpu {
namespace {

namespace fs = std::filesystem;
using base::Result;
using predict::Prediction;
using stack::Experiment;

struct Named {
    std::string name;
    Experiment experiment;
};

struct Library {
    predict::CudnnVersion version;
    fs::path folder;
    std::set<std::string> gpus;  ///< ids of profiles; empty: all
};

base::Status add(const fs::path& plans, const std::string& configuration, std::string name,
                 std::vector<Named>& all) {
    stack::NnunetOptions options;
    options.configuration = configuration;
    auto imported = stack::importNnunetFile(plans, options);
    if (!imported) {
        return imported.error();
    }
    all.push_back({std::move(name), std::move(imported->experiment)});
    return {};
}

/// The presets, nnU-Net's networks, and the configurations of the plans files.
Result<std::vector<Named>> networks(const std::vector<std::string>& plans) {
    const auto presets = stack::loadPresets();
    if (!presets) {
        return presets.error();
    }
    std::vector<Named> all;
    for (const stack::Preset& preset : *presets) {
        all.push_back({preset.id, preset.experiment});
    }
    // nnU-Net's own default network, and its residual encoder at the sizes of ResEnc M and L (8 and 24 GB).
    struct Size {
        const char *name, *configuration;
        std::int64_t patch, batch;
    };
    for (const Size& size : {Size{"nnU-Net 3d_fullres, 2 x 128^3", "3d_fullres", 128, 2},
                             Size{"nnU-Net ResEnc M, 2 x 128^3", "resenc", 128, 2},
                             Size{"nnU-Net ResEnc L, 3 x 160^3", "resenc", 160, 3}}) {
        auto json = stack::testing::newerPlans();
        json["configurations"][size.configuration]["patch_size"] = {size.patch, size.patch, size.patch};
        json["configurations"][size.configuration]["batch_size"] = size.batch;
        const fs::path file = fs::temp_directory_path() / "highwater-asked-plans.json";
        if (const auto written = base::writeFileAtomically(file, json.dump()); !written) {
            return written.error();
        }
        if (const auto added = add(file, size.configuration, size.name, all); !added) {
            return added.error();
        }
    }
    for (const std::string& file : plans) {
        for (const char* configuration : {"2d", "3d_fullres"}) {
            const std::string name = fmt::format("{} {}", fs::path(file).stem().string(), configuration);
            if (const auto added = add(file, configuration, name, all); !added) {
                return added.error();
            }
        }
    }
    return all;
}

/// In fp32 and in fp16, as commonly trained. (The standard convolutions cover other types and layouts.)
std::vector<Experiment> variants(const Experiment& experiment) {
    std::vector<Experiment> all(2, experiment);
    all[0].step.precision = stack::Precision::Fp32;
    all[1].step.precision = stack::Precision::Fp16;
    return all;
}

Result<Prediction> predicted(const Experiment& experiment, const predict::DeviceProfile& profile,
                             const Library& library, std::shared_ptr<const predict::AskedTable> asked) {
    const auto info = stack::inferShapes(experiment);
    auto target = predict::gpuTarget(profile.id, experiment, {}, library.version);
    if (!info || !target) {
        return info ? target.error() : info.error();
    }
    target->asked = std::move(asked);
    target->gpuTable = nullptr;
    return predict::predict(experiment, *info, *target);
}

std::vector<std::string> questionsOf(const std::vector<Named>& networks,
                                     const predict::DeviceProfile& profile, const Library& library) {
    std::set<std::string> questions;
    const auto none =
        std::make_shared<const predict::AskedTable>(predict::askedKey(profile, library.version));
    for (const Named& each : networks) {
        for (const Experiment& experiment : variants(each.experiment)) {
            if (const auto prediction = predicted(experiment, profile, library, none)) {
                for (std::string& question : ask::openQuestions(*prediction)) {
                    questions.insert(std::move(question));
                }
            }
        }
    }
    for (const predict::GpuConvolution& convolution : predict::standardGpuConvolutions()) {
        for (const predict::ConvPart part : predict::kConvParts) {
            if (predict::hasPart(convolution.op, part)) {
                questions.insert(predict::questionName(convolution, part));
            }
        }
    }
    return {questions.begin(), questions.end()};
}

std::string range(const predict::Estimate& e) {
    const std::string low = base::formatBytes(e.low), high = base::formatBytes(e.high);
    return low == high ? high : fmt::format("{} to {}", low, high);
}

/// Rows of the page: each network in fp16 as imported or bundled.
std::string rows(const std::vector<Named>& networks, const predict::DeviceProfile& profile,
                 const Library& library, const std::shared_ptr<const predict::AskedTable>& answers) {
    const auto none =
        std::make_shared<const predict::AskedTable>(predict::askedKey(profile, library.version));
    std::string text;
    for (const Named& each : networks) {
        Experiment experiment = each.experiment;
        experiment.step.precision = stack::Precision::Fp16;
        const auto before = predicted(experiment, profile, library, none),
                   after = predicted(experiment, profile, library, answers);
        if (!before || !after) {
            continue;
        }
        const auto width = [](const predict::Estimate& e) { return static_cast<double>(e.high - e.low); };
        const double left =
            width(before->peakAllocated) > 0 ? width(after->peakAllocated) / width(before->peakAllocated) : 0;
        text += fmt::format("| {} | {} | {} | {} | {:.0f} % | {} of {} |\n", profile.name, each.name,
                            range(before->peakAllocated), range(after->peakAllocated), 100 * (1 - left),
                            after->asked, after->convolutions);
    }
    return text;
}

int complain(const std::string& what) {
    std::cerr << "asked_tables: " << what << '\n';
    return 2;
}

int make(const fs::path& resources, const std::string& page, const std::vector<Library>& libraries,
         const std::vector<std::string>& plans) {
    const auto profiles = predict::loadProfiles();
    const auto all = networks(plans);
    if (!profiles || !all) {
        return complain(profiles ? all.error().message : profiles.error().message);
    }
    std::string table, notes;
    for (const Library& library : libraries) {
        for (const predict::DeviceProfile& profile : *profiles) {
            if (!library.gpus.empty() && !library.gpus.contains(profile.id)) {
                continue;
            }
            ask::Request request;
            request.library = library.folder;
            request.key = predict::askedKey(profile, library.version);
            request.questions = questionsOf(*all, profile, library);
            const auto answers = ask::ask(request);
            if (!answers) {
                notes += fmt::format("- cuDNN {}, {}: {}\n", predict::toText(library.version), profile.name,
                                     answers.error().message);
                fmt::print("{}: {}\n", profile.id, answers.error().message);
                continue;
            }
            fmt::print("{}: {} of {} questions answered{}{}\n", profile.id, answers->table.size(),
                       request.questions.size(), answers->open.empty() ? "" : "; ", answers->open);
            const fs::path folder = resources / "calibration" / "cudnn";
            fs::create_directories(folder);
            const auto written = base::writeFileAtomically(folder / predict::askedFileName(request.key),
                                                           predict::writeAskedTable(answers->table));
            if (!written) {
                return complain(written.error().message);
            }
            // The GPUs asked about in every version.
            const std::set<std::string>& shown = libraries.back().gpus;
            if (library.version == libraries.front().version &&
                (shown.empty() || shown.contains(profile.id))) {
                table +=
                    rows(*all, profile, library, std::make_shared<const predict::AskedTable>(answers->table));
            }
        }
    }
    const std::string text =
        fmt::format(R"(# What cuDNN's answers do to predictions for GPUs

Made by `docs/make-asked-tables`; do not edit. Peak of the tensors in a training step, in fp16 as autocast computes it, LibTorch
{}, cuDNN {}: the range before cuDNN was asked about its workspaces, and after. nnU-Net's configurations are trained with
`benchmark`, as nnU-Net does: which of the plans that it times is the fastest, only a device can tell, and what is left of the
range is between the smallest and the largest of them. Where the answer lies outside of what was guessed, the guess was wrong.
Nothing here was measured on a GPU; what an H200 took beside it is in [gpu-accuracy](gpu-accuracy.md).

| GPU | network | guessed | asked | narrower by | convolution passes asked |
| --- | --- | --- | --- | --- | --- |
{}{}{})",
                    predict::toText(predict::kDefaultTorch), predict::toText(libraries.front().version),
                    table, notes.empty() ? "" : "\nNot answered:\n\n", notes);
    const auto written = base::writeFileAtomically(page, text);
    return written ? 0 : complain(written.error().message);
}

}  // namespace
}  // namespace highwater::gpu

/// asked_tables RESOURCES PAGE VERSION=FOLDER[:GPU,GPU...]... [nnU-Net's plans file...]
int main(int argc, char** argv) {
    using namespace highwater;
    std::vector<gpu::Library> libraries;
    std::vector<std::string> plans;
    for (int i = 3; i < argc; ++i) {
        const std::string text = argv[i];
        const std::size_t equals = std::min(text.find('='), text.size());
        const auto version = predict::parseCudnnVersion(text.substr(0, equals));
        if (equals == text.size() || !version) {
            plans.push_back(text);
        } else {
            const std::size_t colon = std::min(text.find(':', equals), text.size());
            gpu::Library library{*version, text.substr(equals + 1, colon - equals - 1), {}};
            for (std::size_t begin = colon + 1; begin < text.size();) {
                const std::size_t end = std::min(text.find(',', begin), text.size());
                library.gpus.insert(text.substr(begin, end - begin));
                begin = end + 1;
            }
            libraries.push_back(std::move(library));
        }
    }
    if (libraries.empty()) {
        return gpu::complain("RESOURCES PAGE VERSION=FOLDER... [PLANS...]");
    }
    return gpu::make(argv[1], argv[2], libraries, plans);
}
