#include "app/desktop/experiment/experiment_file.h"

#include <QFileInfo>
#include <QSettings>
#include <QUndoCommand>
#include <utility>

#include "core/stack/json/json.h"

namespace highwater::desktop {

namespace {
constexpr auto kRecentKey = "files/recent";
constexpr int kMostRecent = 10;
}  // namespace

/// Undo and Redo go back to the file that was open then.
class ExperimentFile::Moved : public QUndoCommand {
public:
    Moved(ExperimentFile& file, Place before, Place after)
        : file_(file), before_(std::move(before)), after_(std::move(after)) {}
    void undo() override { go(before_, after_); }
    void redo() override { go(after_, before_); }

private:
    /// What is left may have been saved meanwhile, under another name too.
    void go(const Place& to, Place& left) {
        if (std::exchange(first_, false)) {
            file_.place_ = to;
            return;
        }
        left = file_.place_;
        file_.place_ = to;
        // The experiment itself comes after this.
        QMetaObject::invokeMethod(&file_, &ExperimentFile::opened, Qt::QueuedConnection);
    }
    ExperimentFile& file_;
    Place before_, after_;
    bool first_ = true;
};

ExperimentFile::ExperimentFile(widgets::ExperimentDocument& document, Session& session, QObject* parent)
    : QObject(parent), document_(document), session_(session) {
    connect(&document_, &widgets::ExperimentDocument::changed, this, &ExperimentFile::update);
}

std::optional<Session::State> ExperimentFile::restore() {
    auto state = session_.restore();
    if (!state) {
        return state;
    }
    place_ = {state->file, state->unsaved ? std::nullopt : std::optional(state->experiment)};
    empty_ = false;
    document_.reset(state->experiment);
    emit opened();
    return state;
}

base::Status ExperimentFile::open(const QString& path) {
    auto experiment = stack::loadExperiment(path.toStdString());
    if (!experiment) {
        return experiment.error();
    }
    const QFileInfo file(path);
    remember(file.absoluteFilePath());
    moveTo(tr("Open %1").arg(file.fileName()), {file.absoluteFilePath(), std::move(*experiment)});
    return {};
}

base::Status ExperimentFile::save(const QString& path) {
    if (auto saved = stack::saveExperiment(document_.experiment(), path.toStdString()); !saved) {
        return saved;
    }
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
    if (std::exchange(empty_, false)) {  // there is nothing to come back to
        place_ = std::move(place);
        document_.reset(std::move(experiment));
    } else {
        auto moved = std::make_unique<Moved>(*this, place_, std::move(place));
        document_.replace(what, std::move(experiment), std::move(moved));
    }
    emit opened();
}

void ExperimentFile::update() {
    unsaved_ = !place_.saved || *place_.saved != document_.experiment();
    session_.keep(document_.experiment(), place_.path, unsaved_);
    emit changed();
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

void ExperimentFile::remember(const QString& path) {
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
