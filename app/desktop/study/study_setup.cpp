#include "app/desktop/study/study_setup.h"

#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include "widgets/theme/panel.h"

namespace highwater::desktop {

QSpinBox* StudySetup::spin(const char* name, int low, int high, int value, const QString& tip) {
    auto* box = new QSpinBox(this);
    box->setObjectName(name);
    box->setRange(low, high);
    box->setValue(value);
    box->setToolTip(tip);
    return box;
}

QVBoxLayout* StudySetup::makeFoot(const std::vector<std::pair<QString, QWidget*>>& fields, QPushButton* run) {
    auto* form = new QFormLayout;
    form->setContentsMargins(12, 8, 12, 4);
    form->setHorizontalSpacing(12);
    form->setVerticalSpacing(6);
    for (const auto& [label, field] : fields) {
        form->addRow(label, field);
    }
    count_ = new QLabel(this);
    count_->setObjectName("Count");
    estimate_ = new QLabel(this);
    estimate_->setObjectName("Estimate");
    auto* words = new QWidget(this);
    auto* lines = widgets::makeLayout<QVBoxLayout>(words, 4);
    for (QLabel* label : {count_, estimate_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setProperty("muted", true);
        lines->addWidget(label);
    }
    lines->addStretch(1);
    // Room for two lines of each, so that the fields above do not move while they are edited.
    words->setMinimumHeight(4 * QFontMetrics(widgets::smallFont(font())).lineSpacing() + lines->spacing());
    run_ = run;
    run_->setProperty("primary", true);
    auto* foot = widgets::makeLayout<QVBoxLayout>(nullptr, 6, {12, 4, 12, 12});
    foot->addWidget(words);
    foot->addWidget(run_);
    auto* column = widgets::makeLayout<QVBoxLayout>(nullptr, 0);
    column->addLayout(form);
    column->addLayout(foot);
    return column;
}

void StudySetup::setEstimate(const QString& estimate, const QString& tip) {
    estimate_->setText(estimate);
    estimate_->setToolTip(tip);
    estimate_->setVisible(!estimate.isEmpty());
}

}  // namespace highwater::desktop

#include "moc_study_setup.cpp"
