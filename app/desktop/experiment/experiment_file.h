#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "app/desktop/experiment/session.h"
#include "core/base/result.h"
#include "widgets/stack/document.h"

namespace highwater::desktop {

/// The file of the document's experiment: opening, saving, recent files, and the session that survives a
/// crash.
class ExperimentFile : public QObject {
    Q_OBJECT
public:
    ExperimentFile(widgets::ExperimentDocument& document, Session& session, QObject* parent = nullptr);

    /// Restores and returns the experiment of the last session, if there is one.
    std::optional<Session::State> restore();
    base::Status open(const QString& path);
    base::Status save(const QString& path);
    /// Takes an experiment that has no file yet (a preset, the sample, that of a run).
    void adopt(stack::Experiment experiment);

    const QString& path() const { return path_; }
    bool unsaved() const { return unsaved_; }
    /// The title for the window: the name of the file, or of the experiment, or "untitled".
    QString title() const;
    QStringList recent() const;

signals:
    void changed();
    void opened();  ///< another experiment was opened

private:
    void update();
    void remember(const QString& path);
    widgets::ExperimentDocument& document_;
    Session& session_;
    QString path_;
    bool unsaved_ = false;
    bool forcedUnsaved_ = false;  // restored with unsaved changes that are not in the undo history
};

}  // namespace highwater::desktop
