#include "app/desktop/scan/cases/proposal_box.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

QLabel* textLabel(const char* name, QWidget* parent) {
    auto* label = widgets::textLabel(parent);
    label->setObjectName(name);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

}  // namespace

ProposalBox::ProposalBox(QWidget* parent)
    : QWidget(parent),
      note_(textLabel("Proposal note", this)),
      figures_(textLabel("Proposal figures", this)),
      why_(textLabel("Proposal reasons", this)),
      progress_(new QProgressBar(this)),
      propose_(new QPushButton(tr("Propose patch and batch"), this)),
      cancel_(new QPushButton(tr("Cancel"), this)),
      apply_(new QPushButton(tr("Apply"), this)) {
    propose_->setObjectName("Propose");
    cancel_->setObjectName("Cancel proposal");
    apply_->setObjectName("Apply proposal");
    apply_->setToolTip(tr("Apply patch and batch to the experiment (can be undone)"));
    QFont bold = figures_->font();
    bold.setWeight(QFont::DemiBold);
    figures_->setFont(bold);
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(8);
    why_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(why_);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(propose_);
    row->addWidget(cancel_);
    row->addWidget(apply_);
    row->addStretch(1);
    auto* layout = widgets::makeLayout<QVBoxLayout>(this, 8, {12, 10, 12, 10});
    layout->addLayout(row);
    layout->addWidget(progress_);
    layout->addWidget(note_);
    layout->addWidget(figures_);
    layout->addWidget(scroll, 1);
    connect(propose_, &QPushButton::clicked, this, &ProposalBox::proposeRequested);
    connect(cancel_, &QPushButton::clicked, this, &ProposalBox::cancelRequested);
    connect(apply_, &QPushButton::clicked, this, &ProposalBox::applyRequested);
    refresh();
}

void ProposalBox::setTarget(const QString& device, const QString& whyNot) {
    device_ = device;
    whyNot_ = whyNot;
    refresh();
}

void ProposalBox::showBusy(const QString& what) {
    state_ = State::Busy;
    said_ = what;
    refresh();
}

void ProposalBox::showProposal(const ProposalRow& proposal) {
    state_ = State::Proposal;
    proposal_ = proposal;
    refresh();
}

void ProposalBox::showProblem(const QString& problem) {
    state_ = State::Problem;
    said_ = problem;
    refresh();
}

void ProposalBox::clear() {
    state_ = State::Empty;
    refresh();
}

void ProposalBox::refresh() {
    const bool proposal = state_ == State::Proposal;
    propose_->setVisible(state_ != State::Busy);
    propose_->setEnabled(whyNot_.isEmpty());
    propose_->setToolTip(whyNot_.isEmpty() ? tr("From the cohort's median shape and the predicted memory "
                                                "on %1; an estimate")
                                                 .arg(device_)
                                           : whyNot_);
    widgets::setLook(*propose_, "primary", !proposal);
    widgets::setLook(*note_, "bad", state_ == State::Problem);
    widgets::setLook(*apply_, "primary", proposal);
    cancel_->setVisible(state_ == State::Busy);
    apply_->setVisible(proposal);
    progress_->setVisible(state_ == State::Busy);
    note_->setText(state_ == State::Busy || state_ == State::Problem ? said_
                   : !whyNot_.isEmpty()                              ? whyNot_
                   : proposal                                        ? tr("For %1, an estimate:").arg(device_)
                              : tr("What fits on %1, from the cohort's median shape and the predicted "
                                   "memory.")
                                    .arg(device_));
    figures_->setVisible(proposal);
    figures_->setText(tr("patch %1, batch %2\npredicted peak %3\n%4")
                          .arg(proposal_.patch, proposal_.batch, proposal_.peak, proposal_.covered));
    why_->setVisible(proposal);
    QStringList lines;
    for (const QString& line : proposal_.why) {
        lines << QStringLiteral("• ") + line;
    }
    why_->setText(lines.join('\n'));
}

QString ProposalBox::text() const {
    QStringList said{note_->text()};
    if (state_ == State::Proposal) {
        said << figures_->text() << why_->text();
    }
    return said.join('\n');
}

}  // namespace highwater::desktop

#include "moc_proposal_box.cpp"
