#include "app/desktop/experiment/experiment_file.h"

#include <QFileInfo>
#include <QSettings>

#include "core/stack/json/json.h"

namespace highwater::desktop {

namespace {
constexpr auto kRecentKey = "files/recent";
constexpr int kMostRecent = 10;
}  // namespace

ExperimentFile::ExperimentFile(widgets::ExperimentDocument& document, Session& session, QObject* parent)
    : QObject(parent), document_(document), session_(session) {
    connect(&document_, &widgets::ExperimentDocument::changed, this, &ExperimentFile::update);
    connect(&document_.undoStack(), &QUndoStack::cleanChanged, this, &ExperimentFile::update);
}

std::optional<Session::State> ExperimentFile::restore() {
    auto state = session_.restore();
    if (!state) {
        return state;
    }
    path_ = state->file;
    forcedUnsaved_ = state->unsaved;
    document_.reset(state->experiment);
    update();
    emit opened();
    return state;
}

base::Status ExperimentFile::open(const QString& path) {
    auto experiment = stack::loadExperiment(path.toStdString());
    if (!experiment) {
        return experiment.error();
    }
    path_ = QFileInfo(path).absoluteFilePath();
    forcedUnsaved_ = false;
    document_.reset(std::move(*experiment));
    remember(path_);
    update();
    emit opened();
    return {};
}

base::Status ExperimentFile::save(const QString& path) {
    if (auto saved = stack::saveExperiment(document_.experiment(), path.toStdString()); !saved) {
        return saved;
    }
    path_ = QFileInfo(path).absoluteFilePath();
    forcedUnsaved_ = false;
    document_.undoStack().setClean();
    remember(path_);
    update();
    return {};
}

void ExperimentFile::adopt(stack::Experiment experiment) {
    path_.clear();
    forcedUnsaved_ = false;
    document_.reset(std::move(experiment));
    update();
    emit opened();
}

void ExperimentFile::update() {
    unsaved_ = forcedUnsaved_ || !document_.undoStack().isClean();
    session_.keep(document_.experiment(), path_, unsaved_);
    emit changed();
}

QString ExperimentFile::title() const {
    if (!path_.isEmpty()) {
        return QFileInfo(path_).fileName();
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
