#include <stdexcept>

#include "core/engine/ranks/data_parallel.h"

/// Stubs for a LibTorch that was built without its distributed package.
namespace highwater::engine {

struct DataParallel::Parts {};

DataParallel::DataParallel(RankLink&, const std::vector<at::Tensor>&, std::vector<at::Tensor>, bool) {
    throw std::runtime_error(dataParallelMissing());
}

DataParallel::~DataParallel() = default;
void DataParallel::beforeForward() {}
void DataParallel::beforeBackward() {}

std::string dataParallelMissing() {
    return "--ranks: this LibTorch was built without its distributed package (USE_DISTRIBUTED)";
}

std::string fingerprint(const std::vector<at::Tensor>&) {
    return "";
}

}  // namespace highwater::engine
