#include "core/predict/ghost/data_parallel.h"

#include <deque>
#include <numeric>
#include <utility>

/// As torch/csrc/distributed/c10d/reducer.cpp and comm.cpp.
namespace highwater::predict::ghost {

DataParallel::DataParallel(Machine& machine, const Ranks& ranks, const std::vector<Parameter*>& parameters,
                           std::vector<Tensor> buffers)
    : machine_(machine),
      asView_(ranks.gradientAsBucketView),
      parameters_(parameters),
      buffers_(std::move(buffers)),
      views_(parameters.size()) {
    std::vector<Tensor> states;
    for (const Parameter* parameter : parameters_) {
        states.push_back(parameter->value);
    }
    states.insert(states.end(), buffers_.begin(), buffers_.end());
    broadcast(states);
    std::vector<std::size_t> all(parameters_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    makeBuckets({all});
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        parameters_[i]->arrived = [this, i] { arrived(i); };
    }
}

/// broadcast_coalesced: the tensors of a bucket are copied into one, unless there is only one. Two buckets
/// are in flight at once.
void DataParallel::broadcast(const std::vector<Tensor>& tensors) {
    constexpr std::size_t kUnderWay = 2;
    std::vector<Bytes> sizes;
    for (const Tensor& tensor : tensors) {
        sizes.push_back(tensor->bytes());
    }
    std::deque<Tensor> underWay;
    for (const std::vector<std::size_t>& bucket : bucketsOf(sizes, {kBroadcastBytes})) {
        std::int64_t elements = 0;
        for (const std::size_t i : bucket) {
            elements += tensors[i]->elements();
        }
        const Tensor& first = tensors[bucket.front()];
        machine_.op("broadcast", "copy", 4 * static_cast<double>(elements * sizeOf(first->dtype)));
        underWay.push_back(bucket.size() > 1 ? machine_.empty({elements}, first->dtype) : first);
        if (underWay.size() >= kUnderWay) {
            underWay.pop_front();
        }
    }
    while (!underWay.empty()) {
        underWay.pop_front();
    }
}

/// Reducer::initialize_buckets. Gradients that are views move to the new buckets.
void DataParallel::makeBuckets(const std::vector<std::vector<std::size_t>>& buckets) {
    buckets_.clear();
    for (Tensor& view : views_) {
        view.reset();
    }
    for (const std::vector<std::size_t>& bucket : buckets) {
        std::int64_t elements = 0;
        for (const std::size_t i : bucket) {
            elements += parameters_[i]->value->elements();
        }
        machine_.label("bucket");
        const Tensor flat =
            buckets_.emplace_back(machine_.empty({elements}, parameters_[bucket.front()]->value->dtype));
        for (const std::size_t i : bucket) {
            Parameter& parameter = *parameters_[i];
            views_[i] = Machine::view(flat, parameter.value->dims, true);
            views_[i]->channelsLast = parameter.value->channelsLast;
            if (asView_ && parameter.gradient) {
                parameter.gradient = Machine::detach(views_[i]);
            }
        }
    }
    for (const Tensor& bucket : buckets_) {
        machine_.retag(bucket->storage, Category::Gradients);
    }
}

/// Reducer::rebuild_buckets: rank 0's order is broadcast.
void DataParallel::rebuild() {
    std::vector<Bytes> sizes;
    for (const std::size_t i : order_) {
        sizes.push_back(parameters_[i]->value->bytes());
    }
    std::vector<std::vector<std::size_t>> buckets = bucketsOf(sizes, {kFirstBucketBytes, kBucketBytes});
    for (std::vector<std::size_t>& bucket : buckets) {
        for (std::size_t& i : bucket) {
            i = order_[i];
        }
    }
    {
        const auto indices = static_cast<std::int64_t>(order_.size()) + 1;
        const auto count = static_cast<std::int64_t>(buckets.size());
        machine_.op("bucket", "copy", 0);
        constexpr Bytes kInt32 = 4;
        // With a GPU, two of them are in host memory.
        const StoragePtr here = machine_.cuda ? nullptr : machine_.allocate(kInt32 * indices);
        const StoragePtr there = machine_.allocate(kInt32 * indices);
        const StoragePtr sizesHere = machine_.cuda ? nullptr : machine_.allocate(kInt32 * count);
        const StoragePtr sizesThere = machine_.allocate(kInt32 * count);
    }
    makeBuckets(buckets);
    rebuilt_ = true;
}

void DataParallel::beforeForward() {
    if (!rebuilt_ && !order_.empty()) {
        rebuild();
    }
    if (!buffers_.empty()) {
        broadcast(buffers_);
    }
}

void DataParallel::beforeBackward() {
    reduces_ = true;
    arrived_ = 0;
    if (!rebuilt_) {
        order_.clear();
    }
}

/// Reducer::mark_variable_ready_dense, after the gradient was accumulated.
void DataParallel::arrived(std::size_t i) {
    if (!reduces_) {
        return;
    }
    if (!rebuilt_) {
        order_.push_back(i);
    }
    reduces_ = ++arrived_ < parameters_.size();
    Parameter& parameter = *parameters_[i];
    machine_.op("bucket", "elementwise", 2 * static_cast<double>(parameter.value->bytes()));
    scalar(machine_);
    if (asView_) {
        parameter.gradient = Machine::detach(views_[i]);
    }
}

}  // namespace highwater::predict::ghost
