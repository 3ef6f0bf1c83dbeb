#pragma once

#include <QDialog>
#include <QTimer>
#include <vector>

#include "app/desktop/scan/picture_loader.h"
#include "core/stack/experiment.h"
#include "widgets/cases/case_values.h"

class QLabel;
class QPushButton;

namespace highwater::widgets {
class SeriesList;
class ElidedLabel;
}  // namespace highwater::widgets

namespace highwater::desktop {

struct FolderView;

/// One line of the dialog and what it stands for.
struct SeriesChoice {
    widgets::SeriesRow row;
    stack::ScanSource source;
};

/// The series and files of a folder, or files that were dropped together, to choose from: one, several as
/// the channels of one case, or the whole as a cohort. Headers and pictures are read while it is open.
class SeriesDialog : public QDialog {
    Q_OBJECT
public:
    SeriesDialog(const QString& title, std::vector<SeriesChoice> choices, QWidget* parent = nullptr);
    ~SeriesDialog() override;

    /// What else there is to say: files that are no scans.
    void setNote(const QString& note);
    /// Offers the folder as a cohort of so many cases; less than two: not.
    void offerCohort(qint64 cases);
    void selectAll();
    widgets::SeriesList& list() const { return *list_; }

signals:
    /// One scan, or several that are channels; in the list's order.
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
    widgets::SeriesList* list_;
    QLabel* note_;
    widgets::ElidedLabel* hint_;
    QPushButton *open_, *channels_, *cohort_;
    PictureLoader pictures_;
};

/// The rows of a folder: its series, its other scans, and what could not be read.
std::vector<SeriesChoice> choicesOf(const FolderView& view);
/// The rows of files that were dropped together.
std::vector<SeriesChoice> choicesOf(const QStringList& files);

}  // namespace highwater::desktop
