#include "widgets/plot/picture.h"

#include <QBuffer>
#include <QFileInfo>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QWidget>
#include <algorithm>

#include "core/base/file.h"
#include "widgets/plot/canvas.h"
#include "widgets/theme/theme.h"

namespace highwater::widgets {
namespace {

/// While this object exists, the widget's plots are redrawn instead of painted from their pixels.
class PaintShapes {
public:
    PaintShapes(QWidget& widget, Canvas::Paint paint) : plots_(widget.findChildren<Canvas*>()) { set(paint); }
    ~PaintShapes() { set(Canvas::Paint::Pixels); }
    PaintShapes(const PaintShapes&) = delete;
    PaintShapes& operator=(const PaintShapes&) = delete;

private:
    void set(Canvas::Paint paint) {
        for (Canvas* plot : plots_) {
            plot->setPaint(paint);
        }
    }
    QList<Canvas*> plots_;
};

void paintOn(QPaintDevice& device, QWidget& widget, Canvas::Paint paint) {
    const PaintShapes shapes(widget, paint);
    QPainter painter(&device);
    painter.fillRect(widget.rect(), theme().panel);
    widget.render(&painter);
}

bool writePng(QIODevice& file, QWidget& widget) {
    return pictureOf(widget).save(&file, "PNG");
}

bool writeSvg(QIODevice& file, QWidget& widget) {
    QSvgGenerator svg;
    svg.setOutputDevice(&file);
    svg.setResolution(widget.logicalDpiX());
    svg.setSize(widget.size());
    svg.setViewBox(widget.rect());
    svg.setTitle(widget.accessibleName());
    paintOn(svg, widget, Canvas::Paint::Vectors);
    return true;
}

bool writePdf(QIODevice& file, QWidget& widget) {
    QPdfWriter pdf(&file);
    const int resolution = widget.logicalDpiX();
    pdf.setResolution(resolution);
    pdf.setTitle(widget.accessibleName());
    pdf.setPageMargins(QMarginsF());
    pdf.setPageSize(
        QPageSize(QSizeF(widget.size()) / resolution, QPageSize::Inch, {}, QPageSize::ExactMatch));
    paintOn(pdf, widget, Canvas::Paint::Vectors);
    return true;
}

base::Error pictureError(const QString& text) {
    return {text.toStdString()};
}

}  // namespace

QPixmap pictureOf(QWidget& widget, double scale) {
    const double ratio = std::max(scale, widget.devicePixelRatioF());
    QPixmap pixmap(widget.size() * ratio);
    pixmap.setDevicePixelRatio(ratio);
    paintOn(pixmap, widget, Canvas::Paint::Shapes);
    return pixmap;
}

base::Status savePicture(QWidget& widget, const QString& path) {
    const QString ending = QFileInfo(path).suffix().toLower();
    auto* const write = ending == "png"   ? writePng
                        : ending == "svg" ? writeSvg
                        : ending == "pdf" ? writePdf
                                          : nullptr;
    if (write == nullptr) {
        return pictureError(
            QObject::tr("%1: a picture's name ends in .png, .svg or .pdf.").arg(QFileInfo(path).fileName()));
    }
    QBuffer drawn;  // if the disk is full, QSaveFile could replace the file with an incomplete one
    drawn.open(QIODevice::WriteOnly);
    if (!write(drawn, widget)) {
        return pictureError(QObject::tr("%1: the picture cannot be drawn.").arg(path));
    }
    const QByteArray& bytes = drawn.data();
    return base::writeFileAtomically(path.toStdString(),
                                     {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace highwater::widgets
