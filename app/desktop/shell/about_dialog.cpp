#include "app/desktop/shell/about_dialog.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace highwater::desktop {
namespace {

QString rowsOf(const QString& title, const std::vector<AboutPart>& parts) {
    QString out = "<h4>" + title + "</h4><table cellspacing='0' cellpadding='2'>";
    for (const AboutPart& part : parts) {
        out +=
            QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;</td><td>%3</td></tr>")
                .arg(part.name.toHtmlEscaped(), part.version.toHtmlEscaped(), part.license.toHtmlEscaped());
    }
    return out + "</table>";
}

}  // namespace

AboutDialog::AboutDialog(std::vector<AboutPart> libraries, std::vector<AboutPart> machine, QWidget* parent)
    : QDialog(parent), libraries_(std::move(libraries)), machine_(std::move(machine)) {
    setWindowTitle(tr("About Highwater"));
    auto* const head = new QLabel(
        tr("<h3>Highwater %1</h3><p>Memory and speed of convolutional networks on volumetric scans.</p>"
           "<p>Free software under the GNU General Public License, version 3 or later, without any "
           "warranty.</p>")
            .arg(aboutVersion().toHtmlEscaped()));
    head->setTextFormat(Qt::RichText);
    head->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    head->setWordWrap(true);
    auto* const versions = new QTextBrowser;
    versions->setHtml(rowsOf(tr("This machine"), machine_) + rowsOf(tr("Built on"), libraries_));
    versions->setAccessibleName(tr("Versions and licenses"));
    auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* const copyButton = buttons->addButton(tr("Copy for a bug report"), QDialogButtonBox::ActionRole);
    connect(copyButton, &QPushButton::clicked, this, [this, copyButton] {
        copy();
        copyButton->setText(tr("Copied"));
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* const layout = new QVBoxLayout(this);
    layout->addWidget(head);
    layout->addWidget(versions, 1);
    layout->addWidget(buttons);
    resize(560, 520);
}

void AboutDialog::copy() {
    QGuiApplication::clipboard()->setText(aboutText(libraries_, machine_));
}

}  // namespace highwater::desktop

#include "moc_about_dialog.cpp"
