#include "app/desktop/script/script_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSpinBox>
#include <utility>

#include "app/desktop/experiment/target/targets.h"
#include "core/script/ranks.h"
#include "widgets/controls/path_row.h"
#include "widgets/controls/search_combo.h"
#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {
constexpr auto kScriptFolderKey = "script/dialogFolder";
}

ScriptForm::ScriptForm(QString store, QWidget* parent) : QWidget(parent), store_(std::move(store)) {
    auto* grid = widgets::makeLayout<QGridLayout>(this, 8);
    grid->setColumnStretch(1, 1);
    makePaths(*grid);
    makeChoices(*grid);
    problem_ = offerGpus(*gpu_);
    restore();
    followRanks();
}

void ScriptForm::makePaths(QGridLayout& grid) {
    script_ = widgets::addPathRow(grid, {tr("Script"), tr("train.py"), kScriptFolderKey}, this);
    script_->setObjectName("script");
    const auto addLine = [&](const QString& name, const QString& hint) {
        auto* field = new QLineEdit(this);
        field->setPlaceholderText(hint);
        auto* label = new QLabel(name, this);
        label->setBuddy(field);
        const int row = grid.rowCount();
        grid.addWidget(label, row, 0);
        grid.addWidget(field, row, 1, 1, 2);
        return field;
    };
    arguments_ = addLine(tr("Arguments"), tr("as on the command line: --batch 8"));
    arguments_->setObjectName("arguments");
    variables_ = addLine(tr("Variables"), tr("of the environment: nnUNet_compile=f"));
    variables_->setObjectName("variables");
    variables_->setToolTip(
        tr("Environment variables that are set for the script, each NAME=value. A value with spaces needs "
           "quotes: NAME=\"a b\""));
    folder_ = widgets::addPathRow(
        grid, {tr("Runs in"), tr("the script's own folder"), kScriptFolderKey, true}, this);
    python_ =
        widgets::addPathRow(grid,
                            {tr("Python"), tr("the active environment, .venv beside the script, or python3"),
                             kScriptFolderKey, true},
                            this);
    python_->setObjectName("python");
    python_->setToolTip(
        tr("An interpreter, or the folder of a virtual environment. Its PyTorch must be built with CUDA."));
}

void ScriptForm::makeChoices(QGridLayout& grid) {
    auto* line = widgets::makeLayout<QHBoxLayout>(nullptr, 10);
    gpu_ = new widgets::SearchCombo(this);
    gpu_->setObjectName("gpu");
    ranks_ = new QSpinBox(this);
    ranks_->setObjectName("ranks");
    ranks_->setRange(1, script::kMostRanks);
    ranks_->setToolTip(
        tr("Processes of the script, each on a GPU of its own, as torchrun --nproc-per-node starts them"));
    steps_ = new QSpinBox(this);
    steps_->setObjectName("steps");
    steps_->setRange(0, 100000);
    steps_->setValue(3);
    steps_->setSpecialValueText(tr("all"));
    steps_->setToolTip(tr("Optimizer steps after which the script is stopped; all: run it to its end"));
    timed_ = new QCheckBox(tr("Estimate the time of a step"), this);
    timed_->setObjectName("timed");
    all_ = new QCheckBox(tr("Try torch.compile, too"), this);
    all_->setObjectName("all");
    all_->setToolTip(
        tr("What would help? then tries every change, compiling included, even if the script fits: it takes "
           "minutes. The list shows each peak, the line above that of the script as it is"));
    line->addWidget(gpu_);
    const auto add = [&](const QString& name, QWidget* field) {
        auto* label = new QLabel(name, this);
        label->setBuddy(field);
        line->addSpacing(12);
        line->addWidget(label);
        line->addWidget(field);
    };
    add(tr("GPUs (ranks)"), ranks_);
    add(tr("Steps"), steps_);
    line->addSpacing(12);
    line->addStretch(1);
    auto* also = widgets::makeLayout<QHBoxLayout>(nullptr, 22);
    also->addWidget(timed_);
    also->addWidget(all_);
    also->addStretch(1);
    auto* gpu = new QLabel(tr("GPU"), this);
    gpu->setBuddy(gpu_);
    const int end = grid.rowCount();
    grid.addWidget(gpu, end, 0);
    grid.addLayout(line, end, 1, 1, 2);
    grid.addLayout(also, end + 1, 1, 1, 2);
    for (QSpinBox* number : {ranks_, steps_}) {
        connect(number, &QSpinBox::valueChanged, this, &ScriptForm::followRanks);
    }
}

/// A time is estimated for one process, from one step more than it is run for.
void ScriptForm::followRanks() {
    const bool possible = ranks_->value() == 1 && steps_->value() > 0;
    timed_->setEnabled(possible);
    timed_->setToolTip(possible ? tr("From the operators of one more step, for this GPU. Without loading of "
                                     "data and transfers")
                       : ranks_->value() > 1 ? tr("Possible with one GPU")
                                             : tr("Possible with a number of steps"));
}

void ScriptForm::restore() {
    QSettings settings;
    settings.beginGroup("script");
    script_->setText(settings.value("script").toString());
    arguments_->setText(settings.value("arguments").toString());
    variables_->setText(settings.value("variables").toString());
    python_->setText(settings.value("python").toString());
    folder_->setText(settings.value("folder").toString());
    gpu_->setCurrentIndex(std::max(0, gpu_->findData(settings.value("gpu", "rtx3060"))));
    ranks_->setValue(settings.value("ranks", 1).toInt());
    steps_->setValue(settings.value("steps", 3).toInt());
    timed_->setChecked(settings.value("timed", false).toBool());
    all_->setChecked(settings.value("all", false).toBool());
}

void ScriptForm::keep() const {
    QSettings settings;
    settings.beginGroup("script");
    settings.setValue("script", script_->text());
    settings.setValue("arguments", arguments_->text());
    settings.setValue("variables", variables_->text());
    settings.setValue("python", python_->text());
    settings.setValue("folder", folder_->text());
    settings.setValue("gpu", gpu_->currentData());
    settings.setValue("ranks", ranks_->value());
    settings.setValue("steps", steps_->value());
    settings.setValue("timed", timed_->isChecked());
    settings.setValue("all", all_->isChecked());
}

ScriptFields ScriptForm::fields() const {
    return {script_->text().trimmed(),
            arguments_->text(),
            python_->text().trimmed(),
            folder_->text().trimmed(),
            gpu_->currentData().toString(),
            variables_->text(),
            steps_->value(),
            store_,
            ranks_->value(),
            timed_->isChecked() && timed_->isEnabledTo(this),
            all_->isChecked()};
}

QString ScriptForm::gpuName() const {
    return gpu_->currentText();
}

}  // namespace highwater::desktop

#include "moc_script_form.cpp"
