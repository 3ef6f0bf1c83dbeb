#include "core/stack/nnunet/plans.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/layers/limits.h"
#include "core/stack/nnunet/configurations.h"

namespace highwater::stack {

namespace {

using base::Error;
using base::Json;
using base::JsonReader;
using base::Result;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kMostStages = 32, kMostInStage = 100;

/// Reads a JSON object; keys that are not asked for are ignored.
class Reader : public JsonReader {
public:
    Reader(const Json& object, const std::string& where) : JsonReader(object, where) { acceptAnyKey(); }
    std::optional<Error> error() {
        const auto status = finish();
        return status ? std::nullopt : std::optional<Error>(status.error());
    }
    bool given(std::string_view key) {
        const Json* value = raw(key);
        return value != nullptr && !value->is_null();
    }
    /// Returns "Conv3d" for "torch.nn.modules.conv.Conv3d".
    std::string lastWord(std::string_view key) {
        const std::string path = text(key);
        return path.substr(path.rfind('.') + 1);
    }

    /// Reads one number for all stages, or one per stage.
    Numbers perStage(std::string_view key, std::size_t stages, std::int64_t most) {
        const Json* value = raw(key);
        Numbers numbers;
        if (value != nullptr && value->is_array() && value->size() > stages) {
            failCount(key, value->size(), stages);
        } else {
            numbers = integers(key, 1, most, std::max<std::size_t>(stages, 1));
            if (value != nullptr && value->is_number()) {
                numbers.resize(stages, numbers.empty() ? 1 : numbers[0]);
            }
            if (numbers.size() != stages && !failed()) {
                failCount(key, numbers.size(), stages);
            }
        }
        numbers.resize(stages, 1);
        return numbers;
    }

    /// The same, where each entry is a number or one number per axis.
    std::vector<Sizes> sizesPerStage(std::string_view key, std::size_t stages, std::size_t dims) {
        const Json* value = raw(key);
        std::vector<Sizes> all;
        if (value == nullptr) {
            fail(key, "is missing; a list with one entry a stage is needed");
        } else if (!value->is_array()) {
            all.assign(stages, spread(integers(key, 1, kMostExtent, 1), dims));
        } else if (value->size() != stages) {
            failCount(key, value->size(), stages);
        } else {
            for (const Json& entry : *value) {
                all.push_back(sizesOf(key, entry, dims));
            }
        }
        all.resize(stages, Sizes(dims, 1));
        return all;
    }

private:
    static Sizes spread(const Numbers& numbers, std::size_t dims) {
        return numbers.size() == dims ? numbers : Sizes(dims, numbers.empty() ? 1 : numbers[0]);
    }
    Sizes sizesOf(std::string_view key, const Json& entry, std::size_t dims) {
        const auto good = [](const Json& n) {
            return n.is_number_unsigned() && n.get<std::uint64_t>() >= 1 &&
                   n.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMostExtent);
        };
        const bool one = good(entry);
        const bool list =
            entry.is_array() && entry.size() == dims && std::all_of(entry.begin(), entry.end(), good);
        if (!one && !list) {
            fail(key,
                 fmt::format("must have a whole number from 1 or a list of {} such for each stage", dims));
        }
        return list ? entry.get<Sizes>() : Sizes(dims, one ? entry.get<std::int64_t>() : 1);
    }
    void failCount(std::string_view key, std::size_t count, std::size_t stages) {
        fail(key, fmt::format("has {} entries; {} are needed", count, stages));
    }
};

void setStages(Reader& reader, NnunetNetwork& network, const Numbers& features, std::size_t dims,
               std::string_view kernels, std::string_view strides, std::string_view layers) {
    const std::size_t count = features.size();
    const auto kernel = reader.sizesPerStage(kernels, count, dims);
    const auto stride = reader.sizesPerStage(strides, count, dims);
    const auto each = reader.perStage(layers, count, kMostInStage);
    network.decoder = reader.perStage("n_conv_per_stage_decoder", count - 1, kMostInStage);
    for (std::size_t s = 0; s < count; ++s) {
        network.stages.push_back({features[s], kernel[s], stride[s], each[s]});
    }
}

/// Whether the class is ResidualEncoderUNet, not PlainConvUNet; reads the words of both layouts.
bool isResidual(Reader& reader, std::string_view key) {
    const std::string name = reader.lastWord(key);
    if (name != "PlainConvUNet" && name != "ResidualEncoderUNet") {
        reader.fail(key, fmt::format("\"{}\" cannot be imported; PlainConvUNet and ResidualEncoderUNet can",
                                     base::oneLine(name, 60)));
    }
    return name == "ResidualEncoderUNet";
}

Activation leakyRelu() {
    Activation made;
    made.kind = Activation::Kind::LeakyRelu;
    made.inplace = true;
    return made;
}

Norm instanceNorm() {
    Norm made;
    made.kind = Norm::Kind::Instance;
    return made;
}

/// Reads the older layout, with the values that nnU-Net's code adds.
Result<NnunetNetwork> olderNetwork(const Json& configuration, const std::string& where, std::size_t dims) {
    Reader reader(configuration, where);
    NnunetNetwork network;
    network.residual = isResidual(reader, "UNet_class_name");
    network.norm = instanceNorm();
    network.nonlin = leakyRelu();
    const Json* encoder = reader.raw("n_conv_per_stage_encoder");
    const std::size_t count = encoder != nullptr && encoder->is_array() ? encoder->size() : 0;
    if (count < 2 || count > static_cast<std::size_t>(kMostStages)) {
        reader.fail("n_conv_per_stage_encoder",
                    fmt::format("must be a list of 2 to {} numbers", kMostStages));
    }
    const std::int64_t base = reader.integer("UNet_base_num_features", 1, kMostExtent);
    const std::int64_t most = reader.integer("unet_max_num_features", 1, kMostExtent);
    if (auto error = reader.error()) {
        return *error;
    }
    Numbers features;
    for (std::size_t s = 0; s < count; ++s) {
        features.push_back(std::min(s == 0 ? base : 2 * features.back(), most));
    }
    setStages(reader, network, features, dims, "conv_kernel_sizes", "pool_op_kernel_sizes",
              "n_conv_per_stage_encoder");
    if (auto error = reader.error()) {
        return *error;
    }
    return network;
}

/// Returns the keyword arguments of a module; none if the key is absent or null.
Reader arguments(Reader& reader, std::string_view key) {
    static const Json kNone = Json::object();
    return {reader.given(key) ? *reader.raw(key) : kNone, reader.pointer(key)};
}

std::optional<Error> readNorm(Reader& reader, NnunetNetwork& network, std::size_t dims) {
    if (!reader.given("norm_op")) {
        return std::nullopt;
    }
    const std::string name = reader.lastWord("norm_op");
    Norm norm;
    if (name == fmt::format("InstanceNorm{}d", dims)) {
        norm.kind = Norm::Kind::Instance;
    } else if (name != fmt::format("BatchNorm{}d", dims)) {
        reader.fail("norm_op", fmt::format("\"{}\" cannot be imported; InstanceNorm{}d and BatchNorm{}d can",
                                           base::oneLine(name, 60), dims, dims));
    }
    Reader kwargs = arguments(reader, "norm_op_kwargs");
    norm.eps = kwargs.number("eps", 0, 1, 1e-5);
    norm.affine = kwargs.boolean("affine", norm.kind == Norm::Kind::Batch);
    network.norm = norm;
    return kwargs.error();
}

std::optional<Error> readNonlin(Reader& reader, NnunetNetwork& network) {
    using Kind = Activation::Kind;
    if (!reader.given("nonlin")) {
        return std::nullopt;
    }
    static const std::map<std::string, Kind> kinds = {{"ReLU", Kind::Relu},
                                                      {"LeakyReLU", Kind::LeakyRelu},
                                                      {"ELU", Kind::Elu},
                                                      {"GELU", Kind::Gelu},
                                                      {"SiLU", Kind::Silu}};
    const std::string name = reader.lastWord("nonlin");
    const auto found = kinds.find(name);
    if (found == kinds.end()) {
        reader.fail("nonlin",
                    fmt::format("\"{}\" cannot be imported; ReLU, LeakyReLU, ELU, GELU and SiLU can",
                                base::oneLine(name, 60)));
    }
    Reader kwargs = arguments(reader, "nonlin_kwargs");
    Activation made;
    made.kind = found == kinds.end() ? Kind::Relu : found->second;
    made.inplace = kwargs.boolean("inplace", false) && made.kind != Kind::Gelu;
    if (made.kind == Kind::LeakyRelu) {
        made.negativeSlope = kwargs.number("negative_slope", 0, 1, made.negativeSlope);
    }
    network.nonlin = made;
    return kwargs.error();
}

std::optional<Error> readDropout(Reader& reader, NnunetNetwork& network, std::size_t dims) {
    if (!reader.given("dropout_op")) {
        return std::nullopt;
    }
    const std::string name = reader.lastWord("dropout_op");
    if (name != "Dropout" && name != fmt::format("Dropout{}d", dims)) {
        reader.fail("dropout_op", fmt::format("\"{}\" cannot be imported; Dropout and Dropout{}d can",
                                              base::oneLine(name, 60), dims));
    }
    Reader kwargs = arguments(reader, "dropout_op_kwargs");
    network.dropout = Dropout{kwargs.number("p", 0, 1, 0.5), name != "Dropout"};
    return kwargs.error();
}

/// Reads the options of the residual encoder, and refuses those that no layer can express.
void readResidual(Reader& reader, NnunetNetwork& network) {
    if (reader.given("block") && reader.lastWord("block") != "BasicBlockD") {
        reader.fail("block", fmt::format("\"{}\" cannot be imported; BasicBlockD can",
                                         base::oneLine(reader.lastWord("block"), 60)));
    }
    if (reader.given("bottleneck_channels")) {
        reader.fail("bottleneck_channels", "cannot be imported; only BasicBlockD can, which has none");
    }
    if (reader.given("squeeze_excitation") && reader.boolean("squeeze_excitation")) {
        reader.fail("squeeze_excitation", "cannot be imported; only false can");
    }
    if (reader.given("stochastic_depth_p") && reader.number("stochastic_depth_p", 0, 1) > 0) {
        reader.fail("stochastic_depth_p", "cannot be imported; only 0 can");
    }
    if (reader.given("stem_channels")) {
        network.stemChannels = reader.integer("stem_channels", 1, kMostExtent);
    }
}

Result<NnunetNetwork> newerNetwork(const Json& architecture, const std::string& where, std::size_t dims) {
    Reader outer(architecture, where);
    NnunetNetwork network;
    network.residual = isResidual(outer, "network_class_name");
    const Json* kwargs = outer.raw("arch_kwargs");
    if (kwargs == nullptr) {
        outer.fail("arch_kwargs", "is missing; an object is needed");
    }
    if (auto error = outer.error()) {
        return *error;
    }
    Reader reader(*kwargs, outer.pointer("arch_kwargs"));
    const auto count = static_cast<std::size_t>(reader.integer("n_stages", 2, kMostStages));
    const std::string wanted = fmt::format("Conv{}d", dims);
    if (reader.given("conv_op") && reader.lastWord("conv_op") != wanted) {
        reader.fail("conv_op", fmt::format("must be {}, as the patch has {} sizes", wanted, dims));
    }
    if (auto error = reader.error()) {
        return *error;
    }
    network.bias = reader.boolean("conv_bias", false);
    network.nonlinFirst = reader.given("nonlin_first") && reader.boolean("nonlin_first");
    if (network.residual) {
        readResidual(reader, network);
    }
    for (auto& error :
         {readNorm(reader, network, dims), readNonlin(reader, network), readDropout(reader, network, dims)}) {
        if (error) {
            return *error;
        }
    }
    setStages(reader, network, reader.perStage("features_per_stage", count, kMostExtent), dims,
              "kernel_sizes", "strides", network.residual ? "n_blocks_per_stage" : "n_conv_per_stage");
    if (auto error = reader.error()) {
        return *error;
    }
    return network;
}

/// Adds advice to the error about a network that cannot be imported from plans.
Error withAdvice(const Error& error) {
    constexpr std::string_view kAdvice =
        "; pretend nnU-Net's own training (highwater-cli script, see \"Your own script\"), or build the "
        "network "
        "in Python with nnunetv2's get_network_from_plans and save it with the Python package "
        "(highwatermark.save, see \"Your own network\")";
    const bool refused = error.message.find("cannot be imported") != std::string::npos;
    return refused ? Error{error.message + std::string(kAdvice)} : error;
}

/// Checks that the patch is divisible, so that the decoder's sizes match the encoder's.
std::optional<Error> checkPatch(const NnunetPlan& plan, const std::string& where) {
    for (std::size_t axis = 0; axis < plan.patch.size(); ++axis) {
        std::int64_t product = 1;
        for (const NnunetNetwork::Stage& stage : plan.network.stages) {
            product = std::min(product * stage.stride[axis], kMostSize + 1);
        }
        if (plan.patch[axis] % product != 0) {
            return Error{fmt::format(
                "{}/patch_size: {} is not a multiple of {}, the product of the strides along axis {}", where,
                plan.patch[axis], product, axis)};
        }
    }
    return std::nullopt;
}

}  // namespace

Result<NnunetPlan> readNnunetPlan(const Json& plans, std::string_view configuration) {
    const auto resolved = HIGHWATER_TRY(NnunetConfigurations(plans).resolve(configuration));
    const std::string where = nnunetPlace(configuration);
    if (!NnunetConfigurations::hasNetwork(resolved)) {
        return Error{where + ": has no network: neither architecture nor UNet_class_name is there"};
    }
    NnunetPlan plan;
    plan.configuration = configuration;
    if (const auto at = plans.find("dataset_name"); at != plans.end() && at->is_string()) {
        plan.dataset = base::oneLine(at->get<std::string>(), 200);
    }
    Reader reader(resolved, where);
    plan.batch = reader.integer("batch_size", 1, kMostExtent);
    plan.patch = reader.integers("patch_size", 1, kMostExtent, 3);
    if (plan.patch.size() < 2) {
        reader.fail("patch_size", "must be a list of 2 or 3 numbers");
    }
    if (const Json* schemes = reader.raw("normalization_schemes");
        schemes != nullptr && schemes->is_array()) {
        plan.channels = static_cast<std::int64_t>(schemes->size());
    }
    plan.cascade = reader.given("previous_stage");
    plan.batchDice = reader.given("batch_dice") && reader.boolean("batch_dice");
    if (auto error = reader.error()) {
        return *error;
    }
    const auto newer = resolved.find("architecture");
    auto network = newer != resolved.end() ? newerNetwork(*newer, where + "/architecture", plan.patch.size())
                                           : olderNetwork(resolved, where, plan.patch.size());
    if (!network) {
        return withAdvice(network.error());
    }
    plan.network = std::move(*network);
    if (auto error = checkPatch(plan, where)) {
        return *error;
    }
    return plan;
}

}  // namespace highwater::stack
