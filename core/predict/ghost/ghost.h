#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/predict/walk.h"
#include "core/step/forward_mode.h"

/// A shadow of LibTorch: tensors that have a shape and a lifetime but no data, and the autograd graph over
/// them. Operators (ops.h) do with ghosts what the real ones do with tensors: allocate, save, free, in
/// their order; the machine writes down what happens. Private to core/predict.
namespace highwater::predict::ghost {

using base::Bytes;
using memory::Category;
using memory::Phase;

/// More than 2^62 bytes would be alive at once: thrown out of the walk.
struct TooMuch {};

class Machine;
struct DeviceOps;
struct Node;
struct TensorImpl;

/// A tensor's shape: N, C, spatial; a parameter's; or none (a scalar).
struct Dims {
    std::array<std::int64_t, 5> size{1, 1, 1, 1, 1};
    int rank = 0;

    Dims() = default;
    Dims(std::initializer_list<std::int64_t> sizes);
    explicit Dims(const std::vector<std::int64_t>& sizes);
    std::int64_t operator[](int i) const { return size[static_cast<std::size_t>(i)]; }
    std::int64_t& operator[](int i) { return size[static_cast<std::size_t>(i)]; }
    stack::Shape shape() const { return {size.begin(), size.begin() + rank}; }
    /// At most 2^61, whatever the sizes.
    std::int64_t elements() const;
    /// Of the axes from the third on.
    std::int64_t spatial() const;
    bool operator==(const Dims&) const = default;
};

/// One allocation; its end is the end of the memory.
struct Storage {
    Storage(Machine& owner, std::uint32_t number, Category its)
        : machine(owner), block(number), category(its) {}
    ~Storage();
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    Machine& machine;
    std::uint32_t block;
    Category category;
};
using StoragePtr = std::shared_ptr<Storage>;

/// Handles are counted as LibTorch counts them: some rules ask who else holds a tensor or its storage.
using Tensor = std::shared_ptr<TensorImpl>;
using NodePtr = std::shared_ptr<Node>;

struct TensorImpl {
    StoragePtr storage;  ///< null where there are no bytes
    Dims dims;
    DType dtype = DType::Float32;
    bool contiguous = true;     ///< false: a view of a larger tensor, or expanded
    bool channelsLast = false;  ///< the order of its strides (GPUs)
    Tensor base;                ///< of a view that an operator gave out: what it is a view of
    NodePtr edge;  ///< where its gradient goes (a parameter: its accumulator); null: it needs none

    bool needsGradient() const { return edge != nullptr; }
    std::int64_t elements() const { return dims.elements(); }
    Bytes bytes() const { return dims.elements() * sizeOf(dtype); }
};

using Gradients = std::array<Tensor, 3>;
/// Lets go of them in the order in which a std::vector would.
void drop(Gradients& gradients);

/// One step of the backward graph. All of them have one incoming gradient here.
struct Node {
    static constexpr std::uint64_t kAccumulator = ~std::uint64_t{0};  ///< its sequence: before all others

    Node() = default;
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    std::uint64_t sequence = 0;
    std::array<NodePtr, 3> next;
    /// What to do with the gradient: fills `out`, one for each of `next` that is there. It may move from
    /// `gradient`, which otherwise dies when this returns; after it, `saved` does.
    std::function<void(Machine&, Node&, Tensor& gradient, Gradients& out)> apply;
    std::vector<StoragePtr> saved;

    // While backward runs.
    Tensor buffer;  ///< what has arrived so far
    int dependencies = 0;
    std::uint32_t visit = 0;
};

struct Parameter {
    Tensor value;
    Tensor gradient;
};

using step::ForwardMode;

class Machine {
public:
    /// `layers` of the StackInfo.
    Machine(const Target& predictedFor, std::size_t layers);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Target& target;
    const DeviceOps& ops;  ///< how operators behave on the target
    const bool cuda;
    const int threads;  ///< of the CPU
    Walk walk;
    bool gradMode = true;
    double repeats = 1;  ///< WalkOp::repeats of what comes
    /// Whatever a device's operators keep beside tensors (casts of weights, workspaces).
    std::shared_ptr<void> deviceState;

    /// The walk is complete: what ends from here on is no part of it.
    void finish() { recording_ = false; }

    // --- where the run stands
    void enter(Phase phase, int layer);
    void beginStep(int step);
    Phase phase() const { return phase_; }
    int layer() const { return layer_; }
    int step() const { return step_; }
    /// What the next blocks are labelled with; a literal.
    void label(std::string_view name) { label_ = name; }
    /// An operator begins: its family, what it computes and moves. Labels the next blocks, too.
    WalkOp& op(std::string_view label, std::string_view family, double bytesMoved, double flops = 0);

    // --- memory
    /// A temporary; null for no bytes.
    StoragePtr allocate(Bytes bytes) { return allocate(Estimate::of(bytes)); }
    StoragePtr allocate(const Estimate& bytes);  ///< throws TooMuch
    void retag(const StoragePtr& storage, Category to);
    /// Only what is a temporary still.
    void retagTemporary(const StoragePtr& storage, Category to);
    Bytes bytesOf(const StoragePtr& storage) const { return walk.blocks[storage->block].bytes.expected; }
    Bytes live(Category category) const { return live_[category]; }

    // --- tensors
    Tensor empty(const Dims& dims, DType dtype = DType::Float32);
    Tensor like(const Tensor& other);
    /// Another tensor over the same storage; no part of a graph.
    static Tensor view(const Tensor& of, const Dims& dims, bool contiguous);
    static Tensor detach(const Tensor& of) { return view(of, of->dims, of->contiguous); }
    /// A gradient's view, which keeps what it is a view of (autograd's DifferentiableViewMeta does, without
    /// gradients, too), so that nobody takes its storage for unshared.
    static Tensor gradientView(const Tensor& of, const Dims& dims, bool contiguous);
    /// A parameter with its accumulator, in Category::Parameters.
    void makeParameter(Parameter& parameter, const Dims& dims);

    // --- autograd
    /// The node of an operator over these tensors (null ones are allowed); null where no gradient is wanted.
    NodePtr node(std::initializer_list<const Tensor*> inputs);
    /// A node that ends a graph.
    NodePtr sink(std::function<void(Machine&, Node&, Tensor& gradient, Gradients&)> arrived);
    /// Keeps a tensor for backward: it counts to the activations unless it counts to something else.
    void save(const NodePtr& node, const Tensor& tensor);
    void listen(int layer);  ///< nodes made from here on belong to this layer
    /// Runs backward from a scalar, whose gradient is as large as itself.
    void backward(const Tensor& loss);
    /// Runs backward from these nodes with these gradients, each of which dies with its consumer.
    void backward(std::vector<std::pair<NodePtr, Tensor>>&& starts);

    // --- convolutions met so far
    struct Met {
        int index = 0;  ///< into walk.convolutions
        const OpRow* row = nullptr;
        Estimate guess;           ///< where there is no row: its temporaries
        bool known = false;       ///< not a guess
        double microseconds = 0;  ///< of the GPU table's row; 0: none
    };
    /// Counts one pass.
    const Met& meet(const ConvKey& key);

private:
    friend struct Storage;
    struct KeyHash {
        std::size_t operator()(const ConvKey& key) const;
    };

    void freed(const Storage& storage);
    void note(WalkEvent::Kind kind, std::uint32_t block, Category category, Category from);
    void run(std::vector<NodePtr> ready);
    void findDependencies(const NodePtr& root);
    void evaluate(const NodePtr& node, std::vector<NodePtr>& ready);
    void nodeBegins(std::uint64_t sequence);

    bool recording_ = true;
    Phase phase_ = Phase::Setup;
    int layer_ = -1, step_ = -1;
    std::string_view label_;
    memory::Ledger live_;
    Bytes liveHigh_ = 0;
    std::uint64_t sequence_ = 0;
    std::uint32_t visit_ = 0;
    std::vector<std::pair<std::uint64_t, int>> owners_;
    std::unordered_map<ConvKey, Met, KeyHash> met_;
};

/// A number that LibTorch wraps into a tensor of one double, then casts to one float (CPU). Lives in passing;
/// `make` runs while both exist.
template <class Make>
auto withScalar(Machine& machine, Make make) {
    if (machine.cuda) {
        return make();
    }
    const StoragePtr wrapped = machine.allocate(8);
    StoragePtr cast = machine.allocate(4);
    auto made = make();
    cast.reset();
    return made;
}
inline void scalar(Machine& machine) {
    withScalar(machine, [] { return 0; });
}

}  // namespace highwater::predict::ghost
