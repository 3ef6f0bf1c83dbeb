#include "widgets/plot/plot_menu.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QLocale>
#include <QMenu>
#include <QMessageBox>
#include <QRegularExpression>

#include "widgets/plot/picture.h"

namespace highwater::widgets {
namespace {

void savePictureAs(QWidget& chart, const QString& name) {
    const QString png = QObject::tr("PNG picture (*.png)"), svg = QObject::tr("SVG drawing (*.svg)"),
                  pdf = QObject::tr("PDF page (*.pdf)");
    QString chosen;
    QString path = QFileDialog::getSaveFileName(&chart, QObject::tr("Save picture"), name + ".png",
                                                png + ";;" + svg + ";;" + pdf, &chosen);
    if (path.isEmpty()) {
        return;
    }
    if (QFileInfo(path).suffix().isEmpty()) {
        path += chosen == svg ? ".svg" : chosen == pdf ? ".pdf" : ".png";
    }
    if (const auto saved = savePicture(chart, path); !saved) {
        QMessageBox::warning(&chart, QObject::tr("Save picture"),
                             QString::fromStdString(saved.error().message));
    }
}

}  // namespace

std::unique_ptr<QMenu> makePlotMenu(const PlotActions& actions) {
    auto menu = std::make_unique<QMenu>(&actions.chart);
    QWidget* const chart = &actions.chart;
    menu->addAction(QObject::tr("Copy picture"), chart,
                    [chart] { QApplication::clipboard()->setPixmap(pictureOf(*chart)); });
    menu->addAction(QObject::tr("Copy data"), chart,
                    [data = actions.data] { QApplication::clipboard()->setText(data()); });
    menu->addAction(QObject::tr("Save picture…"), chart,
                    [chart, name = actions.name] { savePictureAs(*chart, name); });
    menu->addSeparator();
    menu->addAction(QObject::tr("Reset view"), chart, actions.reset);
    return menu;
}

QString tabbed(const std::vector<QStringList>& rows) {
    QString text;
    for (QStringList row : rows) {
        row.replaceInStrings(QRegularExpression("[\t\n\r]"), " ");
        text += row.join('\t') + '\n';
    }
    return text;
}

QString exactly(double value) {
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

}  // namespace highwater::widgets
