#include "app/desktop/scan/patches/coverage_maps.h"

#include <algorithm>

#include "core/stack/shapes.h"

namespace highwater::desktop {

namespace {

constexpr std::size_t kKept = 6;  // at most 8 MiB each

/// The patch in the sampler's axes: voxels i, j, k.
volume::Index3 extentOf(const stack::Sizes& patch) {
    volume::Index3 extent{1, 1, 1};
    if (patch.size() == 1) {
        return {patch[0], patch[0], patch[0]};
    }
    for (std::size_t axis = 0; axis < patch.size() && axis < 3; ++axis) {
        extent[axis] = patch[patch.size() - 1 - axis];
    }
    return extent;
}

}  // namespace

bool CoverageRequest::same(const CoverageRequest& other) const {
    return guide.data() == other.guide.data() && guideIsLabels == other.guideIsLabels &&
           sampler.extent == other.sampler.extent && sampler.foreground == other.sampler.foreground &&
           sampler.seed == other.sampler.seed && sampler.cases == other.sampler.cases &&
           sampler.theCase == other.sampler.theCase && samples == other.samples;
}

bool CoverageRequest::isOf(const std::vector<volume::Volume>& volumes) const {
    return std::any_of(volumes.begin(), volumes.end(),
                       [&](const volume::Volume& one) { return one.data() == guide.data(); });
}

base::Result<CoverageRequest> coverageRequest(const stack::Experiment& experiment, const ShownCase& shown,
                                              int steps) {
    const std::vector<volume::Volume>& volumes = shown.volumes;
    const auto* const scan = std::get_if<stack::ScanInput>(&experiment.input);
    if (scan == nullptr) {
        return base::Error{"the input is synthetic noise: there is no scan to cover"};
    }
    if (volumes.empty()) {
        return base::Error{"the scan is not loaded"};
    }
    for (const std::int64_t side : scan->patch) {
        if (side < 1) {
            return base::Error{"input.patch: sizes are at least 1"};
        }
    }
    const auto channels = static_cast<std::size_t>(stack::channelsOf(*scan));
    const bool labels = experiment.target.kind == stack::Target::Kind::Labels &&
                        experiment.loss != stack::Loss::Mean && volumes.size() > channels;
    CoverageRequest request;
    request.sampler.extent = extentOf(scan->patch);
    request.sampler.foreground = scan->sampling == stack::ScanInput::Sampling::Foreground;
    request.sampler.seed = experiment.step.seed;
    request.sampler.cases = shown.cases;
    request.sampler.theCase = shown.theCase;
    request.samples = std::max<std::int64_t>(experiment.step.batchSize, 1) * steps;
    // Without foreground sampling, the boxes are the same whatever the guide.
    request.guideIsLabels = labels && request.sampler.foreground;
    request.guide = request.guideIsLabels ? volumes.back() : volumes.front();
    return request;
}

CoverageMaps::CoverageMaps(Count count, QObject* parent)
    : QObject(parent), count_(std::move(count)), job_(pool_) {
    pool_.setMaxThreadCount(1);
}

CoverageMaps::~CoverageMaps() {
    job_.cancel();
    pool_.waitForDone();
}

void CoverageMaps::ask(const CoverageRequest& request) {
    job_.cancel();
    current_.reset();
    trouble_.clear();
    for (const Known& known : known_) {
        if (known.request.same(request)) {
            current_ = known.coverage;
        }
    }
    if (current_) {
        emit changed();
        return;
    }
    const auto work = [count = count_, request](const widgets::LatestJob::Cancel& cancel) {
        volume::Sampler sampler = request.sampler;
        if (sampler.foreground) {
            sampler.findForeground(request.guide, request.guideIsLabels);
        }
        return count(request.guide, sampler, request.samples, cancel.get());
    };
    job_.run(work, [this, request](base::Result<volume::Coverage> answer) {
        if (answer) {
            current_ = std::move(*answer);
            known_.push_back({request, *current_});
            if (known_.size() > kKept) {
                known_.pop_front();
            }
        } else {
            trouble_ = QString::fromStdString(answer.error().message);
        }
        emit changed();
    });
    emit changed();
}

void CoverageMaps::keepOnly(const std::vector<volume::Volume>& volumes) {
    std::erase_if(known_, [&](const Known& known) { return !known.request.isOf(volumes); });
}

void CoverageMaps::cancel() {
    job_.cancel();
    current_.reset();
    trouble_ = tr("Cancelled.");
    emit changed();
}

}  // namespace highwater::desktop

#include "moc_coverage_maps.cpp"
