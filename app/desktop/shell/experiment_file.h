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

    /// Restores and returns the experiment of a session, if there is one (Session::restore()). Undo brings
    /// back the unsaved experiments that it would have brought back then.
    std::optional<Session::State> restore();
    /// Opens a file. What was edited before comes back by Undo, with its file, saved or not.
    base::Status open(const QString& path);
    base::Status save(const QString& path);
    /// Takes an experiment that has no file yet (the sample, that of a run), undoably as open() does. `what`
    /// is the undo step's name: "Open the sample".
    void adopt(const QString& what, stack::Experiment experiment);

    /// Keeps the sweep that is composed beside the experiment; none if it has no axis.
    void keepSweep(const SweepChoice& sweep);

    const QString& path() const { return place_.path; }
    /// Whether the experiment differs from what was opened, adopted or saved last.
    bool unsaved() const { return unsaved_; }
    /// The title for the window: the name of the file, or of the experiment, or "untitled".
    QString title() const;
    QStringList recent() const;

signals:
    void changed();
    void opened();  ///< another experiment was opened, or came back by Undo or Redo

private:
    /// The file, and what it holds; without a file what was adopted.
    struct Place {
        QString path;
        std::optional<stack::Experiment> saved;  ///< not known of a session that was restored with changes
    };
    class Moved;
    void update();
    void remember(const QString& path);
    void moveTo(const QString& what, Place place);
    void moveTo(const QString& what, Place place, stack::Experiment experiment);
    void keep();
    ExperimentDocument& document_;
    Session& session_;
    Place place_;
    /// The unsaved experiments that Undo would bring back; shared with the undo steps, which outlive this.
    std::shared_ptr<std::vector<std::shared_ptr<const Session::Left>>> left_;
    std::optional<SweepChoice> sweep_;
    bool unsaved_ = false;
    bool empty_ = true;  ///< nothing was opened yet
    bool restoring_ = false;
};

}  // namespace highwater::desktop
