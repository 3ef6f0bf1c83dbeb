#include "app/desktop/script/script_dialog.h"

#include <signal.h>

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/desktop/script/script_form.h"
#include "app/desktop/script/script_plot.h"
#include "app/desktop/script/script_tries.h"
#include "core/base/duration.h"
#include "core/base/paths.h"
#include "widgets/controls/flat_table.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr int kStopScriptMs = 3000;
constexpr int kMostLinesShown = 5000;
constexpr qsizetype kLongestLine = 1 << 20;

QTableWidget* makeOwners(const QString& name) {
    QTableWidget* table = widgets::makeFlatTable({name, QObject::tr("at the peak"), QObject::tr("blocks")});
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return table;
}

/// Shown until the script says something, or the runner counts its steps.
QString startingText() {
    return QObject::tr("Starting Python…");
}

/// Wraps the words of a label. A word that is longer than the label, such as a path, does not widen it.
void wrap(QLabel& label) {
    label.setWordWrap(true);
    label.setMinimumWidth(1);
}

}  // namespace

ScriptDialog::ScriptDialog(const std::filesystem::path& store, std::filesystem::path program, QWidget* parent)
    : QDialog(parent), program_(std::move(program)) {
    setWindowTitle(tr("Your script on a pretended GPU"));
    if (program_.empty()) {
        program_ = base::siblingProgram("highwater-cli");
    }
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 10, {16, 14, 16, 14});
    auto* words = new QLabel(
        tr("The script runs unchanged, with its own PyTorch, on a pretended GPU: memory is allocated as on "
           "a real one, but nothing is computed."),
        this);
    words->setWordWrap(true);
    words->setProperty("muted", true);
    layout->addWidget(words);
    form_ = new ScriptForm(QString::fromStdString(store.string()), this);
    layout->addWidget(form_);
    makeResult();
    layout->addWidget(headline_);
    layout->addWidget(parts_, 1);
    layout->addWidget(makeFoot());
    connect(&process_, &QProcess::readyReadStandardOutput, this, &ScriptDialog::readEvents);
    connect(&process_, &QProcess::readyReadStandardError, this, &ScriptDialog::readOutput);
    connect(&process_, &QProcess::finished, this, &ScriptDialog::finish);
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            finish(4, QProcess::CrashExit);
        }
    });
    second_.setInterval(1000);
    connect(&second_, &QTimer::timeout, this, &ScriptDialog::showElapsed);
    say(tr("Nothing has been run yet."));
    showState();
    if (!form_->problem().isEmpty()) {
        state_->setText(form_->problem());
    }
    resize(widgets::onScreen(*this, {1120, 760}));
}

ScriptDialog::~ScriptDialog() {
    process_.disconnect(this);
    if (running()) {
        stop();
        if (!process_.waitForFinished(kStopScriptMs)) {
            process_.kill();
        }
    }
}

void ScriptDialog::makeResult() {
    headline_ = new QLabel(this);
    QFont bold = headline_->font();
    bold.setBold(true);
    headline_->setFont(bold);
    headline_->setObjectName("headline");
    facts_ = new QLabel(this);
    facts_->setObjectName("facts");
    for (QLabel* label : {headline_, facts_}) {
        label->setTextFormat(Qt::PlainText);
        wrap(*label);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    output_ = new QPlainTextEdit(this);
    output_->setObjectName("output");
    output_->setReadOnly(true);
    output_->setLineWrapMode(QPlainTextEdit::NoWrap);
    output_->setMaximumBlockCount(kMostLinesShown);
    output_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    output_->setPlaceholderText(tr("Output of the script"));
    modules_ = makeOwners(tr("module"));
    modules_->setObjectName("modules");
    lines_ = makeOwners(tr("line"));
    lines_->setObjectName("lines");
    summary_ = new QScrollArea(this);
    summary_->setFrameShape(QFrame::NoFrame);
    summary_->setWidgetResizable(true);
    facts_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    facts_->setMargin(8);
    summary_->setWidget(facts_);
    tabs_ = new QTabWidget(this);
    tabs_->addTab(output_, tr("Output"));
    tabs_->addTab(summary_, tr("Summary"));
    tabs_->addTab(modules_, tr("By module"));
    tabs_->addTab(lines_, tr("By line"));
    tries_ = new ScriptTries(this);
    tabs_->addTab(tries_, tr("What would help"));
    plot_ = new ScriptPlot(this);
    plot_->clear(tr("The script's memory appears here while it runs"));
    parts_ = new QSplitter(Qt::Horizontal, this);
    parts_->setChildrenCollapsible(false);
    parts_->addWidget(plot_);
    parts_->addWidget(tabs_);
    parts_->setStretchFactor(0, 1);
    parts_->setStretchFactor(1, 1);
    parts_->setSizes({440, 680});  // all pages have room for their names
}

QWidget* ScriptDialog::makeFoot() {
    auto* foot = new QWidget(this);
    auto* row = widgets::makeLayout<QHBoxLayout>(foot, 10);
    state_ = new QLabel(this);
    state_->setObjectName("state");
    state_->setProperty("muted", true);
    wrap(*state_);
    elapsed_ = new QLabel(this);
    elapsed_->setProperty("muted", true);
    progress_ = new QProgressBar(this);
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedSize(120, 8);
    timeline_ = new QPushButton(tr("Timeline"), this);
    timeline_->setToolTip(tr("Every allocation of the run, with the lines that made them"));
    help_ = new QPushButton(tr("What would help?"), this);
    help_->setObjectName("help");
    help_->setToolTip(
        tr("If the script does not fit, run it with changes that reduce its memory: recomputation, "
           "smaller parts of the batch, 16 bits and others"));
    help_->setAutoDefault(false);
    start_ = new QPushButton(this);
    start_->setProperty("primary", true);
    start_->setDefault(true);
    auto* close = new QPushButton(tr("Close"), this);
    close->setAutoDefault(false);
    timeline_->setAutoDefault(false);
    row->addWidget(state_, 1);
    row->addWidget(elapsed_);
    row->addWidget(progress_);
    row->addWidget(timeline_);
    row->addWidget(help_);
    row->addWidget(start_);
    row->addWidget(close);
    connect(start_, &QPushButton::clicked, this, [this] { running() ? stop() : start(); });
    connect(help_, &QPushButton::clicked, this, &ScriptDialog::startTries);
    connect(timeline_, &QPushButton::clicked, this, [this] { emit timelineWanted(run_); });
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    return foot;
}

void ScriptDialog::start(bool tries) {
    if (running()) {
        return;
    }
    const ScriptFields wanted = form_->fields();
    if (const QString why = whyNoScript(wanted); !why.isEmpty()) {
        return say(why);
    }
    if (program_.empty()) {
        return say(tr("highwater-cli is not installed beside this program; install it to run scripts."));
    }
    if (tries && wanted.ranks > 1) {
        return say(tr("Changes are tried with one process: set GPUs (ranks) to 1."));
    }
    form_->keep();
    clearResult();
    plot_->setVisible(!tries);  // of several runs none is followed
    tabs_->setCurrentWidget(tries ? static_cast<QWidget*>(tries_) : output_);
    const QString gpu = form_->gpuName();
    say(tries              ? tr("Trying what would help on a pretended %1…").arg(gpu)
        : wanted.ranks > 1 ? tr("Running on %1 pretended GPUs, each a %2…").arg(wanted.ranks).arg(gpu)
                           : tr("Running on a pretended %1…").arg(gpu));
    since_.start();
    second_.start();
    process_.setWorkingDirectory(scriptFolder(wanted));
    process_.start(QString::fromStdString(program_.string()), scriptArguments(wanted, tries),
                   QIODevice::ReadOnly);
    showState();
}

void ScriptDialog::clearResult() {
    line_.clear();
    lastError_.clear();
    run_.clear();
    stopping_ = concluded_ = false;
    output_->clear();
    widgets::setFlatRows(*modules_, {});
    widgets::setFlatRows(*lines_, {});
    showRanks({});
    tries_->clear();
    plot_->clear(tr("The script's memory appears here once it uses the GPU"));
}

void ScriptDialog::stop() {
    if (process_.processId() > 0) {
        ::kill(static_cast<pid_t>(process_.processId()), SIGINT);
    }
    stopping_ = true;
    showState();
}

void ScriptDialog::readEvents() {
    line_ += process_.readAllStandardOutput();
    for (qsizetype end = line_.indexOf('\n'); end >= 0; end = line_.indexOf('\n')) {
        take(readScriptLine(line_.first(end)));
        line_.remove(0, end + 1);
    }
    if (line_.size() > kLongestLine) {
        line_.clear();
    }
}

void ScriptDialog::readOutput() {
    const QString more = QString::fromUtf8(process_.readAllStandardError());
    for (const QString& line : more.split('\n', Qt::SkipEmptyParts)) {
        lastError_ = line;
        output_->appendPlainText(line.section('\r', -1));
    }
    if (!lastError_.isEmpty() && state_->text() == startingText()) {
        state_->setText(tr("Running the script…"));
    }
}

void ScriptDialog::take(const ScriptLine& line) {
    if (!line.progress.isEmpty()) {
        state_->setText(line.progress);
    }
    if (!line.warning.isEmpty()) {
        output_->appendPlainText(tr("Highwater: %1").arg(line.warning));
    }
    if (line.tried) {
        tries_->add(*line.tried);
    }
    if (!line.tries.isEmpty()) {
        concluded_ = true;
        say(line.tries);
    }
    if (line.event) {
        plot_->take(*line.event);
    }
    if (line.result) {
        showResult(*line.result);
    }
}

void ScriptDialog::showResult(const ScriptLine::Result& result) {
    concluded_ = true;
    run_ = result.run;
    say(result.headline, result.facts.join("\n\n"));
    widgets::setFlatRows(*modules_, result.modules);
    widgets::setFlatRows(*lines_, result.lines);
    showRanks(result.ranks);
    if (!result.failed && !result.facts.isEmpty()) {
        tabs_->setCurrentWidget(summary_);
    }
}

/// A page with the table of the ranks; none if there is one process.
void ScriptDialog::showRanks(const QList<QStringList>& rows) {
    delete ranks_;
    ranks_ = nullptr;
    if (rows.size() < 2) {
        return;
    }
    QStringList heads = rows.front();
    ranks_ = widgets::makeFlatTable(heads);
    ranks_->setObjectName("ranks table");
    ranks_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    ranks_->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    widgets::setFlatRows(*ranks_, rows.mid(1));
    tabs_->insertTab(tabs_->indexOf(summary_) + 1, ranks_, tr("By rank"));
}

void ScriptDialog::finish(int exitCode, QProcess::ExitStatus status) {
    readEvents();
    readOutput();
    if (!concluded_) {
        say(status == QProcess::CrashExit && lastError_.isEmpty() ? tr("highwater-cli could not be run.")
            : lastError_.isEmpty() ? tr("The script ended with exit code %1.").arg(exitCode)
                                   : lastError_.section("highwater-cli: ", -1));
    }
    plot_->finish(tr("The script used no memory of the GPU"));
    stopping_ = false;
    second_.stop();
    state_->clear();
    showState();
    emit ended();
}

void ScriptDialog::showState() {
    const bool on = running();
    start_->setText(on ? stopping_ ? tr("Stop at once") : tr("Stop") : tr("Run"));
    progress_->setVisible(on);
    help_->setEnabled(!on);
    timeline_->setEnabled(!on && !run_.isEmpty());
    elapsed_->setVisible(on);
    form_->setEnabled(!on);
    showElapsed();
    if (on) {
        state_->setText(stopping_ ? tr("Stopping…") : startingText());
    } else if (!run_.isEmpty()) {
        state_->setText(tr("Recorded as run #%1").arg(run_));
    }
}

void ScriptDialog::showElapsed() {
    if (running() && since_.isValid()) {
        elapsed_->setText(widgets::fromUtf8(base::formatTimeLeft(static_cast<double>(since_.elapsed()))));
    }
}

void ScriptDialog::say(const QString& headline, const QString& facts) {
    headline_->setText(headline);
    facts_->setText(facts);
}

}  // namespace highwater::desktop

#include "moc_script_dialog.cpp"
