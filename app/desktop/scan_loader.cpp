#include "app/desktop/scan_loader.h"

#include <filesystem>

#include "core/scan/phantom_client.h"
#include "core/scan/scan_client.h"

namespace highwater::desktop {

struct ScanLoader::Outcome {
    std::vector<volume::Volume> volumes;
    std::optional<base::Error> error;
};

ScanLoader::ScanLoader(QObject* parent)
    : QObject(parent), cancel_(std::make_shared<std::atomic<bool>>(false)) {}

ScanLoader::~ScanLoader() {
    *cancel_ = true;
}

void ScanLoader::load(const std::vector<std::string>& paths, std::int64_t volume) {
    begin(paths, volume, false);
}

void ScanLoader::loadPhantom(const std::string& path) {
    begin({path}, 0, true);
}

void ScanLoader::cancel() {
    *cancel_ = true;
}

void ScanLoader::begin(std::vector<std::string> paths, std::int64_t volume, bool phantom) {
    const bool known = paths == paths_ && volume == volume_;
    if (known && loading_)
        return;
    if (known && !volumes_.empty()) {
        emit loaded();
        return;
    }
    *cancel_ = true;
    cancel_ = std::make_shared<std::atomic<bool>>(false);
    paths_ = paths;
    volume_ = volume;
    volumes_.clear();
    loading_ = !paths.empty();
    if (paths.empty())
        return;
    emit progress(tr("Opening"), -1);

    const auto cancel = cancel_;
    const auto report = [this, cancel](const scan::Progress& p) {
        QMetaObject::invokeMethod(this,
                                  [this, cancel, stage = QString::fromStdString(p.stage), f = p.fraction] {
                                      if (cancel == cancel_ && loading_)
                                          emit progress(stage, f);
                                  });
    };
    const auto work = [paths, volume, phantom, cancel, report]() -> Outcome {
        Outcome outcome;
        std::error_code ignored;
        if (phantom && !std::filesystem::exists(paths[0], ignored)) {
            std::filesystem::create_directories(std::filesystem::path(paths[0]).parent_path(), ignored);
            if (const auto written = scan::writePhantom(paths[0], 1, report, cancel.get()); !written) {
                outcome.error = written.error();
                return outcome;
            }
        }
        for (const std::string& path : paths) {
            scan::ReadOptions options;
            options.volume = volume;
            options.progress = report;
            options.cancel = cancel.get();
            auto read = scan::readScan(path, options);
            if (!read) {
                outcome.error = read.error();
                return outcome;
            }
            outcome.volumes.push_back(std::move(*read));
        }
        return outcome;
    };
    worker_.run(work, this, [this, cancel](Outcome outcome) {
        if (cancel != cancel_)
            return;  // a newer request has taken over
        loading_ = false;
        if (outcome.error) {
            paths_.clear();
            emit failed(QString::fromStdString(outcome.error->message));
        } else {
            volumes_ = std::move(outcome.volumes);
            emit loaded();
        }
    });
}

}  // namespace highwater::desktop
