#include "core/cudnn/plans.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/json_reader.h"

namespace highwater::cudnn {
namespace {

using api::Attribute;
using api::Kind;
using api::Type;
using base::Error;
using base::Result;
using base::Status;
using predict::ConvKey;
using predict::ConvPart;
using predict::DType;
using Sizes = std::vector<std::int64_t>;

constexpr std::int64_t kAlignment = 32;  // the largest alignment that LibTorch reports; its allocator's
                                         // blocks are aligned to 512
constexpr std::int64_t kMostConfigs = 1000;
constexpr std::int64_t kMostNotes = 32;

/// A cuDNN descriptor, destroyed with this object.
class Described {
public:
    Described(const api::Functions& f, Kind kind) : f_(&f) { status_ = f.create(kind, &descriptor_); }
    Described(Described&& other) noexcept
        : f_(other.f_), descriptor_(std::exchange(other.descriptor_, nullptr)), status_(other.status_) {}
    Described& operator=(Described&&) = delete;
    ~Described() {
        if (descriptor_ != nullptr) {
            f_->destroy(descriptor_);
        }
    }
    const api::Descriptor& get() const { return descriptor_; }

    template <class Value>
    Described& set(Attribute attribute, Type type, const Value* values, std::size_t count) {
        if (status_ == 0) {
            status_ = f_->set(descriptor_, attribute, type, static_cast<std::int64_t>(count), values);
        }
        return *this;
    }
    template <class Value>
    Described& set(Attribute attribute, Type type, const Value& value) {
        return set(attribute, type, &value, 1);
    }
    Described& set(Attribute attribute, const Sizes& values) {
        return set(attribute, Type::Int64, values.data(), values.size());
    }
    /// The first status that was not a success.
    api::Status finish() {
        if (status_ == 0) {
            status_ = f_->finalize(descriptor_);
        }
        return status_;
    }

private:
    const api::Functions* f_;
    api::Descriptor descriptor_ = nullptr;
    api::Status status_ = 0;
};

/// A convolution as LibTorch describes it to cuDNN: x is the larger side, which a forward convolution reads,
/// y the smaller one. A conv_transpose is the gradient of such a convolution.
struct Question {
    Sizes x, y, w, stride, padding, dilation;
    Kind operation = Kind::Forward;
    api::DataType type = api::DataType::Float;
    bool channelsLast = false;
};

Kind operationOf(bool transposed, ConvPart part) {
    if (part == ConvPart::WeightGradient) {
        return Kind::BackwardFilter;
    }
    return (part == ConvPart::Forward) == transposed ? Kind::BackwardData : Kind::Forward;
}

api::DataType typeOf(DType type) {
    return type == DType::Float16    ? api::DataType::Half
           : type == DType::BFloat16 ? api::DataType::BFloat16
                                     : api::DataType::Float;
}

/// `first`, then the key's values by axis. A 1d convolution is treated as 2d with height 1.
Sizes withAxes(Sizes first, const ConvKey& key, const std::array<std::int64_t, 3>& values,
               std::int64_t height) {
    if (key.dims == 1) {
        first.push_back(height);
    }
    first.insert(first.end(), values.begin(), values.begin() + key.dims);
    return first;
}

Question questionOf(const ConvKey& key, ConvPart part) {
    Question q;
    const Sizes input = withAxes({key.batch, key.inChannels}, key, key.input, 1);
    const Sizes output = withAxes({key.batch, key.outChannels}, key, key.output, 1);
    q.x = key.transposed ? output : input;
    q.y = key.transposed ? input : output;
    q.w = withAxes({q.y[1], q.x[1] / key.groups}, key, key.kernel, 1);
    q.stride = withAxes({}, key, key.stride, 1);
    q.padding = withAxes({}, key, key.padding, 0);
    q.dilation = withAxes({}, key, key.dilation, 1);
    q.operation = operationOf(key.transposed, part);
    q.type = typeOf(key.dtype);
    q.channelsLast = key.channelsLast;
    return q;
}

Sizes stridesOf(const Sizes& sizes, bool channelsLast) {
    Sizes strides(sizes.size());
    std::int64_t next = 1;
    if (channelsLast) {
        strides[1] = next;
        next *= sizes[1];
    }
    for (std::size_t i = sizes.size(); i-- > 0;) {
        if (i != 1 || !channelsLast) {
            strides[i] = next;
            next *= sizes[i];
        }
    }
    return strides;
}

Described tensor(const api::Functions& f, std::int64_t id, const Sizes& sizes, const Question& q) {
    Described made(f, Kind::Tensor);
    made.set(Attribute::TensorType, Type::DataType, q.type)
        .set(Attribute::TensorDimensions, sizes)
        .set(Attribute::TensorStrides, stridesOf(sizes, q.channelsLast))
        .set(Attribute::TensorId, Type::Int64, id)
        .set(Attribute::TensorAlignment, Type::Int64, kAlignment);
    return made;
}

/// The graph that the heuristics are asked about, and its descriptors.
struct Graph {
    Described x, y, w, convolution, operation, graph;
};

Attribute alphaOf(Kind operation) {
    return operation == Kind::Forward        ? Attribute::ForwardAlpha
           : operation == Kind::BackwardData ? Attribute::BackwardDataAlpha
                                             : Attribute::BackwardFilterAlpha;
}

Result<Graph> graphOf(const api::Functions& f, const Question& q) {
    Graph g{tensor(f, 'x', q.x, q),          tensor(f, 'y', q.y, q),    tensor(f, 'w', q.w, q),
            Described(f, Kind::Convolution), Described(f, q.operation), Described(f, Kind::OperationGraph)};
    g.convolution.set(Attribute::ConvolutionComputeType, Type::DataType, api::DataType::Float)
        .set(Attribute::ConvolutionMode, Type::ConvolutionMode, api::ConvolutionMode::CrossCorrelation)
        .set(Attribute::ConvolutionSpatialDims, Type::Int64, static_cast<std::int64_t>(q.stride.size()))
        .set(Attribute::ConvolutionStrides, q.stride)
        .set(Attribute::ConvolutionPrePaddings, q.padding)
        .set(Attribute::ConvolutionPostPaddings, q.padding)
        .set(Attribute::ConvolutionDilations, q.dilation);
    for (Described* const part : {&g.x, &g.y, &g.w, &g.convolution}) {
        if (const api::Status status = part->finish(); status != 0) {
            return Error{fmt::format("cuDNN refuses the convolution's description (status {})", status)};
        }
    }
    const auto first = static_cast<int>(alphaOf(q.operation));
    const auto nth = [&](int i) { return static_cast<Attribute>(first + i); };
    g.operation.set(nth(0), Type::Float, 1.0F)
        .set(nth(1), Type::Float, 0.0F)
        .set(nth(2), Type::Descriptor, g.convolution.get());
    // In each operation the weight (or its gradient) comes first, then x, then y.
    g.operation.set(nth(3), Type::Descriptor, g.w.get())
        .set(nth(4), Type::Descriptor, g.x.get())
        .set(nth(5), Type::Descriptor, g.y.get());
    if (const api::Status status = g.operation.finish(); status != 0) {
        return Error{fmt::format("cuDNN refuses the convolution (status {})", status)};
    }
    g.graph.set(Attribute::GraphOperations, Type::Descriptor, g.operation.get());
    if (const api::Status status = g.graph.finish(); status != 0) {
        return Error{fmt::format("cuDNN refuses the operation (status {})", status)};
    }
    return g;
}

bool has(const Plan& plan, api::Note note) {
    return std::find(plan.notes.begin(), plan.notes.end(), note) != plan.notes.end();
}

/// As in Conv_v8.cpp, filterEngineConfigs.
bool leftOut(const Plan& plan, const predict::GpuConvolution& convolution) {
    return (convolution.switches.deterministic && has(plan, api::Note::Nondeterministic)) ||
           has(plan, api::Note::DownConvertInputs) ||
           (convolution.op.dtype == DType::Float32 && !convolution.switches.tf32 &&
            has(plan, api::Note::TensorCore));
}

/// The engine of a configuration, with its notes but without its workspace.
Plan engineOf(const api::Functions& f, const Described& config, bool fallback) {
    Plan plan;
    plan.fallback = fallback;
    const Described engine(f, Kind::Engine);
    api::Descriptor filled = engine.get();
    std::int64_t count = 0;
    if (f.get(config.get(), Attribute::ConfigEngine, Type::Descriptor, 1, &count, &filled) != 0) {
        return plan;
    }
    f.get(filled, Attribute::EngineIndex, Type::Int64, 1, &count, &plan.engine);
    std::array<api::Note, kMostNotes> notes{};
    if (f.get(filled, Attribute::EngineNumericalNotes, Type::NumericalNote, kMostNotes, &count,
              notes.data()) == 0) {
        plan.notes.assign(notes.begin(), notes.begin() + std::clamp<std::int64_t>(count, 0, kMostNotes));
    }
    return plan;
}

/// Fills in the workspace; false if the plan cannot be built for the device.
bool build(const api::Functions& f, const Described& config, const Described& device, Plan& plan) {
    Described built(f, Kind::ExecutionPlan);
    built.set(Attribute::PlanConfig, Type::Descriptor, config.get())
        .set(Attribute::PlanDevice, Type::Descriptor, device.get());
    std::int64_t count = 0;
    return built.finish() == 0 &&
           f.get(built.get(), Attribute::PlanWorkspace, Type::Int64, 1, &count, &plan.workspace) == 0;
}

/// The configurations of one of cuDNN's lists.
std::vector<Described> configsOf(const api::Functions& f, const Graph& graph, const Described& device,
                                 api::HeuristicsMode mode) {
    Described heuristics(f, Kind::EngineHeuristics);
    heuristics.set(Attribute::HeuristicsGraph, Type::Descriptor, graph.graph.get())
        .set(Attribute::HeuristicsMode, Type::HeuristicsMode, mode)
        .set(Attribute::HeuristicsDevice, Type::Descriptor, device.get());
    std::int64_t count = 0;
    if (heuristics.finish() != 0 ||
        f.get(heuristics.get(), Attribute::HeuristicsResults, Type::Descriptor, 0, &count, nullptr) != 0) {
        return {};
    }
    std::vector<Described> configs;
    std::vector<api::Descriptor> raw;
    for (std::int64_t i = 0; i < std::clamp<std::int64_t>(count, 0, kMostConfigs); ++i) {
        configs.emplace_back(f, Kind::EngineConfig);
        raw.push_back(configs.back().get());
    }
    std::int64_t filled = 0;
    const api::Status status = f.get(heuristics.get(), Attribute::HeuristicsResults, Type::Descriptor,
                                     static_cast<std::int64_t>(raw.size()), &filled, raw.data());
    filled = status == 0 ? std::clamp<std::int64_t>(filled, 0, static_cast<std::int64_t>(configs.size())) : 0;
    while (configs.size() > static_cast<std::size_t>(filled)) {
        configs.pop_back();
    }
    return configs;
}

/// The device's descriptor, not yet finalized.
Described describe(const api::Functions& f, const std::string& json) {
    Described device(f, Kind::DeviceProperties);
    device.set(Attribute::DeviceJson, Type::Char, json.c_str(), json.size() + 1);
    return device;
}

/// Whether the two layouts of a tensor of these sizes differ in memory.
bool hasLayout(const Sizes& sizes) {
    return sizes[1] > 1 &&
           std::any_of(sizes.begin() + 2, sizes.end(), [](std::int64_t size) { return size > 1; });
}

}  // namespace

std::string operationText(const predict::GpuConvolution& convolution, ConvPart part) {
    const Question q = questionOf(convolution.op, part);
    const char* const operation = q.operation == Kind::Forward        ? "forward"
                                  : q.operation == Kind::BackwardData ? "input"
                                                                      : "weight";
    const char* const type = q.type == api::DataType::Half       ? "fp16"
                             : q.type == api::DataType::BFloat16 ? "bf16"
                                                                 : "fp32";
    const auto list = [](const Sizes& sizes) { return fmt::format("{}", fmt::join(sizes, ",")); };
    return fmt::format(
        "{} {}{} x{} w{} y{} stride{} padding{} dilation{}", operation, type,
        q.channelsLast && (hasLayout(q.x) || hasLayout(q.y) || hasLayout(q.w)) ? " channels_last" : "",
        list(q.x), list(q.w), list(q.y), list(q.stride), list(q.padding), list(q.dilation));
}

Result<Asked> Asked::make(const Library& library, std::string device) {
    constexpr int kLeastForCuda13 =
        750;  // CUDA 13 does not support older GPUs, though cuDNN lists plans for them
    const auto json = base::parseJson(device, "device");
    const auto version = json && json->is_object() ? json->find("deviceVer") : base::Json::const_iterator();
    if (!json || !json->is_object() || version == json->end() || !version->is_number_integer()) {
        return Error{"the description of the device must be an object with an integer deviceVer"};
    }
    if (library.cuda() >= 13 && version->get<int>() < kLeastForCuda13) {
        return Error{fmt::format(
            "cuDNN {} for CUDA {} does not support this GPU: it needs compute capability 7.5 or newer",
            predict::toText(library.version()), library.cuda())};
    }
    if (const api::Status status = describe(library.functions(), device).finish(); status != 0) {
        return Error{fmt::format("cuDNN {} does not know this GPU (status {})",
                                 predict::toText(library.version()), status)};
    }
    return Asked(library, std::move(device));
}

Result<std::vector<Plan>> Asked::plansOf(const predict::GpuConvolution& convolution, ConvPart part) const {
    const api::Functions& f = library_->functions();
    Described device = describe(f, device_);
    if (const api::Status status = device.finish(); status != 0) {
        return Error{fmt::format("cuDNN does not support the device (status {})", status)};
    }
    const auto graph = HIGHWATER_TRY(graphOf(f, questionOf(convolution.op, part)));
    std::vector<Plan> plans;
    for (const auto mode : {api::HeuristicsMode::Instant, api::HeuristicsMode::Fallback}) {
        for (const Described& config : configsOf(f, graph, device, mode)) {
            Plan plan = engineOf(f, config, mode == api::HeuristicsMode::Fallback);
            if (!leftOut(plan, convolution) && build(f, config, device, plan)) {
                plans.push_back(std::move(plan));
            }
        }
    }
    return plans;
}

}  // namespace highwater::cudnn
