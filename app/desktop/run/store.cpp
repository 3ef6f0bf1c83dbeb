#include "app/desktop/run/store.h"

#include <algorithm>
#include <utility>

#include "app/desktop/run/lock_holder.h"
#include "core/predict/tables/contexts.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr int kSlowMs = 1000;

bool isRunning(const runs::RunSummary& row) {
    return row.status == wire::RunStatus::Running;
}

/// A measured size of a GPU's context is used by later predictions.
void keepContextOf(const runs::RunStore& store, const std::string& id) {
    const auto record = store.load(id);
    const auto device = record ? record->result.deviceAtPeak : std::nullopt;
    if (device && device->contextKnown && device->context > 0) {
        const wire::Environment& on = record->result.environment;
        (void)predict::keepMeasuredContext(on.deviceName, on.memoryBytes, device->context).ok();
    }
}

}  // namespace

Store::Store(std::filesystem::path folder, QObject* parent) : QObject(parent), folder_(std::move(folder)) {
    others_.setInterval(2000);
    connect(&others_, &QTimer::timeout, this, &Store::refresh);
    changed_.setSingleShot(true);
    changed_.setInterval(500);
    connect(&changed_, &QTimer::timeout, this, &Store::refresh);
    slow_.setInterval(kSlowMs);
    connect(&slow_, &QTimer::timeout, this, &Store::lookForHolder);
    unknown_ = tr("Reading the runs in %1…").arg(widgets::fromUtf8(folder_.string()));
    folderWatch_.moveToThread(&watching_);
    watching_.start();
    connect(&folderWatch_, &QFileSystemWatcher::directoryChanged, &changed_, qOverload<>(&QTimer::start));
}

Store::~Store() {
    watching_.quit();
    watching_.wait();
}

base::Result<runs::RunStore>& Store::opened() {
    if (!store_ || !*store_) {
        store_ = std::make_shared<base::Result<runs::RunStore>>(
            runs::RunStore::open(folder_, [this](const std::string& what) { waits_ = !what.empty(); }));
    }
    return *store_;
}

base::Result<Store::List> Store::list() {
    auto& store = opened();
    if (!store) {
        return store.error();
    }
    auto rows = HIGHWATER_TRY(store->list());
    List list{std::move(rows), {}, store->note()};
    if (std::any_of(list.rows.begin(), list.rows.end(), isRunning)) {
        if (auto active = store->active()) {
            list.active = std::move(*active);
        }
    }
    return list;
}

template <class Work, class Then>
void Store::ask(Work work, Then then) {
    if (pending_++ == 0) {
        slow_.start();
    }
    worker_.run(std::move(work), this, [this, then = std::move(then)](auto answer) mutable {
        setHeldBy({});
        --pending_ > 0 ? slow_.start() : slow_.stop();
        then(std::move(answer));
    });
}

/// The lock may be held by several programs one after the other, and the system does not always say which.
void Store::lookForHolder() {
    const QString holder = lockHolder();
    setHeldBy(holder.isEmpty() && waits_ ? tr("another program") : holder);
    if (!known_) {
        const QString folder = widgets::fromUtf8(folder_.string());
        setUnknown(heldBy_.isEmpty()
                       ? tr("Waiting for the run store: %1").arg(folder)
                       : tr("Waiting for %1, which has locked the run store:\n%2").arg(heldBy_, folder));
    }
}

bool Store::heldUp() const {
    return pending_ > 0 && (waits_ || !lockHolder().isEmpty());
}

void Store::setUnknown(const QString& unknown) {
    if (std::exchange(unknown_, unknown) != unknown) {
        emit unknownChanged();
    }
}

void Store::setHeldBy(const QString& holder) {
    if (std::exchange(heldBy_, holder) != holder) {
        emit heldByChanged();
    }
}

void Store::setNote(const QString& note) {
    if (std::exchange(note_, note) != note) {
        emit noteChanged();
    }
}

void Store::refresh() {
    const bool reopen = others_.isActive();  // opening settles runs whose engine is gone
    ask(
        [this, reopen] {
            if (reopen) {
                store_.reset();
            }
            return list();
        },
        [this](base::Result<List> list) {
            listed_ = true;
            if (!list) {
                if (!known_) {
                    setUnknown(
                        tr("The runs could not be read: %1").arg(widgets::fromUtf8(list.error().message)));
                }
                emit notListed(widgets::fromUtf8(list.error().message));
                return;
            }
            known_ = true;
            setUnknown({});
            if (!std::exchange(watched_, true)) {
                QMetaObject::invokeMethod(&folderWatch_, [this] {
                    folderWatch_.addPath(QString::fromStdString((folder_ / "runs").string()));
                });
            }
            rows_ = std::move(list->rows);
            active_ = std::move(list->active);
            const bool running = std::any_of(rows_.begin(), rows_.end(), isRunning);
            running ? others_.start() : others_.stop();
            emit rowsChanged();
            setNote(widgets::fromUtf8(list->note));
        });
}

void Store::create(const stack::Experiment& experiment, const std::string& device,
                   std::function<void(base::Result<std::filesystem::path>)> then) {
    using Folder = base::Result<std::filesystem::path>;
    ask(
        [this, experiment, device]() -> Folder {
            auto& store = opened();
            return store ? store->create(experiment, device) : Folder(store.error());
        },
        std::move(then));
}

void Store::settle(const std::string& id, int exitCode, const std::string& errorText,
                   std::function<void(base::Result<runs::RunSummary>)> then) {
    using Summary = base::Result<runs::RunSummary>;
    ask(
        [this, id, exitCode, errorText]() -> Summary {
            auto& store = opened();
            if (!store) {
                return store.error();
            }
            auto summary = store->settle(id, exitCode, errorText);
            if (summary && summary->host.empty() && summary->device != "cpu") {
                keepContextOf(*store, id);
            }
            return summary;
        },
        std::move(then));
}

void Store::takeOver(const std::string& id,
                     std::function<void(base::Result<std::optional<runs::TakenRun>>)> then) {
    using Taken = base::Result<std::optional<runs::TakenRun>>;
    ask(
        [this, id]() -> Taken {
            auto& store = opened();
            return store ? store->takeOver(id) : Taken(store.error());
        },
        std::move(then));
}

void Store::giveUp(const std::string& id, std::function<void(base::Result<runs::RunSummary>)> then) {
    using Summary = base::Result<runs::RunSummary>;
    ask(
        [this, id]() -> Summary {
            auto& store = opened();
            return store ? store->giveUp(id) : Summary(store.error());
        },
        std::move(then));
}

void Store::measuredByOthers(std::function<void(std::optional<runs::ActiveRun>)> then) {
    ask(
        [this]() -> std::optional<runs::ActiveRun> {
            const auto found = list();
            if (!found) {
                return std::nullopt;  // reported when a run is created in the store
            }
            const auto other =
                std::find_if(found->active.begin(), found->active.end(), [](const runs::ActiveRun& run) {
                    return run.host.empty() && run.followedBy != runs::ActiveRun::FollowedBy::ThisProcess;
                });
            return other == found->active.end() ? std::nullopt : std::optional(*other);
        },
        std::move(then));
}

void Store::load(const std::vector<std::string>& ids,
                 std::function<void(base::Result<std::vector<runs::RunRecord>>)> then) {
    using Records = base::Result<std::vector<runs::RunRecord>>;
    ask(
        [this, ids]() -> Records {
            auto& store = opened();
            if (!store) {
                return store.error();
            }
            std::vector<runs::RunRecord> records;
            for (const std::string& id : ids) {
                auto record = HIGHWATER_TRY(store->load(id));
                records.push_back(std::move(record));
            }
            return records;
        },
        std::move(then));
}

void Store::losses(const std::vector<std::string>& ids, std::function<void(std::vector<runs::Losses>)> then) {
    ask(
        [folder = folder_, ids] {
            std::vector<runs::Losses> all;
            for (const std::string& id : ids) {
                all.push_back(runs::readLosses(folder / "runs" / id));
            }
            return all;
        },
        std::move(then));
}

void Store::label(const std::vector<std::string>& ids, const runs::LabelChange& change,
                  std::function<void(const std::string& problem)> then) {
    struct Done {
        std::vector<runs::RunSummary> rows;
        std::string problem;
    };
    ask(
        [this, ids, change]() -> Done {
            Done done;
            auto& store = opened();
            for (const std::string& id : ids) {
                auto row = store ? store->label(id, change) : base::Result<runs::RunSummary>(store.error());
                if (!row) {
                    done.problem = row.error().message;
                    break;
                }
                done.rows.push_back(std::move(*row));
            }
            return done;
        },
        [this, then = std::move(then)](Done done) {
            for (runs::RunSummary& row : done.rows) {
                const auto at = std::find_if(rows_.begin(), rows_.end(),
                                             [&](const runs::RunSummary& old) { return old.id == row.id; });
                if (at != rows_.end()) {
                    *at = std::move(row);
                }
            }
            emit rowsChanged();
            then(done.problem);
        });
}

void Store::remove(const std::vector<std::string>& ids) {
    using Problem = std::optional<std::string>;
    ask(
        [this, ids]() -> Problem {
            auto& store = opened();
            if (!store) {
                return store.error().message;
            }
            for (const std::string& id : ids) {
                if (const auto removed = store->remove(id); !removed) {
                    return removed.error().message;
                }
            }
            return {};
        },
        [this](Problem problem) {
            if (problem) {
                emit failed(widgets::fromUtf8(*problem));
            }
            refresh();
        });
}

}  // namespace highwater::desktop

#include "moc_store.cpp"
