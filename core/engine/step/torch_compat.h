#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/memory/allocator_config.h"

/// What reaches into LibTorch's autograd, in one place: these are the parts that differ between versions
/// (1.13 to the newest). Private to core/engine.
namespace highwater::engine {

/// Installs once: saved tensors become activations, and backward tells `onBackwardNode` what it runs.
void installEngineHooks();

/// Called with the sequence number of each backward node before it runs, on the thread that runs it; null:
/// nobody listens. One listener a process.
using BackwardListener = void (*)(void* context, std::int64_t sequence);
void listenToBackward(BackwardListener listener, void* context);

/// While on, operatorNow() names the operator ("aten::convolution") that the calling thread is in, the
/// innermost that LibTorch reports; null for none. Turned on and off between runs, not within; it is on while
/// somebody who turned it on has not turned it off.
void followOperators(bool on);
const char* operatorNow();

/// The sequence number that the next autograd node on this thread will get.
std::uint64_t nextSequence();

/// The place of a tensor in its graph, without keeping its data.
struct GraphEdge {
    std::shared_ptr<void> node;
    std::uint32_t index = 0;
};
GraphEdge edgeOf(const at::Tensor& tensor);

/// `tensor` cut from its graph: the same storage, and a gradient that arrives goes to `arrived` as it is (no
/// copy, no accumulation).
at::Tensor border(const at::Tensor& tensor, std::function<void(at::Tensor&&)> arrived);

/// Runs backward from one scalar.
void backward(const at::Tensor& loss, double scale);
/// Runs backward from edges with these gradients. They are handed over: each dies as soon as its consumer is
/// done, as in an uncut graph.
void backward(const std::vector<GraphEdge>& edges, std::vector<at::Tensor> gradients);

/// A backward that an exception ended leaves its waiting nodes, with what they saved, in the thread's queue
/// until the next one: this is an empty next one.
void drainBackward();

/// Keeps a hook on the parameter that calls `done` each time its gradient has been accumulated. The hook
/// lives as long as the returned handle.
std::shared_ptr<void> afterAccumulate(const at::Tensor& parameter, std::function<void()> done);

/// True where a gradient may be added into in place: nobody else holds it or its storage.
bool ownsItsStorage(const at::Tensor& gradient);

/// The LibTorch that this was built with.
memory::TorchVersion libtorchVersion();

/// True where a device's allocator could not give what was asked.
bool isOutOfMemory(const std::exception& error);

/// TF32 in cuDNN's convolutions and cuBLAS's products of fp32 tensors.
void allowTf32(bool on);

/// Autocast of the calling thread for one kind of device.
struct AutocastState {
    bool on = false;
    at::ScalarType type = at::ScalarType::Float;  ///< Half or BFloat16 where it is on
    bool cache = true;                            ///< copies of parameters are kept until it is left
};
AutocastState autocastState(c10::DeviceType kind);
void setAutocastState(c10::DeviceType kind, const AutocastState& state);

/// The message of a LibTorch error without its backtrace, as one line.
std::string briefError(const std::exception& error);

}  // namespace highwater::engine
