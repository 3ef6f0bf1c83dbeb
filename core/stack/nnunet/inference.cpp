#include "core/stack/nnunet/inference.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/stack/nnunet/configurations.h"
#include "core/stack/nnunet/plans.h"

namespace highwater::stack {

namespace {

namespace fs = std::filesystem;

using base::Error;
using base::Json;
using base::JsonReader;
using base::Result;

/// The plans file of a trained model's folder, or of a dataset's.
Result<fs::path> plansIn(const fs::path& given) {
    std::error_code ignored;
    if (!fs::is_directory(given, ignored)) {
        return given;
    }
    for (const char* const name : {"plans.json", "nnUNetPlans.json"}) {
        if (fs::is_regular_file(given / name, ignored)) {
            return given / name;
        }
    }
    return Error{fmt::format("{}: has no plans.json; name a plans file, or the folder of a trained model",
                             base::oneLine(given.string(), 400))};
}

/// "3d_fullres" for a trained model's folder, "nnUNetTrainer__nnUNetPlans__3d_fullres"; otherwise empty.
std::string configurationOfFolder(const fs::path& plans) {
    std::error_code ignored;
    const std::string folder = fs::absolute(plans, ignored).parent_path().filename().string();
    const std::size_t at = folder.rfind("__");
    return at == std::string::npos ? "" : folder.substr(at + 2);
}

std::string chooseConfiguration(const fs::path& plans, const NnunetConfigurations& all) {
    const auto names = all.withNetwork();
    const auto has = [&](const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (const std::string named = configurationOfFolder(plans); has(named)) {
        return named;
    }
    return names.size() == 1 ? names.front() : "3d_fullres";
}

NnunetResampling readResampling(JsonReader& reader, const std::string& what, int order) {
    NnunetResampling made{.order = order, .separateZ = {}, .function = "resample_data_or_seg_to_shape"};
    made.function = reader.text("resampling_fn_" + what, made.function);
    reader.objectIfAny("resampling_fn_" + what + "_kwargs", [&](JsonReader& kwargs) {
        kwargs.acceptAnyKey();
        made.order = static_cast<int>(kwargs.integer("order", 0, 5, order));
        made.orderZ = static_cast<int>(kwargs.integer("order_z", 0, 5, 0));
        if (const Json* forced = kwargs.raw("force_separate_z"); forced != nullptr && forced->is_boolean()) {
            made.separateZ = forced->get<bool>();
        }
    });
    return made;
}

void readSpacing(JsonReader& reader, std::size_t dims, NnunetInference& made) {
    constexpr double kLeast = 1e-6, kMost = 1e6;
    reader.list("spacing", 3, [&](const Json& entry, const std::string& key) {
        made.spacing.push_back(reader.numberOf(entry, key, kLeast, kMost).value_or(1));
    });
    if (!reader.failed() && made.spacing.size() != dims) {
        reader.fail("spacing",
                    fmt::format("has {} entries; the patch has {} sizes", made.spacing.size(), dims));
    }
}

base::Status readTranspose(const Json& plans, NnunetInference& made) {
    JsonReader reader(plans, "");
    reader.acceptAnyKey();
    const auto axes = reader.integers("transpose_forward", 0, 2, 3, std::vector<std::int64_t>{0, 1, 2});
    if (!reader.failed() && !std::ranges::is_permutation(axes, std::array<std::int64_t, 3>{0, 1, 2})) {
        reader.fail("transpose_forward", "must hold 0, 1 and 2");
    }
    for (std::size_t i = 0; i < axes.size() && i < 3; ++i) {
        made.transpose[i] = static_cast<int>(axes[i]);
    }
    return reader.finish();
}

/// Reads what the training does not need.
base::Status complete(const Json& plans, const NnunetPlan& plan, NnunetInference& made) {
    const auto resolved = HIGHWATER_TRY(NnunetConfigurations(plans).resolve(plan.configuration));
    JsonReader reader(resolved, nnunetPlace(plan.configuration));
    reader.acceptAnyKey();
    readSpacing(reader, plan.patch.size(), made);
    made.data = readResampling(reader, "data", 3);
    made.probabilities = readResampling(reader, "probabilities", 1);
    HIGHWATER_TRY(reader.finish());
    return readTranspose(plans, made);
}

}  // namespace

Result<NnunetInference> readNnunetInference(const fs::path& given, NnunetOptions options) {
    const auto file = HIGHWATER_TRY(plansIn(given));
    const auto plans = HIGHWATER_TRY(base::readJson(file));
    NnunetInference made;
    if (options.configuration.empty()) {
        options.configuration = chooseConfiguration(file, NnunetConfigurations(plans));
    }
    options.deepSupervision = false;
    auto network = HIGHWATER_TRY(importNnunetFile(file, options));
    const auto named = [&](const Error& error) {
        return Error{base::oneLine(fmt::format("{}: {}", file.string(), error.message), 900)};
    };
    const auto plan = readNnunetPlan(plans, options.configuration);
    if (!plan) {
        return named(plan.error());
    }
    if (const auto read = complete(plans, *plan, made); !read) {
        return named(read.error());
    }
    made.network = std::move(network);
    made.network.experiment.step.batchSize = 1;
    made.configuration = options.configuration;
    made.cascade = plan->cascade;
    made.images = plan->channels;
    made.heads = made.network.experiment.target.classes;
    const auto dataset = file.parent_path() / "dataset.json";
    std::error_code ignored;
    if (fs::exists(dataset, ignored)) {
        const auto json = base::readJson(dataset);
        const auto facts = json ? readNnunetDataset(*json) : Result<NnunetDataset>(json.error());
        if (!facts) {  // importNnunetFile has read it, so it changed meanwhile
            return Error{base::oneLine(fmt::format("{}: {}", dataset.string(), facts.error().message), 900)};
        }
        made.images = facts->channels;
        made.regions = facts->regions && options.classes == 0;
        made.heads = options.classes > 0 ? options.classes : facts->classes;
    }
    if (options.inputChannels > 0) {
        made.images = options.inputChannels;
    }
    made.images = std::max<std::int64_t>(made.images, 1);
    return made;
}

}  // namespace highwater::stack
