#include "widgets/jobs/waiting.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QVBoxLayout>
#include <future>
#include <memory>
#include <thread>

#include "widgets/theme/panel.h"

namespace highwater::widgets {

namespace {

using namespace std::chrono_literals;

constexpr auto kQuiet = 500ms, kLookEvery = 50ms;

}  // namespace

bool waitForFolder(const QString& folder, std::function<void()> look) {
    // The thread may outlive this function: what it shares is its own.
    const auto answered = std::make_shared<std::promise<void>>();
    const auto answer = answered->get_future();
    std::thread([answered, look = std::move(look)] {
        look();
        answered->set_value();
    }).detach();
    if (answer.wait_for(kQuiet) == std::future_status::ready) {
        return true;
    }
    QDialog dialog;
    dialog.setWindowTitle("Highwater");
    auto* text = new QLabel(
        QObject::tr(
            "Waiting for the folder of your runs, which does not respond. It may be on a file server.\n\n%1")
            .arg(folder),
        &dialog);
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    text->setMinimumWidth(460);
    auto* bar = new QProgressBar(&dialog);
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setFixedHeight(8);
    auto* buttons = new QDialogButtonBox(&dialog);
    buttons->addButton(QObject::tr("Quit"), QDialogButtonBox::RejectRole);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* layout = widgets::makeLayout<QVBoxLayout>(&dialog, 14, {16, 16, 16, 14});
    layout->addWidget(text);
    layout->addWidget(bar);
    layout->addWidget(buttons);
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &dialog, [&] {
        if (answer.wait_for(0s) == std::future_status::ready) {
            dialog.accept();
        }
    });
    timer.start(kLookEvery);
    return dialog.exec() == QDialog::Accepted;
}

}  // namespace highwater::widgets
