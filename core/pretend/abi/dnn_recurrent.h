#pragma once

#include <cstdint>

#include "core/pretend/abi/dnn.h"

// The recurrent layers of cuDNN 9 and the dropout between them, as far as the pretended cuDNN implements
// them.
extern "C" {

using cudnnDropoutDescriptor_t = struct cudnnDropoutStruct*;
using cudnnRNNDescriptor_t = struct cudnnRNNStruct*;
using cudnnRNNDataDescriptor_t = struct cudnnRNNDataStruct*;

enum cudnnRNNMode_t : int {
    CUDNN_RNN_RELU = 0,
    CUDNN_RNN_TANH = 1,
    CUDNN_LSTM = 2,
    CUDNN_GRU = 3,
};
enum cudnnRNNBiasMode_t : int {
    CUDNN_RNN_NO_BIAS = 0,
};
enum cudnnDirectionMode_t : int {
    CUDNN_UNIDIRECTIONAL = 0,
    CUDNN_BIDIRECTIONAL = 1,
};
enum cudnnForwardMode_t : int {
    CUDNN_FWD_MODE_INFERENCE = 0,
    CUDNN_FWD_MODE_TRAINING = 1,
};

// Passed through, never inspected.
enum cudnnRNNAlgo_t : int {};
enum cudnnRNNInputMode_t : int {};
enum cudnnRNNDataLayout_t : int {};

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* dropout);
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout);
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, size_t* bytes);
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float, void*, size_t,
                                        unsigned long long);
cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float, void*, size_t,
                                            unsigned long long);

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* layer);
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t layer);
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t layer, cudnnRNNAlgo_t, cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t, cudnnDataType_t type, cudnnDataType_t,
                                       cudnnMathType_t, std::int32_t input, std::int32_t hidden,
                                       std::int32_t projection, std::int32_t layers, cudnnDropoutDescriptor_t,
                                       std::uint32_t);
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* data);
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data);
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t, cudnnRNNDataLayout_t,
                                        int length, int batch, int, const int[], void*);
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t layer, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t data, size_t* workspace, size_t* reserve);
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t layer, size_t* bytes);
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t layer, std::int32_t pseudoLayer,
                                      size_t, const void* weights, std::int32_t id,
                                      cudnnTensorDescriptor_t matrix, void** matrixAddress,
                                      cudnnTensorDescriptor_t bias, void** biasAddress);

}  // extern "C"
