#include "app/desktop/window/waiting.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPointer>
#include <QProgressBar>
#include <QVBoxLayout>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "widgets/theme/panel.h"

namespace highwater::desktop {

namespace {

constexpr std::chrono::milliseconds kQuiet{500};

}  // namespace

bool waitForFolder(const QString& folder, std::function<void()> look) {
    QDialog dialog;
    dialog.setWindowTitle(QCoreApplication::translate("waitForFolder", "Highwater"));
    auto* text = new QLabel(QCoreApplication::translate("waitForFolder",
                                                        "Waiting for the folder of your runs, which does not "
                                                        "answer. It may lie on a file server.\n\n%1")
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
    buttons->addButton(QCoreApplication::translate("waitForFolder", "Quit"), QDialogButtonBox::RejectRole);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* layout = widgets::makeLayout<QVBoxLayout>(&dialog, 14, {16, 16, 16, 14});
    layout->addWidget(text);
    layout->addWidget(bar);
    layout->addWidget(buttons);

    // The thread may outlive this function: what it shares is its own.
    const auto answered = std::make_shared<std::promise<void>>();
    const auto answer = answered->get_future();
    std::thread([answered, look = std::move(look), waiting = QPointer<QDialog>(&dialog)] {
        look();
        answered->set_value();
        QMetaObject::invokeMethod(
            qApp,
            [waiting] {
                if (waiting) {
                    waiting->accept();
                }
            },
            Qt::QueuedConnection);
    }).detach();
    return answer.wait_for(kQuiet) == std::future_status::ready || dialog.exec() == QDialog::Accepted;
}

}  // namespace highwater::desktop
