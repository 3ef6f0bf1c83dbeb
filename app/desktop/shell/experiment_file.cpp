#include "app/desktop/shell/experiment_file.h"

#include <QFileInfo>
#include <QSettings>
#include <QUndoCommand>
#include <utility>
#include <vector>

#include "core/stack/json/json.h"

namespace highwater::desktop {

namespace {
constexpr auto kRecentKey = "files/recent";
constexpr int kMostRecent = 10;
constexpr std::size_t kMostLeft = 20;  ///< all of them are written at each edit
}  // namespace

/// The undo command that restores the file which was open at that time.
class ExperimentFile::Moved : public QUndoCommand {
public:
    Moved(ExperimentFile& file, QString what, Place before, Place after)
        : file_(file),
          all_(file.left_),
          what_(std::move(what)),
          before_(std::move(before)),
          after_(std::move(after)) {}
    ~Moved() override { std::erase(*all_, left_); }
    void undo() override {
        std::erase(*all_, left_);
        go(before_, after_);
    }
    void redo() override {
        left_ = nullptr;
        if (file_.unsaved_) {
            left_ =
                std::make_shared<const Session::Left>(what_, file_.place_.path, file_.document_.experiment());
            all_->push_back(left_);
            if (all_->size() > kMostLeft) {
                all_->erase(all_->begin());
            }
        }
        go(after_, before_);
    }

private:
    /// The experiment being left may have been saved since, perhaps under another name.
    void go(const Place& to, Place& left) {
        if (std::exchange(first_, false)) {
            file_.place_ = to;
            return;
        }
        left = file_.place_;
        file_.place_ = to;
        // The experiment itself is restored after this.
        QMetaObject::invokeMethod(&file_, &ExperimentFile::opened, Qt::QueuedConnection);
    }
    ExperimentFile& file_;
    decltype(ExperimentFile::left_) all_;
    std::shared_ptr<const Session::Left> left_;  ///< what this step replaced, if it was unsaved
    QString what_;
    Place before_, after_;
    bool first_ = true;
};

ExperimentFile::ExperimentFile(ExperimentDocument& document, Session& session, QObject* parent)
    : QObject(parent),
      document_(document),
      session_(session),
      left_(std::make_shared<std::vector<std::shared_ptr<const Session::Left>>>()) {
    connect(&document_, &ExperimentDocument::changed, this, &ExperimentFile::update);
}

std::optional<Session::State> ExperimentFile::restore() {
    auto state = HIGHWATER_TRY_OR(std::nullopt, session_.restore());
    empty_ = false;
    sweep_ = state.sweep;
    restoring_ = true;  // the session must not shrink before it is restored completely
    const Place place{state.file, state.unsaved ? std::nullopt : std::optional(state.experiment)};
    place_ = state.left.empty() ? place : Place{state.left.front()->file, {}};
    document_.reset(state.left.empty() ? state.experiment : state.left.front()->experiment);
    for (std::size_t i = 0; i < state.left.size(); ++i) {
        const bool last = i + 1 == state.left.size();
        moveTo(state.left[i]->what, last ? place : Place{state.left[i + 1]->file, {}},
               last ? state.experiment : state.left[i + 1]->experiment);
    }
    restoring_ = false;
    keep();
    emit opened();
    return state;
}

base::Status ExperimentFile::open(const QString& path) {
    auto experiment = HIGHWATER_TRY(stack::loadExperiment(path.toStdString()));
    const QFileInfo file(path);
    remember(file.absoluteFilePath());
    moveTo(tr("Open %1").arg(file.fileName()), {file.absoluteFilePath(), std::move(experiment)});
    return {};
}

base::Status ExperimentFile::save(const QString& path) {
    HIGHWATER_TRY(stack::saveExperiment(document_.experiment(), path.toStdString()));
    place_ = {QFileInfo(path).absoluteFilePath(), document_.experiment()};
    remember(place_.path);
    update();
    return {};
}

void ExperimentFile::adopt(const QString& what, stack::Experiment experiment) {
    moveTo(what, {{}, std::move(experiment)});
}

void ExperimentFile::moveTo(const QString& what, Place place) {
    stack::Experiment experiment = *place.saved;
    moveTo(what, std::move(place), std::move(experiment));
}

void ExperimentFile::moveTo(const QString& what, Place place, stack::Experiment experiment) {
    if (std::exchange(empty_, false)) {  // there is nothing to undo to
        place_ = std::move(place);
        document_.reset(std::move(experiment));
    } else {
        auto moved = std::make_unique<Moved>(*this, what, place_, std::move(place));
        document_.replace(what, std::move(experiment), std::move(moved));
    }
    emit opened();
}

void ExperimentFile::update() {
    unsaved_ = !place_.saved || *place_.saved != document_.experiment();
    keep();
    emit changed();
}

void ExperimentFile::keep() {
    if (!restoring_) {
        session_.keep({document_.experiment(), place_.path, unsaved_, false, *left_, sweep_});
    }
}

void ExperimentFile::keepSweep(const SweepChoice& sweep) {
    sweep_ = sweep.axes.empty() ? std::nullopt : std::optional(sweep);
    keep();
}

QString ExperimentFile::title() const {
    if (!place_.path.isEmpty()) {
        return QFileInfo(place_.path).fileName();
    }
    const QString name = QString::fromStdString(document_.experiment().name);
    return name.isEmpty() ? tr("untitled") : name;
}

QStringList ExperimentFile::recent() const {
    QStringList files = QSettings().value(kRecentKey).toStringList();
    files.removeIf([](const QString& file) { return !QFileInfo::exists(file); });
    return files;
}

void ExperimentFile::remember(const QString& file) {
    const QString path = QFileInfo(file).absoluteFilePath();
    QStringList files = QSettings().value(kRecentKey).toStringList();
    files.removeAll(path);
    files.prepend(path);
    while (files.size() > kMostRecent) {
        files.removeLast();
    }
    QSettings().setValue(kRecentKey, files);
}

}  // namespace highwater::desktop

#include "moc_experiment_file.cpp"
