#include "app/desktop/study/study_worker.h"

#include <algorithm>

#include "core/hosts/connection.h"
#include "core/hosts/hosts.h"
#include "core/study/remote_runner.h"

namespace highwater::desktop {

namespace {

base::Result<study::Runner> runnerOn(runs::RunStore& store, const StudyRun& how,
                                     const std::atomic<bool>& cancel) {
    if (how.host.empty()) {
        return study::localRunner(store, how, cancel);
    }
    const auto host = hosts::findHost(hosts::hostsFile(), how.host);
    auto connection = HIGHWATER_TRY(host ? hosts::Connection::openAndWait(*host, &cancel)
                                         : base::Result<hosts::Connection>(host.error()));
    study::RemoteRun remote{how};
    remote.host = *host;
    remote.activity = how.activity;
    remote.leave = [] { return true; };  // it continues on the host, and is fetched later
    return study::remoteRunner(store, std::move(remote), std::move(connection), cancel);
}

}  // namespace

MakeRunner engineRunners(std::filesystem::path folder) {
    return [folder = std::move(folder)](const StudyRun& how,
                                        const std::atomic<bool>& cancel) -> base::Result<study::Runner> {
        auto opened = HIGHWATER_TRY(runs::RunStore::open(folder));
        auto store = std::make_shared<runs::RunStore>(std::move(opened));
        auto made = HIGHWATER_TRY(runnerOn(*store, how, cancel));
        return study::Runner([store, runner = std::move(made)](const study::Subject& subject, int repeat) {
            return runner(subject, repeat);
        });
    };
}

StudyWorker::StudyWorker(Store& store, QObject* parent)
    : QObject(parent), store_(store), make_(engineRunners(store.folder())) {}

StudyWorker::~StudyWorker() {
    if (job_) {
        job_->cancel_ = true;
    }
}

void StudyWorker::Job::post(QPointer<QObject> guard, std::function<void()> act) {
    QMetaObject::invokeMethod(
        qApp,
        [guard = std::move(guard), act = std::move(act)] {
            if (guard) {
                act();
            }
        },
        Qt::QueuedConnection);
}

base::Result<study::Runner> StudyWorker::Job::runner(StudyRun how) {
    if (!how.host.empty()) {
        say(tr("connecting to %1").arg(QString::fromStdString(how.host)), 0);
    }
    how.activity = [this](const std::string& activity) {
        if (const QString now = QString::fromStdString(activity); now != activity_) {
            activity_ = now;
            tell(now.isEmpty() ? begun_ : tr("%1 · %2").arg(begun_, now), 0);
        }
    };
    return make_(how, cancel_);
}

void StudyWorker::Job::say(const QString& what, double fraction) {
    begun_ = what;
    tell(what, fraction);
}

void StudyWorker::Job::tell(const QString& what, double fraction) {
    post(QPointer<QObject>(worker_.data()),
         [worker = worker_.data(), what, fraction] { worker->take(what, fraction); });
}

bool StudyWorker::start(std::function<void(Job&)> work, std::function<void(bool cancelled)> done) {
    if (running()) {
        return false;
    }
    job_ = std::make_shared<Job>();
    job_->worker_ = this;
    job_->make_ = make_;
    what_ = tr("starting");
    fraction_ = 0;
    thread_.run(
        [job = job_, work = std::move(work)] {
            work(*job);
            return true;
        },
        this,
        [this, done = std::move(done)](bool) {
            const bool cancelled = job_->cancel_;
            job_.reset();
            store_.refresh();
            done(cancelled);
            emit stateChanged();
        });
    emit stateChanged();
    return true;
}

void StudyWorker::cancel() {
    if (!job_ || job_->cancel_.exchange(true)) {
        return;
    }
    emit stateChanged();
}

void StudyWorker::take(const QString& what, double fraction) {
    what_ = what;
    fraction_ = std::max(fraction_, fraction);  // estimated again for every run, but never decreases
    store_.refresh();                           // the previous run has ended
    emit progressed();
}

}  // namespace highwater::desktop

#include "moc_study_worker.cpp"
