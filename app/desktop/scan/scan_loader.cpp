#include "app/desktop/scan/scan_loader.h"

#include <fmt/format.h>

#include <map>

#include "core/base/text.h"
#include "core/scan/scan_client.h"

namespace highwater::desktop {

struct ScanLoader::Outcome {
    std::vector<volume::Volume> volumes;
    std::optional<base::Error> error;
};

namespace {

/// Channels and labels must be on one grid.
std::optional<base::Error> gridProblem(const std::vector<stack::ScanSource>& sources,
                                       const std::vector<volume::Volume>& volumes) {
    for (std::size_t i = 1; i < volumes.size(); ++i) {
        if (volumes[i].geometry().size != volumes[0].geometry().size) {
            return base::Error{fmt::format("{}: its size {} differs from {}'s {}; all must lie on one grid",
                                           sources[i].path, base::formatShape(volumes[i].geometry().size),
                                           sources[0].path, base::formatShape(volumes[0].geometry().size))};
        }
    }
    return {};
}

}  // namespace

ScanLoader::ScanLoader(QObject* parent)
    : QObject(parent), cancel_(std::make_shared<std::atomic<bool>>(false)) {}

ScanLoader::~ScanLoader() {
    *cancel_ = true;
}

void ScanLoader::cancel() {
    *cancel_ = true;
}

void ScanLoader::load(const std::vector<stack::ScanSource>& sources) {
    const bool known = sources == sources_;
    if (known && loading_) {
        return;
    }
    if (known && !volumes_.empty()) {
        emit loaded();
        return;
    }
    *cancel_ = true;
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    std::map<stack::ScanSource, volume::Volume> here;
    for (std::size_t i = 0; i < volumes_.size() && i < sources_.size(); ++i) {
        here.emplace(sources_[i], volumes_[i]);
    }
    sources_ = sources;
    volumes_.clear();
    loading_ = !sources.empty();
    if (sources.empty()) {
        return;
    }
    emit progress(tr("Opening"), -1);

    const auto cancel = cancel_;
    const auto report = [this, cancel](const scan::Progress& p) {
        QMetaObject::invokeMethod(this,
                                  [this, cancel, stage = QString::fromStdString(p.stage), f = p.fraction] {
                                      if (cancel == cancel_ && loading_) {
                                          emit progress(stage, f);
                                      }
                                  });
    };
    const auto work = [sources, here = std::move(here), cancel, report]() -> Outcome {
        Outcome outcome;
        for (const stack::ScanSource& source : sources) {
            if (const auto at = here.find(source); at != here.end()) {
                outcome.volumes.push_back(at->second);
                continue;
            }
            scan::ReadOptions options;
            options.series = source.series;
            options.volume = source.volume;
            options.progress = report;
            options.cancel = cancel.get();
            auto read = scan::readScan(source.path, options);
            if (!read) {
                outcome.error = read.error();
                return outcome;
            }
            outcome.volumes.push_back(std::move(*read));
        }
        outcome.error = gridProblem(sources, outcome.volumes);
        return outcome;
    };
    worker_.run(work, this, [this, cancel](Outcome outcome) {
        if (cancel != cancel_) {
            return;  // a newer request has replaced it
        }
        loading_ = false;
        if (outcome.error) {
            sources_.clear();
            emit failed(QString::fromStdString(outcome.error->message));
        } else {
            volumes_ = std::move(outcome.volumes);
            emit loaded();
        }
    });
}

}  // namespace highwater::desktop

#include "moc_scan_loader.cpp"
