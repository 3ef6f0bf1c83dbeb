#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "app/desktop/experiment/session.h"
#include "core/base/result.h"
#include "widgets/stack/document.h"

namespace highwater::desktop {

/// Where the document's experiment lives on disk: opening, saving, recent files, and the session that
/// survives a crash.
class ExperimentFile : public QObject {
    Q_OBJECT
public:
    ExperimentFile(widgets::ExperimentDocument& document, Session& session, QObject* parent = nullptr);

    /// The last session's experiment, if there is one.
    std::optional<Session::State> restore();
    base::Status open(const QString& path);
    base::Status save(const QString& path);
    /// An experiment that has no file yet (a preset, the sample, a run's).
    void adopt(stack::Experiment experiment);

    const QString& path() const { return path_; }
    bool unsaved() const { return unsaved_; }
    /// For the window's title: the file's name, or the experiment's, or "untitled".
    QString title() const;
    QStringList recent() const;

signals:
    void changed();
    void opened();  ///< another experiment than before

private:
    void update();
    void remember(const QString& path);
    widgets::ExperimentDocument& document_;
    Session& session_;
    QString path_;
    bool unsaved_ = false;
    bool forcedUnsaved_ = false;  // restored with changes that no undo step knows of
};

}  // namespace highwater::desktop
