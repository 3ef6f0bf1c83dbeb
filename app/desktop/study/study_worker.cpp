#include "app/desktop/study/study_worker.h"

#include <algorithm>

namespace highwater::desktop {

MakeRunner localRunners(std::filesystem::path folder) {
    return [folder = std::move(folder)](const study::LocalRun& how,
                                        const std::atomic<bool>& cancel) -> base::Result<study::Runner> {
        auto opened = runs::RunStore::open(folder);
        if (!opened) {
            return opened.error();
        }
        auto store = std::make_shared<runs::RunStore>(std::move(*opened));
        study::Runner runner = study::localRunner(*store, how, cancel);
        return study::Runner([store, runner = std::move(runner)](const study::Subject& subject, int repeat) {
            return runner(subject, repeat);
        });
    };
}

StudyWorker::StudyWorker(Store& store, QObject* parent)
    : QObject(parent), store_(store), make_(localRunners(store.folder())) {}

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

void StudyWorker::Job::say(const QString& what, double fraction) {
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
    fraction_ = std::max(fraction_, fraction);  // it is estimated anew with every run, and is not taken back
    store_.refresh();                           // the run before it has ended
    emit progressed();
}

}  // namespace highwater::desktop

#include "moc_study_worker.cpp"
