#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <vector>

#include "app/desktop/experiment/stack/document.h"
#include "app/desktop/shell/session.h"
#include "core/base/result.h"

namespace highwater::desktop {

/// The file of the document's experiment: opening, saving, recent files, and the session that survives a
/// crash.
class ExperimentFile : public QObject {
    Q_OBJECT
public:
    ExperimentFile(ExperimentDocument& document, Session& session, QObject* parent = nullptr);

    /// Restores and returns the experiment of a session, if there is one (Session::restore()). The unsaved
    /// experiments that Undo could restore then can be restored again.
    std::optional<Session::State> restore();
    /// Opens a file. Undo restores the previous experiment and its file, whether it was saved or not.
    base::Status open(const QString& path);
    base::Status save(const QString& path);
    /// Sets an experiment that has no file yet (the sample, or that of a run), undoable like open(). `what`
    /// is the undo step's name: "Open the sample".
    void adopt(const QString& what, stack::Experiment experiment);

    /// Stores the sweep that is being composed beside the experiment; a sweep without axes is not stored.
    void keepSweep(const SweepChoice& sweep);

    const QString& path() const { return place_.path; }
    /// Whether the experiment differs from the one opened, adopted or saved last.
    bool unsaved() const { return unsaved_; }
    /// The title for the window: the name of the file, or of the experiment, or "untitled".
    QString title() const;
    QStringList recent() const;
    /// Adds a file to the recent ones: open() and save() do this, after adopt() of an import the caller does.
    void remember(const QString& path);

signals:
    void changed();
    void opened();  ///< another experiment was opened, or restored by Undo or Redo

private:
    /// The file and its contents; without a file, the adopted experiment.
    struct Place {
        QString path;
        std::optional<stack::Experiment> saved;  ///< unknown if a session was restored with changes
    };
    class Moved;
    void update();
    void moveTo(const QString& what, Place place);
    void moveTo(const QString& what, Place place, stack::Experiment experiment);
    void keep();
    ExperimentDocument& document_;
    Session& session_;
    Place place_;
    /// The unsaved experiments that Undo would restore; shared with the undo steps, which outlive this
    /// object.
    std::shared_ptr<std::vector<std::shared_ptr<const Session::Left>>> left_;
    std::optional<SweepChoice> sweep_;
    bool unsaved_ = false;
    bool empty_ = true;  ///< nothing has been opened yet
    bool restoring_ = false;
};

}  // namespace highwater::desktop
