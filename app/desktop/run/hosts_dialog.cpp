#include "app/desktop/run/hosts_dialog.h"

#include <QAction>
#include <QClipboard>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/hosts/prepare.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

HostsDialog::HostsDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Hosts"));
    list_ = new QListWidget(this);
    list_->setAccessibleName(tr("Hosts"));
    list_->setProperty("boxed", true);
    name_ = new QLineEdit(this);
    name_->setPlaceholderText("lab");
    address_ = new QLineEdit(this);
    address_->setPlaceholderText("anna@lab.example.org");
    python_ = new QLineEdit(this);
    python_->setPlaceholderText(tr("the one on its PATH"));
    name_->setToolTip(tr("Name of the host in Highwater"));
    address_->setToolTip(
        tr("Any name that ssh accepts; ports, keys and jump hosts belong in the ssh configuration. A period "
           "means this machine, with the torch of the Python below"));
    python_->setToolTip(tr("The path of the Python on the host whose PyTorch is used"));
    add_ = new QPushButton(tr("Add or change"), this);
    remove_ = new QPushButton(tr("Remove"), this);
    check_ = new QPushButton(this);
    check_->setProperty("primary", true);
    auto* const close = new QPushButton(tr("Close"), this);
    message_ = new QLabel(this);
    message_->setWordWrap(true);
    message_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    message_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    message_->setMinimumHeight(message_->fontMetrics().height() * 10);
    for (QPushButton* button : {add_, remove_, check_, close}) {
        button->setAutoDefault(false);
    }

    auto* const fields = new QFormLayout;
    fields->addRow(tr("Name"), name_);
    fields->addRow(tr("Address"), address_);
    fields->addRow(tr("Python"), python_);
    auto* const buttons = new QHBoxLayout;
    buttons->addWidget(add_);
    buttons->addWidget(remove_);
    buttons->addStretch(1);
    buttons->addWidget(check_);
    buttons->addWidget(close);
    auto* const layout = widgets::makeLayout<QVBoxLayout>(this, 12, {16, 16, 16, 14});
    layout->addWidget(list_, 1);
    layout->addLayout(fields);
    layout->addWidget(message_, 1);
    layout->addLayout(buttons);
    resize(620, 560);

    connect(list_, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0) {
            const hosts::Host& host = hosts_[static_cast<std::size_t>(row)];
            name_->setText(widgets::fromUtf8(host.name));
            address_->setText(widgets::fromUtf8(host.destination));
            python_->setText(widgets::fromUtf8(host.python));
        }
        showState();
    });
    connect(add_, &QPushButton::clicked, this, &HostsDialog::add);
    connect(remove_, &QPushButton::clicked, this, &HostsDialog::remove);
    connect(check_, &QPushButton::clicked, this, &HostsDialog::check);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    const auto offer = [this](const QString& text, auto act) {
        auto* const action = new QAction(text, list_);
        connect(action, &QAction::triggered, this, act);
        list_->addAction(action);
    };
    offer(tr("Check"), [this] { check_->click(); });
    offer(tr("Remove"), [this] { remove_->click(); });
    offer(tr("Copy"), [this] {
        if (const QListWidgetItem* const host = list_->currentItem()) {
            QGuiApplication::clipboard()->setText(host->text());
        }
    });
    list_->setContextMenuPolicy(Qt::ActionsContextMenu);
    for (QLineEdit* field : {name_, address_, python_}) {
        connect(field, &QLineEdit::returnPressed, this, &HostsDialog::add);
    }
    fill({});
}

HostsDialog::~HostsDialog() {
    if (stop_) {
        *stop_ = true;
    }
}

QString HostsDialog::message() const {
    return said_;
}

/// `rows`: names and values, shown below the text.
void HostsDialog::say(const QString& said, const Rows& rows) {
    said_ = said;
    QString table;
    for (const auto& [name, value] : rows) {
        said_ += QString("\n%1: %2").arg(widgets::fromUtf8(name), widgets::fromUtf8(value));
        table += QString("<tr><td style='color:%1; padding-right:14px'>%2</td><td>%3</td></tr>")
                     .arg(widgets::theme().mutedText.name(), widgets::fromUtf8(name).toHtmlEscaped(),
                          widgets::fromUtf8(value).toHtmlEscaped());
    }
    message_->setTextFormat(rows.empty() ? Qt::PlainText : Qt::RichText);
    message_->setText(rows.empty()
                          ? said
                          : QString("<p style='margin-bottom:8px'>%1</p><table cellspacing='2'>%2</table>")
                                .arg(said.toHtmlEscaped(), table));
}

void HostsDialog::fill(const std::string& chosen) {
    auto read = hosts::readHosts(hosts::hostsFile());
    list_->clear();
    hosts_ = read ? std::move(*read) : std::vector<hosts::Host>();
    int row = 0;
    for (const hosts::Host& host : hosts_) {
        row = host.name == chosen ? list_->count() : row;
        list_->addItem(
            QString("%1 · %2").arg(widgets::fromUtf8(host.name), widgets::fromUtf8(hosts::addressOf(host))));
    }
    list_->setCurrentRow(hosts_.empty() ? -1 : row);
    if (!read) {
        say(widgets::fromUtf8(read.error().message));
    } else if (hosts_.empty()) {
        say(
            tr("A machine with a GPU that ssh reaches without a password. Its engine is built there once; "
               "its runs then appear here like local ones."));
    }
    showState();
}

void HostsDialog::add() {
    const auto typed = [](const QLineEdit* field) { return field->text().trimmed().toStdString(); };
    hosts::Host host;
    for (const hosts::Host& known : hosts_) {
        host = known.name == typed(name_) ? known : host;  // values without a field here are kept
    }
    host.name = typed(name_);
    host.destination = typed(address_);
    host.python = typed(python_);
    if (const auto added = hosts::addHost(hosts::hostsFile(), host); !added) {
        say(widgets::fromUtf8(added.error().message));
        return;
    }
    say(tr("%1 added. Check it to see what is installed there and to build the engine.")
            .arg(widgets::fromUtf8(host.name)));
    fill(host.name);
    emit hostsChanged();
}

void HostsDialog::remove() {
    const int row = list_->currentRow();
    if (row < 0) {
        return;
    }
    const std::string name = hosts_[static_cast<std::size_t>(row)].name;
    const auto removed = hosts::removeHost(hosts::hostsFile(), name);
    say(removed ? tr("%1 removed from the list. Nothing was changed on it.").arg(widgets::fromUtf8(name))
                : widgets::fromUtf8(removed.error().message));
    fill({});
    emit hostsChanged();
}

void HostsDialog::check() {
    if (stop_) {
        *stop_ = true;
        return;
    }
    const int row = list_->currentRow();
    if (row < 0) {
        return;
    }
    const hosts::Host host = hosts_[static_cast<std::size_t>(row)];
    stop_ = std::make_shared<std::atomic<bool>>(false);
    say(tr("Asking %1…").arg(widgets::fromUtf8(host.name)));
    showState();
    const auto progress = [this](std::string_view line) {
        QMetaObject::invokeMethod(
            this,
            [this, shown = QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()))] {
                say(shown);
            },
            Qt::QueuedConnection);
    };
    using Done = std::pair<Answer, QString>;
    worker_.run(
        [host, progress, stop = stop_]() -> Done {
            auto facts = hosts::checkThere(host, stop.get());
            if (!facts) {
                const QString problem = widgets::fromUtf8(facts.error().message);
                return {std::move(facts), problem};
            }
            const auto prepared = hosts::prepareThere(host, *facts, progress, stop.get());
            return {std::move(facts), prepared ? QString() : widgets::fromUtf8(prepared.error().message)};
        },
        this, [this, host](const Done& done) { finish(host, done.first, done.second); });
}

void HostsDialog::finish(const hosts::Host& host, const Answer& answer, const QString& problem) {
    const bool stopped = *stop_;
    stop_.reset();
    QString outcome = problem;
    if (stopped) {
        outcome = tr("Stopped. A build in progress continues there; check again to follow it.");
    } else if (problem.isEmpty()) {
        outcome = tr("%1 is ready: choose it in Run on.").arg(widgets::fromUtf8(host.name));
    }
    say(outcome, answer ? hosts::rowsOf(*answer) : Rows());
    showState();
    if (answer) {
        emit hostsChanged();  // the names of its GPUs are known now
    }
}

void HostsDialog::showState() {
    const bool chosen = list_->currentRow() >= 0;
    check_->setText(stop_ ? tr("Stop") : tr("Check and prepare"));
    check_->setEnabled(stop_ || chosen);
    remove_->setEnabled(chosen && !stop_);
    add_->setEnabled(!stop_);
    list_->setEnabled(!stop_);
}

}  // namespace highwater::desktop

#include "moc_hosts_dialog.cpp"
