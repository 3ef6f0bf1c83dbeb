#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/memory/allocator_config.h"
#include "core/step/stash.h"

/// Everything that uses LibTorch's autograd internals, which differ between versions (1.13 to the newest).
/// Private to core/engine.
namespace highwater::engine {

/// Installs the hooks into autograd once per process: saved tensors move to the category activations, and the
/// BackwardListener is called.
void installEngineHooks();

/// Called with the sequence number of each backward node before it runs, on the thread that runs it. Null: no
/// listener. There is one listener per process.
using BackwardListener = void (*)(void* context, std::int64_t sequence);
void listenToBackward(BackwardListener listener, void* context);

/// While on, operatorNow() returns the innermost operator ("aten::convolution") that the calling thread is
/// in, as LibTorch reports it; null if there is none. Turn it on and off only between runs. Calls nest: it
/// stays on until each call with true has been matched by one with false.
void followOperators(bool on);
const char* operatorNow();

/// The sequence number that the next autograd node on this thread will get.
std::uint64_t nextSequence();

/// A tensor's edge in the autograd graph (node and output index). It does not keep the tensor's data alive.
struct GraphEdge {
    std::shared_ptr<void> node;
    std::uint32_t index = 0;
};
GraphEdge edgeOf(const at::Tensor& tensor);

/// Cuts the graph at `tensor`: returns a tensor with the same storage that requires a gradient. The gradient
/// is passed to `arrived` directly, without a copy or an accumulation.
at::Tensor border(const at::Tensor& tensor, std::function<void(at::Tensor&&)> arrived);

/// Runs backward from a scalar loss, with `scale` as its gradient.
void backward(const at::Tensor& loss, double scale);
/// Runs backward from these edges with these gradients. The function takes ownership: each gradient is freed
/// as soon as the node that uses it is done, as in an uncut graph.
void backward(const std::vector<GraphEdge>& edges, std::vector<at::Tensor> gradients);

/// Empties autograd's queue. A backward that ended with an exception leaves its pending nodes, with the
/// tensors they saved, in the thread's queue until the next backward; this runs an empty one.
void drainBackward();

/// Installs a hook that calls `done` each time the parameter's gradient has been accumulated. The hook lives
/// as long as the returned handle.
std::shared_ptr<void> afterAccumulate(const at::Tensor& parameter, std::function<void()> done);

/// True if a gradient may be added to in place: nothing else references it or its storage.
bool ownsItsStorage(const at::Tensor& gradient);

/// The memory of an offloaded storage (core/step/stash.h): all its bytes, as a byte tensor, on the device or
/// in host memory.
struct Slot {
    at::Tensor device;               ///< undefined while the bytes are in host memory
    at::Tensor host;                 ///< undefined before they are copied there
    std::shared_ptr<void> transfer;  ///< HostLink's handle of the latest transfer
};
/// While it exists, the tensors that autograd saves on this thread are offered to `stashing`.
class OfferSaved {
public:
    explicit OfferSaved(step::Stashing<Slot>& stashing);
    ~OfferSaved();
    OfferSaved(const OfferSaved&) = delete;
    OfferSaved& operator=(const OfferSaved&) = delete;

private:
    step::Stashing<Slot>* before_;
};

/// The version of LibTorch that the program was built with.
memory::TorchVersion libtorchVersion();

/// True if the error is the out-of-memory error of a device's allocator.
bool isOutOfMemory(const std::exception& error);

/// Allows or forbids TF32 for fp32 convolutions of cuDNN and fp32 matrix products of cuBLAS.
void allowTf32(bool on);

/// The autocast state of the calling thread for one kind of device.
struct AutocastState {
    bool on = false;
    at::ScalarType type = at::ScalarType::Float;  ///< Half or BFloat16 if it is on
    bool cache = true;                            ///< casts of parameters are cached until autocast ends
};
AutocastState autocastState(c10::DeviceType kind);
void setAutocastState(c10::DeviceType kind, const AutocastState& state);

/// The message of a LibTorch error as one line, without the backtrace.
std::string briefError(const std::exception& error);

}  // namespace highwater::engine
