#include "core/engine/ranks/data_parallel.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "core/engine/device/device.h"

namespace highwater::engine {

namespace {

using Future = c10::ivalue::Future;

class LinkWork final : public c10d::Work {
public:
    explicit LinkWork(c10::intrusive_ptr<Future> future) : future_(std::move(future)) {}
    bool isCompleted() override { return future_->completed(); }
    bool isSuccess() const override { return future_->completed() && !future_->hasError(); }
    bool wait(std::chrono::milliseconds /*timeout*/) override {
        future_->waitAndThrow();
        return true;
    }
    c10::intrusive_ptr<Future> getFuture() override { return future_; }

private:
    c10::intrusive_ptr<Future> future_;
};

/// LibTorch's collectives over a RankLink, on a separate thread: backward continues while a bucket is
/// reduced.
class LinkGroup final : public c10d::ProcessGroup {
public:
    explicit LinkGroup(RankLink& link)
        : ProcessGroup(link.rank(), link.count()), link_(link), thread_([this] { loop(); }) {}
    ~LinkGroup() override {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        arrived_.notify_one();
        thread_.join();
    }

    const std::string getBackendName() const override { return "highwater"; }
    c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                             const c10d::BroadcastOptions& options) override {
        const int root = static_cast<int>(options.rootRank);
        return queue({tensors, false, makeFuture(), [this, root](const at::Tensor& tensor) {
                          link_.broadcast(tensor.data_ptr(), tensor.nbytes(), root);
                      }});
    }
    c10::intrusive_ptr<c10d::Work> allreduce(std::vector<at::Tensor>& tensors,
                                             const c10d::AllreduceOptions& /*options*/) override {
        return queue({tensors, true, makeFuture(), [this](const at::Tensor& tensor) {
                          link_.sum(tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel()));
                      }});
    }

    /// Returns when the thread holds no more tensors.
    void settle() {
        std::unique_lock lock(mutex_);
        idle_.wait(lock, [this] { return waiting_.empty() && !busy_; });
    }

private:
    struct Exchange {
        std::vector<at::Tensor> tensors;
        bool gives;  ///< the result contains the tensors; otherwise it is empty
        c10::intrusive_ptr<Future> future;
        std::function<void(const at::Tensor&)> each;

        void run() {
            try {
                for (const at::Tensor& tensor : tensors) {
                    each(tensor);
                }
            } catch (...) {
                tensors.clear();
                future->setError(std::current_exception());
                return;
            }
            c10::IValue value;
            if (gives) {
                value = tensors;
            }
            tensors.clear();  // the caller continues, and frees them, as soon as the future completes
            future->markCompleted(std::move(value));
        }
    };

    static c10::intrusive_ptr<Future> makeFuture() {
        return c10::make_intrusive<Future>(c10::ListType::create(c10::TensorType::get()));
    }

    c10::intrusive_ptr<c10d::Work> queue(Exchange exchange) {
        for (const at::Tensor& tensor : exchange.tensors) {
            TORCH_CHECK(tensor.is_cpu() && tensor.is_contiguous(), "ranks exchange contiguous CPU tensors");
        }
        auto work = c10::make_intrusive<LinkWork>(exchange.future);
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(std::move(exchange));
        }
        arrived_.notify_one();
        return work;
    }

    void loop() {
        std::unique_lock lock(mutex_);
        while (true) {
            arrived_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
            if (waiting_.empty()) {
                return;
            }
            busy_ = true;
            {
                Exchange next = std::move(waiting_.front());
                waiting_.pop_front();
                lock.unlock();
                next.run();
            }
            lock.lock();
            busy_ = false;
            idle_.notify_all();
        }
    }

    RankLink& link_;
    std::mutex mutex_;
    std::condition_variable arrived_, idle_;
    std::deque<Exchange> waiting_;
    bool ending_ = false, busy_ = false;
    std::thread thread_;
};

// The defaults of torch.nn.parallel.DistributedDataParallel and torch.distributed.
constexpr std::int64_t kBucketBytes = std::int64_t{25} << 20, kFirstBucketBytes = std::int64_t{1} << 20;
constexpr std::size_t kBroadcastBytes = std::size_t{250} << 20;

/// A Reducer, whose constructor differs between versions of LibTorch.
template <class Reducer, class Group>
std::unique_ptr<Reducer> makeReducer(const std::vector<at::Tensor>& parameters, const Group& group,
                                     bool asView) {
    std::vector<std::vector<std::size_t>> buckets(1);  // one until the first backward has shown the order
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        buckets.front().push_back(i);
    }
    const std::vector<bool> sparse(parameters.size(), false);
    using Sizes = std::vector<std::size_t>;
    using Names = std::unordered_map<std::size_t, std::string>;
    if constexpr (std::is_constructible_v<Reducer, std::vector<at::Tensor>, std::vector<Sizes>, Sizes, Group,
                                          std::vector<bool>, std::int64_t, bool, bool, Names, std::int64_t>) {
        const Sizes limits{static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())};
        return std::make_unique<Reducer>(parameters, buckets, limits, group, sparse, kBucketBytes, false,
                                         asView, Names(), kFirstBucketBytes);
    } else if constexpr (std::is_constructible_v<Reducer, std::vector<at::Tensor>, std::vector<Sizes>, Group,
                                                 std::vector<bool>, std::int64_t, bool, bool, Names,
                                                 std::int64_t>) {
        return std::make_unique<Reducer>(parameters, buckets, group, sparse, kBucketBytes, false, asView,
                                         Names(), kFirstBucketBytes);
    } else {
        return std::make_unique<Reducer>(parameters, buckets, group, sparse, kBucketBytes, false, asView,
                                         Names(), kFirstBucketBytes, false, false,
                                         std::vector<std::int64_t>());
    }
}

}  // namespace

struct DataParallel::Parts {
    Parts(RankLink& link, const std::vector<at::Tensor>& parameters, std::vector<at::Tensor> its, bool asView)
        : group(c10::make_intrusive<LinkGroup>(link)), buffers(std::move(its)) {
        std::vector<at::Tensor> states;
        for (const at::Tensor& parameter : parameters) {
            states.push_back(parameter.detach());
        }
        states.insert(states.end(), buffers.begin(), buffers.end());
        takeOver(states);
        reducer =
            makeReducer<c10d::Reducer>(parameters, c10::intrusive_ptr<c10d::ProcessGroup>(group), asView);
        countBuckets();
    }

    /// Replaces the tensors with those of rank 0.
    void takeOver(const std::vector<at::Tensor>& tensors) const {
        const c10::AutoGradMode noGraph(false);
        c10d::broadcast_coalesced(group, tensors, kBroadcastBytes, 0);
    }

    void countBuckets() const {
        for (c10d::GradBucket& bucket : reducer->get_grad_buckets(false)) {
            retag(bucket.getBufferRef(), Category::Gradients);
        }
    }

    c10::intrusive_ptr<LinkGroup> group;
    std::vector<at::Tensor> buffers;
    std::unique_ptr<c10d::Reducer> reducer;  ///< destroyed before the group
};

DataParallel::DataParallel(RankLink& link, const std::vector<at::Tensor>& parameters,
                           std::vector<at::Tensor> buffers, bool gradientAsBucketView)
    : parts_(std::make_unique<Parts>(link, parameters, std::move(buffers), gradientAsBucketView)) {}

DataParallel::~DataParallel() = default;

void DataParallel::beforeForward() {
    parts_->group->settle();  // the last reference to a bucket is then the Reducer's
    parts_->reducer->prepare_for_forward();
    if (parts_->reducer->rebuild_buckets()) {
        parts_->countBuckets();
    }
    if (!parts_->buffers.empty()) {
        parts_->takeOver(parts_->buffers);
    }
}

void DataParallel::beforeBackward() {
    parts_->reducer->prepare_for_backward({});
}

std::string dataParallelMissing() {
    return "";
}

std::string fingerprint(const std::vector<at::Tensor>& tensors) {
    std::uint64_t sum = 0;
    for (const at::Tensor& tensor : tensors) {
        const at::Tensor here = tensor.detach().to(at::kCPU).contiguous();
        const std::string_view bytes(static_cast<const char*>(here.data_ptr()), here.nbytes());
        sum = (sum ^ std::hash<std::string_view>()(bytes)) * 1099511628211U;
    }
    return fmt::format("{:016x}", sum);
}

}  // namespace highwater::engine
