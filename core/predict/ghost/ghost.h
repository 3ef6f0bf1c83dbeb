#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/layers/limits.h"
#include "core/predict/ghost/walk.h"
#include "core/stack/program.h"
#include "core/step/forward_mode.h"
#include "core/step/stash.h"

/// A model of LibTorch on *ghosts*: tensors that have a shape and a lifetime but no data, and the autograd
/// graph over them. Operators (ops.h) allocate, save and free ghosts as the real operators do with tensors,
/// in the same order. The Machine records what happens. Private to core/predict.
namespace highwater::predict::ghost {

using base::Bytes;
using memory::Category;
using memory::Phase;

/// Thrown out of the walk if more than 2^62 bytes would be live at once.
struct TooMuch {};

class Machine;
struct DeviceOps;
struct Node;
struct TensorImpl;

inline constexpr std::size_t kMostAxes = stack::kMostAxes;
using Strides = std::array<std::int64_t, kMostAxes>;
using Axes = std::bitset<kMostAxes>;

/// A tensor's shape: N, C, spatial; or a parameter's shape; or no axes at all (a scalar).
struct Dims {
    std::array<std::int64_t, kMostAxes> size{1, 1, 1, 1, 1, 1, 1, 1};
    int rank = 0;

    Dims() = default;
    Dims(std::initializer_list<std::int64_t> sizes);
    explicit Dims(const std::vector<std::int64_t>& sizes);
    std::int64_t operator[](int i) const { return size[static_cast<std::size_t>(i)]; }
    std::int64_t& operator[](int i) { return size[static_cast<std::size_t>(i)]; }
    stack::Shape shape() const { return {size.begin(), size.begin() + rank}; }
    /// The product of all sizes; never more than 2^61.
    std::int64_t elements() const;
    /// The product of the sizes from the third axis on.
    std::int64_t spatial() const;
    bool operator==(const Dims&) const = default;
};

/// One allocation. Its memory is freed when the object is destroyed.
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

/// Handles are reference-counted like LibTorch's, because some rules depend on how many refer to a tensor or
/// its storage.
using Tensor = std::shared_ptr<TensorImpl>;
using NodePtr = std::shared_ptr<Node>;

struct TensorImpl {
    StoragePtr storage;  ///< nullptr if the tensor has 0 bytes
    Dims dims;
    DType dtype = DType::Float32;
    bool contiguous = true;          ///< false: a view of a larger tensor, or expanded
    bool channelsLast = false;       ///< the order of its strides
    std::optional<Strides> strides;  ///< if the fields above do not determine them
    Tensor base;   ///< for a view that an operator returned: the tensor that it is a view of
    NodePtr edge;  ///< the node that receives its gradient (for a parameter its accumulator); nullptr if it
                   ///< needs no gradient

    bool needsGradient() const { return edge != nullptr; }
    std::int64_t elements() const { return dims.elements(); }
    Bytes bytes() const { return dims.elements() * sizeOf(dtype); }
};

/// An offloaded storage: its memory on the device, or none while it is in host memory.
struct Slot {
    StoragePtr device;
    Estimate bytes;
    std::size_t transfer = 0;  ///< index into Walk::transfers of its latest one
};

/// A tensor that a node has saved: its storage, or its slot if that is offloaded.
struct Saved {
    StoragePtr storage;
    std::shared_ptr<Slot> slot;
};

/// The gradients that a node returns, one for each entry of Node::next.
struct Gradients : std::vector<Tensor> {
    static constexpr std::size_t kFewest = 3;  ///< there are at least this many for every operator
    explicit Gradients(std::size_t count = kFewest) : vector(std::max(count, kFewest)) {}
};
/// Releases them in the order in which a std::vector would.
void drop(Gradients& gradients);

/// One node of the backward graph. Here each node has one incoming gradient.
struct Node {
    /// The sequence number of accumulators, which run before all others.
    static constexpr std::uint64_t kAccumulator = ~std::uint64_t{0};

    Node() = default;
    ~Node();
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    /// The properties of an operator's input, which its gradient must have too.
    struct Input {
        Dims dims;
        DType dtype = DType::Float32;
    };

    std::uint64_t sequence = 0;
    std::size_t blocks = 0;     ///< number of blocks before it
    std::vector<NodePtr> next;  ///< at least Gradients::kFewest entries; none for a sink
    /// Computes the outgoing gradients: fills `out`, one for each entry of `next` that is not null. It may
    /// move from `gradient`, which is otherwise freed when this returns; `saved` is freed after that.
    std::function<void(Machine&, Node&, Tensor& gradient, Gradients& out)> apply;
    /// For an operator that broadcasts or computes in another type: its inputs. Outgoing gradients of another
    /// shape are summed, and those of another type are cast, before `gradient` is freed.
    std::vector<Input> inputs;
    std::vector<Saved> saved;

    /// In Python, for a node that was recreated for a checkpointed segment and saves a tensor: the segment's
    /// inputs.
    std::shared_ptr<const std::vector<StoragePtr>> frame;

    // The following are used while backward runs.
    Tensor buffer;  ///< sum of the gradients received so far
    int dependencies = 0;
    std::uint32_t visit = 0;
};

struct Parameter {
    Tensor value;
    Tensor gradient;
    std::function<void()> arrived = {};  ///< called after its gradient was accumulated
};

using step::ForwardMode;

/// Where torch.utils.checkpoint stops recomputing a segment: once everything that its graph saves has been
/// saved.
struct EarlyStop {
    std::uint64_t node = 0;  ///< the last node that saves a tensor, counted from 1; 0: none does
    bool computes = false;   ///< it saves its own result, so its operator still runs
};

class Machine {
public:
    /// `layers`: the number of layers in StackInfo.
    Machine(const Target& predictedFor, std::size_t layers);
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const Target& target;
    const DeviceOps& ops;  ///< the operators of the target
    const bool cuda;
    const int threads;                 ///< number of CPU threads
    const memory::TorchVersion torch;  ///< the version whose operators are simulated; on the CPU 1.13 if
                                       ///< unknown
    Walk walk;
    bool gradMode = true;
    /// A convolution computes nothing: only its node is created (stack::resumable). The returned tensor has
    /// no memory.
    bool resumes = false;
    /// An unknown operator has run: from here on the layout of tensors, and what depends on it, is a guess.
    bool layoutsGuessed = false;
    double repeats = 1;                        ///< WalkOp::repeats of the operators that follow
    step::Stashing<Slot>* stashing = nullptr;  ///< decides which saved tensors are offloaded
    /// In Python: where each recomputation of a step stops, in order. A walk with `learnsStops` does not
    /// stop, and fills these in.
    std::vector<EarlyStop> stops;
    bool learnsStops = false;
    /// In Python: the gradient that backward() starts from, which is referenced until it returns.
    StoragePtr firstGradient;
    /// Memory that a device's operators hold in addition to tensors (casts of weights, workspaces).
    std::shared_ptr<void> deviceState;

    /// Ends the walk: frees from here on are not recorded.
    void finish() { recording_ = false; }

    // --- the current position of the run
    void enter(Phase phase, int layer);
    void beginStep(int step);
    Phase phase() const { return phase_; }
    int layer() const { return layer_; }
    int step() const { return step_; }
    /// Sets the label of the next blocks; must be a literal.
    void label(std::string_view name) { label_ = name; }
    /// Begins an operator of this family and records what it computes and moves. Also sets the label of the
    /// next blocks.
    WalkOp& op(std::string_view label, std::string_view family, double bytesMoved, double flops = 0);

    // --- the recomputation of a checkpointed segment in Python
    /// torch.utils.checkpoint holds the segment's inputs, and the state of the generator of random numbers
    /// that it drew from (null where it draws none), until all that its graph saves has been used.
    void beginRecomputation(const std::vector<Tensor>& inputs, const Tensor& generator);
    void endRecomputation();
    /// In a recomputation: a nested checkpointed segment begins, whose inputs are saved.
    void saveInputs();

    /// In a checkpointed segment's first forward those within it note the generator's state too, if they draw
    /// from it, and keep it as long as this one's graph does.
    void keepGenerators(const stack::Segment& segment);
    /// A tensor is multiplied by a number. In Python that is a tensor of the host's, which the graph keeps:
    /// also that of a checkpointed segment's first forward, because what checkpoint puts in place of saved
    /// tensors leaves numbers alone. `node`: nullptr where there is no graph.
    void keepNumber(const NodePtr& node);

    // --- memory
    /// Allocates a temporary; returns nullptr for 0 bytes, and in a recomputation that has stopped.
    StoragePtr allocate(Bytes bytes) { return allocate(Estimate::of(bytes)); }
    StoragePtr allocate(const Estimate& bytes);  ///< throws TooMuch
    void retag(const StoragePtr& storage, Category to);
    /// Changes the category only if it is still Temporaries.
    void retagTemporary(const StoragePtr& storage, Category to);
    Bytes bytesOf(const StoragePtr& storage) const {
        return storage ? walk.blocks[storage->block].bytes.expected : 0;
    }
    Bytes live(Category category) const { return live_[category]; }

    // --- tensors
    Tensor empty(const Dims& dims, DType dtype = DType::Float32);
    Tensor like(const Tensor& other);
    /// Returns another tensor on the same storage, which is not part of a graph.
    static Tensor view(const Tensor& of, const Dims& dims, bool contiguous);
    static Tensor detach(const Tensor& of) { return view(of, of->dims, of->contiguous); }
    /// Returns a view of a gradient. It references the tensor that it is a view of (as autograd's
    /// DifferentiableViewMeta does, even without gradients), so its storage never counts as unshared.
    static Tensor gradientView(const Tensor& of, const Dims& dims, bool contiguous);
    /// Creates a parameter with its accumulator, in Category::Parameters.
    void makeParameter(Parameter& parameter, const Dims& dims);
    /// The type of parameters, inputs and targets.
    DType modelType() const;

    // --- autograd
    /// Creates the node of an operator with these inputs (nullptr is allowed). Returns nullptr if no gradient
    /// is needed.
    NodePtr node(std::initializer_list<const Tensor*> inputs);
    NodePtr node(const std::vector<const Tensor*>& inputs);
    /// Creates a node that ends a graph: `arrived` receives the gradient.
    NodePtr sink(std::function<void(Machine&, Node&, Tensor& gradient, Gradients&)> arrived);
    /// Saves a tensor for backward. It is counted as an activation unless it has another category already.
    void save(const NodePtr& node, const Tensor& tensor);
    void save(const NodePtr& node, const StoragePtr& storage);  ///< its category stays; nullptr: 0 bytes
    void listen(int layer);  ///< nodes made from now on belong to this layer
    /// Runs backward from a scalar; its gradient is a scalar too.
    void backward(const Tensor& loss);
    /// Runs backward from these nodes with these gradients. Each gradient is freed after its consumer has
    /// run.
    void backward(std::vector<std::pair<NodePtr, Tensor>>&& starts);

    // --- convolutions seen so far
    struct Met {
        int index = 0;  ///< into walk.convolutions
        const OpRow* row = nullptr;
        Estimate guess;           ///< if there is no row: its temporaries
        bool known = false;       ///< `guess` is exact, or cuDNN's answer
        bool asked = false;       ///< GPUs: partly cuDNN's answer
        double microseconds = 0;  ///< time in the GPU table's row; 0 if there is none
        double guessedUs = 0;     ///< CPUs: if there is no row, as WalkOp::guessedUs
    };
    /// Looks up a convolution pass and counts it.
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
    void mayStop(std::uint64_t node, bool layer = false);
    void learnStop(std::uint64_t node, bool computes);

    bool recording_ = true;
    Phase phase_ = Phase::Setup;
    int layer_ = -1, step_ = -1;
    std::string_view label_;
    memory::Ledger live_;
    Bytes liveHigh_ = 0;
    std::uint64_t sequence_ = 0;
    std::shared_ptr<const std::vector<StoragePtr>> frame_;  ///< the inputs of what is recomputed, or nullptr
    std::vector<std::vector<StoragePtr>>
        numbers_;                     ///< in Python: of each checkpointed segment not yet recomputed
    std::size_t recomputations_ = 0;  ///< begun in this step
    int nested_ = 0;  ///< checkpointed segments inside of those begun, which are still to be computed again
    std::uint64_t firstNode_ = 0;  ///< sequence number of the recomputation's first
    bool stopped_ = false;
    std::uint32_t visit_ = 0;
    std::vector<std::pair<std::uint64_t, int>> owners_;
    std::unordered_map<ConvKey, Met, KeyHash> met_;
};

/// A scalar argument, which LibTorch on the CPU wraps into a tensor of one double and then casts to one
/// float. Both are temporary; `make` runs while they exist. On a GPU only `make` runs.
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
