#include "widgets/help/whats_this.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QApplication>
#include <QFile>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QRegularExpression>
#include <QTextDocumentFragment>
#include <QWhatsThis>
#include <utility>

namespace highwater::widgets {

namespace {

constexpr int kMostTerms = 3;

/// Markdown's links and marks of code, as plain words.
QString plainWords(QString markdown) {
    static const QRegularExpression link("\\[([^\\]]*)\\]\\([^)]*\\)"), mark("[`*]");
    return markdown.replace(link, "\\1").remove(mark).simplified();
}

/// The words on a control, without the mark of its shortcut.
QString nameOf(const QWidget& widget) {
    QString name = widget.accessibleName();
    if (name.isEmpty()) {
        if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) {
            name = button->text().remove('&');
        } else if (const auto* label = qobject_cast<const QLabel*>(&widget);
                   label && label->textFormat() == Qt::PlainText) {
            name = label->text();
        }
    }
    return name.simplified();
}

/// A cell of a table, or the heading of a column: its text and its tooltip.
std::pair<QString, QString> cellAt(const QAbstractItemView& view, const QPoint& place) {
    const auto texts = [](const auto& data) {
        return std::pair(data(Qt::DisplayRole).toString(), data(Qt::ToolTipRole).toString());
    };
    const QPoint at = view.viewport()->mapFrom(&view, place);
    if (const auto* header = qobject_cast<const QHeaderView*>(&view)) {
        const int section = header->logicalIndexAt(at);
        return section < 0 ? std::pair<QString, QString>() : texts([&](int role) {
            return header->model()->headerData(section, header->orientation(), role);
        });
    }
    const QModelIndex index = view.indexAt(at);
    return texts([&](int role) { return index.data(role); });
}

QString paragraph(const QString& plain) {
    return QStringLiteral("<p>%1</p>").arg(plain.toHtmlEscaped().replace('\n', "<br>"));
}

}  // namespace

QMap<QString, QString> readGlossary(const std::filesystem::path& page) {
    QMap<QString, QString> glossary;
    QFile file(QString::fromStdString(page.string()));
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text)) {
        return glossary;
    }
    QString term;
    for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
        if (line.startsWith('#')) {
            term = line.startsWith("### ") ? line.mid(4).trimmed().toLower() : QString();
        } else if (!term.isEmpty()) {
            glossary[term] += line + ' ';
        }
    }
    for (QString& words : glossary) {
        words = plainWords(words);
    }
    return glossary;
}

QStringList termsIn(const QString& text, const QMap<QString, QString>& glossary, int most) {
    QMap<qsizetype, QString> found;
    for (auto term = glossary.keyBegin(); term != glossary.keyEnd(); ++term) {
        const QRegularExpression word("\\b" + QRegularExpression::escape(*term) + "(s|es)?\\b",
                                      QRegularExpression::CaseInsensitiveOption);
        if (const auto match = word.match(text); match.hasMatch()) {
            QString& at = found[match.capturedStart()];
            at = at.size() > term->size() ? at : *term;
        }
    }
    return found.values().mid(0, most);
}

WhatsThis::WhatsThis(const std::filesystem::path& glossary, QObject* parent)
    : QObject(parent), glossary_(readGlossary(glossary)) {
    qApp->installEventFilter(this);
}

QString WhatsThis::textOf(const QWidget& widget, const QPoint& place) const {
    QString name = nameOf(widget), tip = widget.toolTip();
    const auto* view = qobject_cast<const QAbstractItemView*>(&widget);
    if (!view) {
        view = qobject_cast<const QAbstractItemView*>(widget.parentWidget());
    }
    if (view) {
        const auto [text, cellTip] = cellAt(*view, &widget == view ? place : widget.mapTo(view, place));
        name = text.isEmpty() ? name : text.simplified();
        tip = cellTip.isEmpty() ? tip : cellTip;
    }
    if (Qt::mightBeRichText(tip)) {
        tip = QTextDocumentFragment::fromHtml(tip).toPlainText();
    }
    const QStringList terms = termsIn(name + "\n" + tip, glossary_, kMostTerms);
    if (tip.isEmpty() && terms.isEmpty()) {
        return {};
    }
    QString text = name.isEmpty() || name == tip
                       ? QString()
                       : QStringLiteral("<p><b>%1</b></p>").arg(name.toHtmlEscaped());
    if (!tip.isEmpty()) {
        text += paragraph(tip);
    }
    for (const QString& term : terms) {
        text +=
            QStringLiteral("<p><i>%1</i>: %2</p>").arg(term.toHtmlEscaped(), glossary_[term].toHtmlEscaped());
    }
    return text;
}

bool WhatsThis::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::QueryWhatsThis && event->type() != QEvent::WhatsThis) {
        return false;
    }
    auto* const widget = qobject_cast<QWidget*>(watched);
    if (!widget || !widget->whatsThis().isEmpty()) {
        return false;
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = textOf(*widget, help->pos());
    event->setAccepted(!text.isEmpty());
    if (!text.isEmpty() && event->type() == QEvent::WhatsThis) {
        QWhatsThis::showText(help->globalPos(), text, widget);
    }
    return !text.isEmpty();
}

}  // namespace highwater::widgets
