#pragma once

#include <cstddef>
#include <vector>

#include "core/predict/ghost/ghost.h"

namespace highwater::predict::ghost {

/// The engine's DataParallel (core/engine/ranks) on ghosts: what one rank allocates for the exchange.
class DataParallel {
public:
    /// Broadcasts parameters and buffers, and creates the first bucket. The parameters must outlive this
    /// object.
    DataParallel(Machine& machine, const Ranks& ranks, const std::vector<Parameter*>& parameters,
                 std::vector<Tensor> buffers);
    DataParallel(const DataParallel&) = delete;  // the parameters' hooks point to this object
    DataParallel& operator=(const DataParallel&) = delete;

    void beforeForward();
    void beforeBackward();

private:
    void broadcast(const std::vector<Tensor>& tensors);
    void makeBuckets(const std::vector<std::vector<std::size_t>>& buckets);
    void rebuild();
    void arrived(std::size_t parameter);

    Machine& machine_;
    bool asView_;
    std::vector<Parameter*> parameters_;
    std::vector<Tensor> buffers_, buckets_;
    std::vector<Tensor> views_;       ///< by parameter: its part of a bucket
    std::vector<std::size_t> order_;  ///< the order in which the first reduced gradients were ready
    bool reduces_ = false;            ///< gradients that arrive now are reduced
    std::size_t arrived_ = 0;         ///< number of gradients that have arrived in this backward
    bool rebuilt_ = false;
};

}  // namespace highwater::predict::ghost
