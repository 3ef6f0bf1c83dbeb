#include "app/desktop/trace/trace_loader.h"

#include <QFileInfo>

#include "core/runs/trace_store.h"

namespace highwater::desktop {

namespace {

using Size = base::Result<TraceSize>;
using Loaded = base::Result<std::shared_ptr<const memory::Trace>>;

using Opened = base::Result<std::shared_ptr<const ShownSnapshot>>;

Size sizeOf(const TraceSource& source) {
    auto info = HIGHWATER_TRY(runs::inspectTrace(source.path));
    return TraceSize{info.events, info.peak, std::move(info.steps), info.complete};
}

Opened openedSnapshot(const TraceSource& source, const capture::SnapshotRequest& request,
                      const capture::Progress& progress) {
    auto snapshot = HIGHWATER_TRY(capture::openSnapshot(source.path, request, progress));
    return std::make_shared<const ShownSnapshot>(shownSnapshot(std::move(snapshot), source.title));
}

Loaded read(const TraceSource& source, std::optional<capture::Range> range,
            const capture::Progress& progress) {
    if (source.kind == TraceSource::Kind::Snapshot) {
        const auto snapshot = HIGHWATER_TRY(openedSnapshot(source, {{}, range}, progress));
        return snapshot->trace ? Loaded(snapshot->trace)
                               : base::Error{"the snapshot has no allocation history"};
    }
    std::optional<runs::TraceRange> part;
    if (range) {
        part = runs::TraceRange{range->first, range->count};
    }
    auto trace = HIGHWATER_TRY(runs::readTrace(source.path, part, progress));
    if (!source.title.isEmpty()) {
        trace.title = source.title.toStdString();
    }
    return std::make_shared<const memory::Trace>(std::move(trace));
}

}  // namespace

TraceSource traceSource(const QString& path) {
    const QFileInfo info(path);
    TraceSource source;
    source.kind = info.isDir() ? TraceSource::Kind::Run : TraceSource::Kind::Snapshot;
    source.path = path.toStdString();
    source.title = info.fileName();
    return source;
}

TraceLoader::TraceLoader(QObject* parent) : QObject(parent), job_(pool_) {
    pool_.setMaxThreadCount(1);
}

TraceLoader::~TraceLoader() {
    job_.cancel();
    pool_.waitForDone();
}

capture::Progress TraceLoader::reportTo(const widgets::LatestJob::Cancel& cancel) {
    return [this, cancel, last = -1.0](double fraction) mutable {
        if (fraction >= last + 0.01 || fraction < last) {
            last = fraction;
            QMetaObject::invokeMethod(this, [this, cancel, fraction] {
                if (!*cancel && job_.busy()) {
                    emit progress(fraction);
                }
            });
        }
        return !*cancel;
    };
}

void TraceLoader::inspect(const TraceSource& source) {
    job_.run([source](const widgets::LatestJob::Cancel&) { return sizeOf(source); },
             [this](Size size) {
                 if (size) {
                     emit inspected(*size);
                 } else {
                     emit failed(QString::fromStdString(size.error().message));
                 }
             });
}

void TraceLoader::open(const TraceSource& source, const capture::SnapshotRequest& request) {
    job_.run(
        [this, source, request](const widgets::LatestJob::Cancel& cancel) {
            return openedSnapshot(source, request, reportTo(cancel));
        },
        [this](Opened snapshot) {
            if (snapshot) {
                emit opened(*snapshot);
            } else {
                emit failed(QString::fromStdString(snapshot.error().message));
            }
        });
}

void TraceLoader::load(const TraceSource& source, std::optional<capture::Range> range) {
    job_.run([this, source, range](
                 const widgets::LatestJob::Cancel& cancel) { return read(source, range, reportTo(cancel)); },
             [this](Loaded trace) {
                 if (trace) {
                     emit loaded(*trace);
                 } else {
                     emit failed(QString::fromStdString(trace.error().message));
                 }
             });
}

void TraceLoader::cancel() {
    job_.cancel();
}

}  // namespace highwater::desktop

#include "moc_trace_loader.cpp"
