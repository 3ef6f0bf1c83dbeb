#pragma once

#include <QDialog>
#include <QTimer>
#include <vector>

#include "app/desktop/scan/cases/case_values.h"
#include "app/desktop/scan/picture_loader.h"
#include "core/stack/experiment.h"

class QLabel;
class QPushButton;

namespace highwater::widgets {
class ElidedLabel;
}
namespace highwater::desktop {

struct FolderView;
class SeriesList;

/// One row of the dialog and its source.
struct SeriesChoice {
    SeriesRow row;
    stack::ScanSource source;
};

/// A dialog to choose from the series and files of a folder, or from files that were dropped together: one of
/// them, several as the channels of one case, or the whole folder as a cohort. Headers and pictures are read
/// while it is open.
class SeriesDialog : public QDialog {
    Q_OBJECT
public:
    SeriesDialog(const QString& title, std::vector<SeriesChoice> choices, QWidget* parent = nullptr);
    ~SeriesDialog() override;

    /// An additional note, for example about files that are not scans.
    void setNote(const QString& note);
    /// Offers to open the folder as a cohort of this many cases. Does not offer it for fewer than two.
    void offerCohort(qint64 cases);
    void selectAll();
    SeriesList& list() const { return *list_; }

signals:
    /// The chosen scan, or several as channels, in the order of the list.
    void opened(const std::vector<highwater::stack::ScanSource>& sources);
    void cohortRequested();

private:
    QLayout* makeButtons();
    void openSelected();
    void openChannels();
    void refresh();
    void wantPictures();
    const SeriesChoice* choice(const QString& id) const;
    std::vector<SeriesChoice> choices_;
    SeriesList* list_;
    QLabel* note_;
    widgets::ElidedLabel* hint_;
    QPushButton *open_, *channels_, *cohort_;
    PictureLoader pictures_;
};

/// The rows of a folder: its series, its other scans, and files that could not be read.
std::vector<SeriesChoice> choicesOf(const FolderView& view);
/// The rows of files that were dropped together.
std::vector<SeriesChoice> choicesOf(const QStringList& files);

}  // namespace highwater::desktop
