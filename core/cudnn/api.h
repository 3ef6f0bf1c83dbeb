#pragma once

#include <cstddef>
#include <cstdint>

/// The parts of cuDNN's backend API that are used (NVIDIA's documentation of version 9, "cudnn_graph"). The
/// numbers are part of the library's binary interface. Declared here, so that neither its headers nor CUDA's
/// are needed to build.
namespace highwater::cudnn::api {

using Descriptor = void*;

/// cudnnStatus_t: 0 is success.
using Status = int;

enum class Kind : int {
    Convolution = 1,
    Engine = 2,
    EngineConfig = 3,
    EngineHeuristics = 4,
    ExecutionPlan = 5,
    Forward = 10,
    BackwardFilter = 11,
    BackwardData = 12,
    OperationGraph = 15,
    Tensor = 17,
    DeviceProperties = 38,  ///< since 9.8
};

enum class Attribute : int {
    ConvolutionComputeType = 100,
    ConvolutionMode = 101,
    ConvolutionDilations = 102,
    ConvolutionStrides = 103,
    ConvolutionPostPaddings = 104,
    ConvolutionPrePaddings = 105,
    ConvolutionSpatialDims = 106,
    HeuristicsMode = 200,
    HeuristicsGraph = 201,
    HeuristicsResults = 202,
    HeuristicsDevice = 204,
    ConfigEngine = 300,
    PlanConfig = 401,
    PlanWorkspace = 402,
    PlanDevice = 407,
    /// The first of six attributes for each operation: alpha, beta, convolution, and three tensors.
    ForwardAlpha = 700,
    BackwardDataAlpha = 706,
    BackwardFilterAlpha = 712,
    GraphOperations = 801,
    TensorAlignment = 900,
    TensorType = 901,
    TensorDimensions = 902,
    TensorStrides = 903,
    TensorId = 906,
    EngineIndex = 1301,
    EngineNumericalNotes = 1303,
    DeviceJson = 2702,
};

/// cudnnBackendAttributeType_t
enum class Type : int {
    DataType = 1,
    Int64 = 3,
    Float = 4,
    ConvolutionMode = 7,
    HeuristicsMode = 8,
    NumericalNote = 11,
    Descriptor = 15,
    Char = 24,
};

enum class DataType : int { Float = 0, Half = 2, BFloat16 = 9 };
enum class ConvolutionMode : int { CrossCorrelation = 1 };
enum class HeuristicsMode : int { Instant = 0, Fallback = 2 };

/// cudnnBackendNumericalNote_t
enum class Note : int {
    TensorCore = 0,
    DownConvertInputs = 1,
    ReducedPrecisionReduction = 2,
    Fft = 3,
    Nondeterministic = 4,
    Winograd = 5,
    WinogradTile4x4 = 6,
    WinogradTile6x6 = 7,
    WinogradTile13x13 = 8,
    StrictNanPropagation = 9,
};

struct Functions {
    std::size_t (*version)() = nullptr;
    std::size_t (*cudaVersion)() = nullptr;  ///< cudnnGetCudartVersion: CUDA's version; 12080 is 12.8
    Status (*create)(Kind, Descriptor*) = nullptr;
    Status (*destroy)(Descriptor) = nullptr;
    Status (*finalize)(Descriptor) = nullptr;
    Status (*set)(Descriptor, Attribute, Type, std::int64_t count, const void* values) = nullptr;
    Status (*get)(Descriptor, Attribute, Type, std::int64_t wanted, std::int64_t* count,
                  void* values) = nullptr;
};

}  // namespace highwater::cudnn::api
