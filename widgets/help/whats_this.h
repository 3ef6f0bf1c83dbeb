#pragma once

#include <QMap>
#include <QObject>
#include <QString>
#include <QStringList>
#include <filesystem>

class QWidget;

namespace highwater::widgets {

/// The terms of a glossary page, in lower case, with their explanations as plain text. The page has a heading
/// of the third level for each term.
QMap<QString, QString> readGlossary(const std::filesystem::path& page);
/// The explanations of the terms that occur in a text as whole words, singular or plural, in the order in
/// which they occur; at most so many, the longer one where two begin at the same place.
QStringList termsIn(const QString& text, const QMap<QString, QString>& glossary, int most);

/// Help > What is this?: explains the control that is clicked, by its name, its tooltip, and what the
/// manual's glossary says of the terms in them. It answers for all windows of the program.
class WhatsThis : public QObject {
    Q_OBJECT
public:
    WhatsThis(const std::filesystem::path& glossary, QObject* parent);
    /// What is said of a place of a widget, as rich text; empty if there is nothing to say.
    QString textOf(const QWidget& widget, const QPoint& place) const;

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    QMap<QString, QString> glossary_;
};

}  // namespace highwater::widgets
