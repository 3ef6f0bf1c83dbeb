#include "app/desktop/script/script_dialog.h"

#include <signal.h>

#include <QComboBox>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/desktop/experiment/target/targets.h"
#include "app/desktop/script/script_tries.h"
#include "core/base/paths.h"
#include "widgets/controls/flat_table.h"
#include "widgets/controls/last_folder.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/screen_size.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

constexpr int kStopWithinMs = 3000;
constexpr int kMostLinesShown = 5000;
constexpr qsizetype kLongestLine = 1 << 20;
constexpr auto kFolderKey = "script/dialogFolder";

QTableWidget* makeOwners(const QString& name) {
    QTableWidget* table = widgets::makeFlatTable({name, QObject::tr("at the peak"), QObject::tr("blocks")});
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    return table;
}

}  // namespace

ScriptDialog::ScriptDialog(const std::filesystem::path& store, std::filesystem::path program, QWidget* parent)
    : QDialog(parent), program_(std::move(program)), store_(QString::fromStdString(store.string())) {
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
    auto* grid = widgets::makeLayout<QGridLayout>(nullptr, 8);
    makeFields(*grid);
    layout->addLayout(grid);
    makeResult();
    layout->addWidget(headline_);
    layout->addWidget(facts_);
    layout->addWidget(tabs_, 1);
    layout->addWidget(makeFoot());
    connect(&process_, &QProcess::readyReadStandardOutput, this, &ScriptDialog::readEvents);
    connect(&process_, &QProcess::readyReadStandardError, this, &ScriptDialog::readOutput);
    connect(&process_, &QProcess::finished, this, &ScriptDialog::finish);
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            finish(4, QProcess::CrashExit);
        }
    });
    if (const QString problem = offerGpus(*gpu_); !problem.isEmpty()) {
        state_->setText(problem);
    }
    readSettings();
    say(tr("Nothing has been run yet."));
    showState();
    resize(widgets::onScreen(*this, {860, 720}));
}

ScriptDialog::~ScriptDialog() {
    process_.disconnect(this);
    if (running()) {
        stop();
        if (!process_.waitForFinished(kStopWithinMs)) {
            process_.kill();
        }
    }
}

QLineEdit* ScriptDialog::addPath(QGridLayout& grid, const QString& name, const QString& hint, bool folder) {
    const int row = grid.rowCount();
    auto* label = new QLabel(name, this);
    auto* line = new QLineEdit(this);
    line->setPlaceholderText(hint);
    label->setBuddy(line);
    auto* choose = new QPushButton(tr("Choose…"), this);
    choose->setAccessibleName(tr("Choose: %1").arg(name));
    connect(choose, &QPushButton::clicked, this, [this, line, folder, name] {
        const QString from = line->text().isEmpty() ? widgets::lastFolder(kFolderKey) : line->text();
        const QString chosen = folder ? QFileDialog::getExistingDirectory(this, name, from)
                                      : QFileDialog::getOpenFileName(this, name, from);
        if (!chosen.isEmpty()) {
            QSettings().setValue(kFolderKey, QFileInfo(chosen).absolutePath());
            line->setText(chosen);
        }
    });
    grid.addWidget(label, row, 0);
    grid.addWidget(line, row, 1);
    grid.addWidget(choose, row, 2);
    return line;
}

void ScriptDialog::makeFields(QGridLayout& grid) {
    grid.setColumnStretch(1, 1);
    script_ = addPath(grid, tr("Script"), tr("train.py"), false);
    script_->setObjectName("script");
    const int row = grid.rowCount();
    arguments_ = new QLineEdit(this);
    arguments_->setObjectName("arguments");
    arguments_->setPlaceholderText(tr("as on the command line: --batch 8"));
    auto* label = new QLabel(tr("Arguments"), this);
    label->setBuddy(arguments_);
    grid.addWidget(label, row, 0);
    grid.addWidget(arguments_, row, 1, 1, 2);
    folder_ = addPath(grid, tr("Runs in"), tr("the script's own folder"), true);
    python_ =
        addPath(grid, tr("Python"), tr("the active environment, .venv beside the script, or python3"), true);
    python_->setObjectName("python");
    python_->setToolTip(
        tr("An interpreter, or the folder of a virtual environment. Its PyTorch must be built with CUDA."));
    auto* last = widgets::makeLayout<QHBoxLayout>(nullptr, 10);
    gpu_ = new QComboBox(this);
    gpu_->setObjectName("gpu");
    steps_ = new QSpinBox(this);
    steps_->setRange(0, 100000);
    steps_->setValue(3);
    steps_->setSpecialValueText(tr("all"));
    steps_->setToolTip(tr("Optimizer steps after which the script is stopped; all: run it to its end"));
    auto* steps = new QLabel(tr("Steps"), this);
    steps->setBuddy(steps_);
    last->addWidget(gpu_);
    last->addSpacing(12);
    last->addWidget(steps);
    last->addWidget(steps_);
    last->addStretch(1);
    auto* gpu = new QLabel(tr("GPU"), this);
    gpu->setBuddy(gpu_);
    const int end = grid.rowCount();
    grid.addWidget(gpu, end, 0);
    grid.addLayout(last, end, 1, 1, 2);
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
        label->setWordWrap(true);
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
    tabs_ = new QTabWidget(this);
    tabs_->addTab(output_, tr("Output"));
    tabs_->addTab(modules_, tr("By module"));
    tabs_->addTab(lines_, tr("By line"));
    tries_ = new ScriptTries(this);
    tabs_->addTab(tries_, tr("What would help"));
}

QWidget* ScriptDialog::makeFoot() {
    auto* foot = new QWidget(this);
    auto* row = widgets::makeLayout<QHBoxLayout>(foot, 10);
    state_ = new QLabel(this);
    state_->setObjectName("state");
    state_->setProperty("muted", true);
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

void ScriptDialog::readSettings() {
    QSettings settings;
    settings.beginGroup("script");
    script_->setText(settings.value("script").toString());
    arguments_->setText(settings.value("arguments").toString());
    python_->setText(settings.value("python").toString());
    folder_->setText(settings.value("folder").toString());
    gpu_->setCurrentIndex(std::max(0, gpu_->findData(settings.value("gpu", "rtx3060"))));
    steps_->setValue(settings.value("steps", 3).toInt());
}

void ScriptDialog::writeSettings() const {
    QSettings settings;
    settings.beginGroup("script");
    settings.setValue("script", script_->text());
    settings.setValue("arguments", arguments_->text());
    settings.setValue("python", python_->text());
    settings.setValue("folder", folder_->text());
    settings.setValue("gpu", gpu_->currentData());
    settings.setValue("steps", steps_->value());
}

ScriptFields ScriptDialog::fields() const {
    return {script_->text().trimmed(),
            arguments_->text(),
            python_->text().trimmed(),
            folder_->text().trimmed(),
            gpu_->currentData().toString(),
            steps_->value(),
            store_};
}

void ScriptDialog::start(bool tries) {
    if (running()) {
        return;
    }
    const ScriptFields wanted = fields();
    if (const QString why = whyNoScript(wanted); !why.isEmpty()) {
        return say(why);
    }
    if (program_.empty()) {
        return say(tr("highwater-cli is not installed beside this program; install it to run scripts."));
    }
    writeSettings();
    line_.clear();
    lastError_.clear();
    run_.clear();
    stopping_ = concluded_ = false;
    output_->clear();
    widgets::setFlatRows(*modules_, {});
    widgets::setFlatRows(*lines_, {});
    tries_->clear();
    tabs_->setCurrentWidget(tries ? static_cast<QWidget*>(tries_) : output_);
    say((tries ? tr("Trying what would help on a pretended %1…") : tr("Running on a pretended %1…"))
            .arg(gpu_->currentText()));
    process_.setWorkingDirectory(scriptFolder(wanted));
    process_.start(QString::fromStdString(program_.string()), scriptArguments(wanted, tries),
                   QIODevice::ReadOnly);
    showState();
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
    if (!line.result) {
        return;
    }
    concluded_ = true;
    run_ = line.result->run;
    const QString fits = !line.result->fits                                    ? tr("Out of memory. ")
                         : line.result->failed || line.result->modules.empty() ? QString()
                                                                               : tr("Fits. ");
    say(fits + (line.result->failed && line.result->headline.isEmpty() ? tr("The script failed.")
                                                                       : line.result->headline),
        line.result->facts.join('\n'));
    widgets::setFlatRows(*modules_, line.result->modules);
    widgets::setFlatRows(*lines_, line.result->lines);
    if (!line.result->modules.isEmpty() && !line.result->failed) {
        tabs_->setCurrentWidget(modules_);
    }
}

void ScriptDialog::finish(int exitCode, QProcess::ExitStatus status) {
    readEvents();
    readOutput();
    if (!concluded_) {
        say(status == QProcess::CrashExit && lastError_.isEmpty() ? tr("highwater-cli could not be run.")
            : lastError_.isEmpty() ? tr("The script ended with exit code %1.").arg(exitCode)
                                   : lastError_.section("highwater-cli: ", -1));
    }
    stopping_ = false;
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
    for (QWidget* field :
         std::initializer_list<QWidget*>{script_, arguments_, python_, folder_, gpu_, steps_}) {
        field->setEnabled(!on);
    }
    if (on) {
        state_->setText(stopping_ ? tr("Stopping…") : tr("Starting Python…"));
    } else if (!run_.isEmpty()) {
        state_->setText(tr("Recorded as run #%1").arg(run_));
    }
}

void ScriptDialog::say(const QString& headline, const QString& facts) {
    headline_->setText(headline);
    facts_->setText(facts);
    facts_->setVisible(!facts.isEmpty());
}

}  // namespace highwater::desktop

#include "moc_script_dialog.cpp"
