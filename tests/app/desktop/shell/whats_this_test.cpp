#include "widgets/help/whats_this.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QHelpEvent>
#include <QLabel>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>

#include "widgets/help/docs_window.h"

namespace highwater::widgets {
namespace {

using ::testing::HasSubstr;

std::filesystem::path glossary() {
    return docsFolder() / "glossary.md";
}

TEST(WhatsThis, ReadsTheManualsGlossary) {
    const auto terms = readGlossary(glossary());
    EXPECT_GT(terms.size(), 50);
    EXPECT_THAT(terms.value("activations").toStdString(),
                HasSubstr("saves for the backward pass. They are a category of the ledger"))
        << "links are plain words";
    for (const QString& words : terms) {
        EXPECT_FALSE(words.contains("](") || words.contains('`')) << words.toStdString();
    }
    EXPECT_TRUE(readGlossary("/nowhere").isEmpty());
}

TEST(WhatsThis, FindsWholeWordsInTheirOrder) {
    const QMap<QString, QString> terms = {{"block", ""}, {"peak", ""}, {"micro-batch", ""}, {"batch", ""}};
    EXPECT_EQ(termsIn("Peaks of unblocked micro-batches by block", terms, 3),
              (QStringList{"peak", "micro-batch", "batch"}));
    EXPECT_EQ(termsIn("nothing of it", terms, 3), QStringList());
}

TEST(WhatsThis, ExplainsAControlByItsTipAndTheGlossary) {
    QObject owner;
    const WhatsThis help(glossary(), &owner);
    QPushButton button("&Recompute <more>");
    button.setToolTip("Keeps fewer activations");
    const std::string text = help.textOf(button, {}).toStdString();
    EXPECT_THAT(text, HasSubstr("<b>Recompute &lt;more&gt;</b>"));
    EXPECT_THAT(text, HasSubstr("Keeps fewer activations"));
    EXPECT_THAT(text, HasSubstr("<i>activations</i>: "));
    EXPECT_TRUE(help.textOf(QWidget(), {}).isEmpty());
}

TEST(WhatsThis, ExplainsACellOfATable) {
    QObject owner;
    const WhatsThis help(glossary(), &owner);
    QStandardItemModel model(1, 1);
    model.setData(model.index(0, 0), "12 MiB");
    model.setData(model.index(0, 0), "What the allocator has reserved", Qt::ToolTipRole);
    QTableView view;
    view.setModel(&model);
    view.resize(300, 200);
    view.show();
    const QPoint cell = view.visualRect(model.index(0, 0)).center();
    const std::string text = help.textOf(*view.viewport(), cell).toStdString();
    EXPECT_THAT(text, HasSubstr("<b>12 MiB</b>"));
    EXPECT_THAT(text, HasSubstr("<i>reserved</i>: "));
}

/// As Qt asks: the widget under the mouse first, then those around it.
TEST(WhatsThis, AnswersInEveryWindow) {
    QObject owner;
    const WhatsThis help(glossary(), &owner);
    QWidget window;
    QLabel tipped("peak", &window), silent("...", &window);
    tipped.setTextFormat(Qt::PlainText);
    const auto answers = [](QWidget& widget) {
        QHelpEvent query(QEvent::QueryWhatsThis, {}, {});
        query.ignore();
        QApplication::sendEvent(&widget, &query);
        return query.isAccepted();
    };
    EXPECT_TRUE(answers(tipped));
    EXPECT_FALSE(answers(silent));
}

}  // namespace
}  // namespace highwater::widgets
