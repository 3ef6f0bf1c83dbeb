#include "app/desktop/experiment/stack/advice_box.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/theme/theme.h"
#include "widgets/theme/wrapped_label.h"

namespace highwater::desktop {

namespace {

QString escaped(const std::string& text) {
    return QString::fromStdString(text).toHtmlEscaped();
}

QString sizeLinks(const predict::Cliff& cliff) {
    QStringList links;
    for (const auto& [axis, values] : cliff.safe) {
        const QString name = QString::fromStdString(axis);
        for (const std::int64_t value : values) {
            links << QString("<a href=\"size:%1:%2\">%3</a>")
                         .arg(name)
                         .arg(value)
                         .arg(QObject::tr("use %1 %2").arg(QString(name).replace('_', ' ')).arg(value));
        }
    }
    return links.join(QStringLiteral(" · "));
}

}  // namespace

AdviceBox::AdviceBox(QWidget* parent) : QFrame(parent) {
    setObjectName("advice");
    label_ = new widgets::WrappedLabel(this);
    label_->setTextFormat(Qt::RichText);
    label_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard |
                                    Qt::TextSelectableByMouse);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 7, 10, 7);
    layout->addWidget(label_);
    connect(label_, &QLabel::linkActivated, this, &AdviceBox::follow);
    connect(&widgets::ThemeNotifier::instance(), &widgets::ThemeNotifier::changed, this, &AdviceBox::paint);
    paint();
    hide();
}

void AdviceBox::paint() {
    const widgets::Theme& t = widgets::theme();
    setStyleSheet(QString("#advice { background: %1; border: 0; border-left: 3px solid %2; }")
                      .arg(t.header.name(), t.warning.name()));
}

void AdviceBox::showCliffs(const std::vector<predict::Cliff>& cliffs) {
    setVisible(!cliffs.empty());
    if (cliffs == cliffs_) {
        return;
    }
    cliffs_ = cliffs;
    if (cliffs.empty()) {
        label_->clear();
        return;
    }
    const auto worst = std::max_element(cliffs.begin(), cliffs.end(),
                                        [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    QString text = tr("<b>Cliff.</b> %1").arg(escaped(worst->message));
    if (const QString links = sizeLinks(*worst); !links.isEmpty()) {
        text += "<br>" + links;
    }
    if (worst->layer >= 0) {
        text += QString("%1<a href=\"layer:%2\">%3</a>")
                    .arg(worst->safe.empty() ? "<br>" : QStringLiteral(" · "))
                    .arg(worst->layer)
                    .arg(tr("show the layer"));
    }
    if (cliffs.size() > 1) {
        text += "<br>" + tr("%1 more, marked in the list").arg(cliffs.size() - 1);
    }
    label_->setText(text);
}

QString AdviceBox::text() const {
    return label_->text();
}

void AdviceBox::follow(const QString& link) {
    const QStringList parts = link.split(':');
    if (parts.value(0) == "size" && parts.size() == 3) {
        emit sizeChosen(parts[1], parts[2].toLongLong());
    } else if (parts.value(0) == "layer" && parts.size() == 2) {
        emit layerChosen(parts[1].toInt());
    }
}

}  // namespace highwater::desktop

#include "moc_advice_box.cpp"
