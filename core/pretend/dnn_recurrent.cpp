#include "core/pretend/abi/dnn_recurrent.h"

#include "core/pretend/dnn.h"
#include "core/pretend/settings.h"
#include "core/pretend/work.h"

// cuDNN's recurrent layers. The offsets of the parameters follow from their sizes; workspace and reserve are
// estimates, which is printed once.
using namespace highwater::pretend;

struct cudnnDropoutStruct {};
struct cudnnRNNStruct {
    cudnnRNNMode_t mode;
    bool bias;
    std::int64_t directions;
    cudnnDataType_t type;
    std::int64_t input;
    std::int64_t hidden;
    std::int64_t projection;  // size of the output; equal to `hidden` without a projection
    std::int64_t layers;
};
struct cudnnRNNDataStruct {
    std::int64_t length;
    std::int64_t batch;
};

namespace {

// The matrices of a layer are in the order of their numbers: those of the input, those of the state, and that
// of the projection; after the matrices of all layers come the biases in the same order.
std::int64_t gates(const cudnnRNNStruct& rnn) {
    return rnn.mode == CUDNN_LSTM ? 4 : rnn.mode == CUDNN_GRU ? 3 : 1;
}

struct Matrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t elements() const { return rows * columns; }
};

std::int64_t matricesOf(const cudnnRNNStruct& rnn) {
    return 2 * gates(rnn) + (rnn.projection != rnn.hidden ? 1 : 0);
}

Matrix matrixOf(const cudnnRNNStruct& rnn, std::int64_t pseudoLayer, std::int64_t id) {
    if (id == 2 * gates(rnn)) {
        return {rnn.projection, rnn.hidden};
    }
    if (id >= gates(rnn)) {
        return {rnn.hidden, rnn.projection};
    }
    return {rnn.hidden, pseudoLayer < rnn.directions ? rnn.input : rnn.projection * rnn.directions};
}

// The number of elements before a matrix; for `id` 0 of the layer after the last one, all elements.
std::int64_t before(const cudnnRNNStruct& rnn, std::int64_t pseudoLayer, std::int64_t id) {
    std::int64_t elements = 0;
    for (std::int64_t layer = 0; layer <= pseudoLayer && layer < rnn.layers * rnn.directions; ++layer) {
        const std::int64_t end = layer == pseudoLayer ? id : matricesOf(rnn);
        for (std::int64_t i = 0; i < end; ++i) {
            elements += matrixOf(rnn, layer, i).elements();
        }
    }
    return elements;
}

std::int64_t elementBytes(const cudnnRNNStruct& rnn) {
    return static_cast<std::int64_t>(dataTypeBytes(rnn.type));
}

void describe(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, std::int64_t rows, std::int64_t columns) {
    if (tensor) {
        *tensor = {type,
                   {1, static_cast<int>(rows), static_cast<int>(columns)},
                   {static_cast<int>(rows * columns), static_cast<int>(columns), 1}};
    }
}

// The caller may want only one of the two addresses.
void give(void** address, void* value) {
    if (address) {
        *address = value;
    }
}

template <typename T>
cudnnStatus_t destroy(T* descriptor) {
    delete descriptor;
    return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* dropout) {
    *dropout = new cudnnDropoutStruct;
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout) {
    return destroy(dropout);
}
// An estimate: a random state of 16 bytes for each thread that fits on the device.
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, size_t* bytes) {
    *bytes = static_cast<std::size_t>(settings().gpu.multiprocessors) *
             static_cast<std::size_t>(settings().gpu.threadsPerMultiprocessor) * 16;
    return dnnStatus();
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float, void*, size_t,
                                        unsigned long long) {
    return dnnStatus();
}
cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float, void*, size_t,
                                            unsigned long long) {
    return dnnStatus();
}

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* layer) {
    *layer = new cudnnRNNStruct{};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t layer) {
    return destroy(layer);
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t layer, cudnnRNNAlgo_t, cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t, cudnnDataType_t type, cudnnDataType_t,
                                       cudnnMathType_t, std::int32_t input, std::int32_t hidden,
                                       std::int32_t projection, std::int32_t layers, cudnnDropoutDescriptor_t,
                                       std::uint32_t) {
    *layer = {mode,
              bias != CUDNN_RNN_NO_BIAS,
              direction == CUDNN_BIDIRECTIONAL ? 2 : 1,
              type,
              input,
              hidden,
              projection > 0 ? projection : hidden,
              layers};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* data) {
    *data = new cudnnRNNDataStruct{};
    return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data) {
    return destroy(data);
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t, cudnnRNNDataLayout_t,
                                        int length, int batch, int, const int[], void*) {
    *data = {length, batch};
    return CUDNN_STATUS_SUCCESS;
}

// An estimate. Workspace: the input's contribution to the gates of one layer, for all steps. Reserve: for the
// backward pass the gates, the cell and the output of every layer and step.
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t layer, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t data, size_t* workspace, size_t* reserve) {
    sayOnce("the workspaces of cuDNN's recurrent layers are an estimate");
    const std::int64_t row =
        data->length * data->batch * layer->directions * layer->hidden * elementBytes(*layer);
    if (workspace) {
        *workspace = static_cast<std::size_t>(row * gates(*layer));
    }
    if (reserve) {
        *reserve = mode == CUDNN_FWD_MODE_TRAINING
                       ? static_cast<std::size_t>(row * layer->layers * (gates(*layer) + 2))
                       : 0;
    }
    return dnnStatus();
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t layer, size_t* bytes) {
    const std::int64_t pseudoLayers = layer->layers * layer->directions;
    const std::int64_t biases = layer->bias ? pseudoLayers * 2 * gates(*layer) * layer->hidden : 0;
    *bytes = static_cast<std::size_t>((before(*layer, pseudoLayers, 0) + biases) * elementBytes(*layer));
    return dnnStatus();
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t layer, std::int32_t pseudoLayer,
                                      size_t, const void* weights, std::int32_t id,
                                      cudnnTensorDescriptor_t matrix, void** matrixAddress,
                                      cudnnTensorDescriptor_t bias, void** biasAddress) {
    const std::int64_t pseudoLayers = layer->layers * layer->directions;
    if (pseudoLayer < 0 || pseudoLayer >= pseudoLayers || id < 0 || id >= matricesOf(*layer)) {
        return CUDNN_STATUS_BAD_PARAM;
    }
    auto* const begin = static_cast<char*>(const_cast<void*>(weights));
    const Matrix m = matrixOf(*layer, pseudoLayer, id);
    describe(matrix, layer->type, m.rows, m.columns);
    give(matrixAddress, begin + before(*layer, pseudoLayer, id) * elementBytes(*layer));
    char* found = nullptr;
    if (layer->bias && id < 2 * gates(*layer)) {
        describe(bias, layer->type, m.rows, 1);
        const std::int64_t number = pseudoLayer * 2 * gates(*layer) + id;
        found = begin + (before(*layer, pseudoLayers, 0) + number * layer->hidden) * elementBytes(*layer);
    }
    give(biasAddress, found);
    return dnnStatus();
}

}  // extern "C"
