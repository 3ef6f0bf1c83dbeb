#include "app/desktop/scan/cases/cohort_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QShortcut>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "app/desktop/scan/cases/cohort_table.h"
#include "app/desktop/scan/cases/cohort_values.h"
#include "app/desktop/scan/cases/proposal_box.h"
#include "app/desktop/scan/cases/warning_line.h"
#include "app/desktop/scan/scan_sources.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/controls/undo_keys.h"
#include "widgets/help/docs_window.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr auto kGeometry = "cohort/geometry";
constexpr auto kSplitter = "cohort/splitter";

QString droppedFolder(const QMimeData* data) {
    const auto urls = data->urls();
    if (urls.size() != 1 || !QFileInfo(urls.front().toLocalFile()).isDir()) {
        return {};
    }
    return urls.front().toLocalFile();
}

}  // namespace

CohortWindow::CohortWindow(ExperimentDocument& document, Around around, CohortProposal::Propose propose)
    : document_(document),
      around_(std::move(around)),
      proposal_(std::move(propose)),
      notices_(new widgets::NoticeBar),
      notes_(new WarningLine),
      table_(new CohortTable),
      box_(new ProposalBox) {
    setWindowTitle(tr("Cohort"));
    setAcceptDrops(true);
    auto* cases = new widgets::Panel(tr("Cases"));
    cases->setBody(table_);
    auto* proposal = new widgets::Panel(tr("Patch and batch"));
    proposal->setBody(box_);
    splitter_ = widgets::makeSplitter(Qt::Horizontal, {cases, proposal}, {890, 350});
    splitter_->setStretchFactor(0, 1);
    cases->setMinimumWidth(260);
    proposal->setMinimumWidth(230);
    auto* center = new QWidget;
    auto* layout = widgets::makeLayout<QVBoxLayout>(center, 0);
    layout->addWidget(makeHead());
    layout->addWidget(notices_);
    layout->addWidget(notes_);
    layout->addWidget(splitter_, 1);
    setCentralWidget(center);
    resize(widgets::onScreen(*this, {1240, 620}));
    widgets::placeAsKept(*this, QSettings().value(kGeometry).toByteArray());
    splitter_->restoreState(QSettings().value(kSplitter).toByteArray());
    connectParts();
    table_->view().setFocus();
    showState();
}

CohortWindow::~CohortWindow() = default;

QWidget* CohortWindow::makeHead() {
    title_ = new widgets::ElidedLabel;
    progress_ = new QProgressBar;
    progress_->setTextVisible(false);
    progress_->setFixedSize(140, 8);
    cancel_ = new QPushButton(tr("Cancel"));
    cancel_->setObjectName("Cancel survey");
    again_ = new QPushButton(tr("Read again"));
    again_->setObjectName("Read again");
    again_->setToolTip(tr("Reload the folder (Ctrl+R)"));
    use_ = new QPushButton(tr("Use this cohort"));
    use_->setObjectName("Use this cohort");
    use_->setProperty("primary", true);
    auto* head = new QWidget;
    auto* row = widgets::makeLayout<QHBoxLayout>(head, 8, {12, 8, 12, 8});
    row->addWidget(title_, 1);
    row->addWidget(progress_);
    row->addWidget(cancel_);
    row->addWidget(again_);
    row->addWidget(use_);
    return head;
}

void CohortWindow::connectParts() {
    connect(cancel_, &QPushButton::clicked, &survey_, &CohortSurvey::cancel);
    connect(again_, &QPushButton::clicked, this, &CohortWindow::readAgain);
    connect(use_, &QPushButton::clicked, this, &CohortWindow::useCohort);
    connect(&survey_, &CohortSurvey::named, this, &CohortWindow::showNamed);
    connect(&survey_, &CohortSurvey::caseRead, this, [this](int place) {
        const auto at = static_cast<std::size_t>(place);
        if (at < survey_.cohort().cases.size()) {
            table_->setRow(place, rowOf(survey_.cohort().cases[at], survey_.facts()[at]));
        }
        showState();
    });
    connect(&survey_, &CohortSurvey::finished, this, &CohortWindow::showEnd);
    connect(table_, &CohortTable::caseChosen, this, [this](int place) {
        const auto& cases = survey_.cohort().cases;
        if (place < static_cast<int>(cases.size())) {
            emit caseChosen(folder_, cases[static_cast<std::size_t>(place)]);
        }
    });
    connect(box_, &ProposalBox::proposeRequested, this, &CohortWindow::propose);
    connect(box_, &ProposalBox::applyRequested, this, &CohortWindow::apply);
    connect(box_, &ProposalBox::cancelRequested, this, [this] {
        proposal_.cancel();
        box_->clear();
    });
    connect(&proposal_, &CohortProposal::tried, this,
            [this](int sizes) { box_->showBusy(tr("Predicting: %1 sizes so far").arg(sizes)); });
    connect(&proposal_, &CohortProposal::proposed, this,
            [this](const plan::PatchProposal& proposal, qint64 capacity) {
                proposed_ = proposal;
                box_->showProposal(rowOf(proposal, capacity));
            });
    connect(&proposal_, &CohortProposal::failed, box_, &ProposalBox::showProblem);
    connect(&document_, &ExperimentDocument::changed, this, &CohortWindow::showState);
    for (const auto& [keys, act] :
         {std::pair<QKeySequence, std::function<void()>>{QKeySequence::Close, [this] { close(); }},
          {QKeySequence("Ctrl+R"), [this] { readAgain(); }},
          {QKeySequence("Ctrl+Return"), [this] { use_->click(); }}}) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, act);
    }
    widgets::addHelpKey(this, "scans.md");
    widgets::addUndoShortcuts(this, document_.undoStack());
}

void CohortWindow::open(const QString& folder) {
    if (folder == folder_ && problem_.isEmpty() && !survey_.cancelled()) {
        return;
    }
    folder_ = folder;
    readAgain();
}

void CohortWindow::readAgain() {
    if (folder_.isEmpty()) {
        return;
    }
    problem_.clear();
    proposed_.reset();
    proposal_.cancel();
    box_->clear();
    notices_->dismiss();
    notes_->setWarnings({});
    table_->setRows({});
    table_->setNote(tr("Reading the folder…"));
    survey_.start(folder_);
    setWindowTitle(tr("Cohort %1").arg(QFileInfo(folder_).fileName()));
    title_->setText(folder_);
    showState();
}

void CohortWindow::showNamed() {
    std::vector<CaseRow> rows;
    for (const scan::Case& theCase : survey_.cohort().cases) {
        rows.push_back(rowOf(theCase));
    }
    table_->setNote({});
    table_->setRows(std::move(rows));
    notes_->setWarnings(widgets::fromUtf8(survey_.cohort().notes));
    showState();
}

void CohortWindow::showEnd(const QString& problem) {
    problem_ = problem;
    table_->setNote({});
    if (!problem.isEmpty()) {
        table_->setNote(problem);
        notices_->show(widgets::NoticeBar::Kind::Error, problem);
    } else if (survey_.cancelled()) {
        notices_->show(widgets::NoticeBar::Kind::Warning,
                       tr("Cancelled: %1 of %2 cases read.")
                           .arg(survey_.facts().size())
                           .arg(survey_.cohort().cases.size()),
                       tr("Read again"), [this] { readAgain(); });
    }
    showState();
}

std::int64_t CohortWindow::channels() const {
    std::map<std::size_t, int> counts;
    for (const scan::Case& theCase : survey_.cohort().cases) {
        ++counts[theCase.channels.size()];
    }
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most == counts.end() ? 0 : static_cast<std::int64_t>(most->first);
}

bool CohortWindow::inUse() const {
    const stack::ScanInput* input = cohortOf(document_.experiment());
    return input && input->cohort == folder_.toStdString() && input->channels == channels();
}

void CohortWindow::showState() {
    const int all = static_cast<int>(survey_.cohort().cases.size());
    const int done = static_cast<int>(survey_.facts().size());
    progress_->setVisible(survey_.running());
    progress_->setRange(0, all);  // 0 to 0 while the folder is being searched
    progress_->setValue(done);
    progress_->setToolTip(tr("%1 of %2 cases read").arg(done).arg(all));
    cancel_->setVisible(survey_.running());
    again_->setVisible(!survey_.running() && !folder_.isEmpty());
    const bool shapes = !shapesOf(survey_.facts()).empty();
    const bool none = !shapes && all > 0 && done == all;  // all were read, and none can be used
    use_->setEnabled(all > 0 && !none && !inUse());
    use_->setText(inUse() ? tr("In use") : tr("Use this cohort"));
    use_->setToolTip(inUse() ? tr("This cohort is the experiment's input")
                     : none  ? tr("None of its cases can be used")
                             : tr("Makes it the experiment's input; can be undone (Ctrl+Return)"));
    box_->setTarget(around_.targetTitle(), shapes && !survey_.running() ? QString()
                                           : survey_.running() ? tr("The cases are still being read.")
                                           : none              ? tr("None of its cases can be used.")
                                                               : tr("No case has been read."));
}

void CohortWindow::setShown(const QString& name) {
    const auto& rows = table_->rows();
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
    table_->setShown(at == rows.end() ? -1 : static_cast<int>(at - rows.begin()));
}

void CohortWindow::targetChanged() {
    proposal_.cancel();
    box_->clear();  // the proposal was for another device
    proposed_.reset();
    showState();
}

void CohortWindow::useCohort() {
    if (channels() == 0 || inUse()) {
        return;
    }
    document_.edit(tr("use the cohort"), [this](stack::Experiment& e) {
        e = withCohort(std::move(e), folder_.toStdString(), channels());
    });
}

void CohortWindow::propose() {
    proposed_.reset();
    box_->showBusy(tr("Predicting"));
    proposal_.start({withCohort(document_.experiment(), folder_.toStdString(), channels()),
                     shapesOf(survey_.facts()), around_.target(), around_.budget()});
}

void CohortWindow::apply() {
    if (!proposed_) {
        return;
    }
    document_.edit(tr("patch and batch of the cohort"), [this](stack::Experiment& e) {
        e = withCohort(std::move(e), folder_.toStdString(), channels());
        std::get<stack::ScanInput>(e.input).patch = proposed_->patch;
        e.step.batchSize = proposed_->batch;
    });
    notices_->show(widgets::NoticeBar::Kind::Done, tr("Patch and batch set. Ctrl+Z to undo."));
}

void CohortWindow::closeEvent(QCloseEvent* event) {
    QSettings settings;
    settings.setValue(kGeometry, saveGeometry());
    settings.setValue(kSplitter, splitter_->saveState());
    survey_.cancel();
    proposal_.cancel();
    if (box_->busy()) {
        box_->clear();
    }
    event->accept();
    emit closed();
}

void CohortWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (!droppedFolder(event->mimeData()).isEmpty()) {
        event->acceptProposedAction();
    }
}

void CohortWindow::dropEvent(QDropEvent* event) {
    const QString folder = droppedFolder(event->mimeData());
    if (folder.isEmpty()) {
        return;
    }
    event->acceptProposedAction();
    open(QFileInfo(folder).absoluteFilePath());
}

}  // namespace highwater::desktop

#include "moc_cohort_window.cpp"
