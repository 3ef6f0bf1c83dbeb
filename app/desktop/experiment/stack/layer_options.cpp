#include "app/desktop/experiment/stack/layer_options.h"

#include <QFrame>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/desktop/experiment/stack/option_fields.h"
#include "widgets/theme/panel.h"
#include "widgets/theme/tab_order.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

namespace {

QString pathKey(const Path& path) {
    QString key;
    for (const int row : path) {
        key += QString("/%1").arg(row);
    }
    return key;
}

}  // namespace

LayerOptions::LayerOptions(ExperimentDocument& document, QWidget* parent)
    : widgets::Panel({}, parent), document_(document) {
    auto* body = new QWidget(this);
    auto* layout = widgets::makeLayout<QVBoxLayout>(body, 0);
    scroll_ = new QScrollArea(body);
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    place_ = new QWidget(body);
    place_->setFocusPolicy(Qt::StrongFocus);
    place_->hide();
    empty_ = new QLabel(tr("Choose a layer to see its options."), body);
    empty_->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    empty_->setMargin(18);
    empty_->setProperty("muted", true);
    layout->addWidget(empty_);
    layout->addWidget(scroll_, 1);
    setBody(body);
    connect(&document_, &ExperimentDocument::changed, this, &LayerOptions::refresh);
    refresh();
}

void LayerOptions::setCurrent(const std::vector<int>& path) {
    path_ = path;
    refresh();
}

void LayerOptions::refresh() {
    const stack::Layer* layer = layerAt(document_.experiment().stack, path_);
    empty_->setVisible(!layer);
    scroll_->setVisible(layer);
    if (!layer) {
        setTitle(tr("Options"));
        setNote({});
        return;
    }
    if (widgets::fromUtf8(stack::typeName(layer->op)) != formType_) {
        rebuild(*layer);
    }
    describe(*layer);
    form_->showExperiment(document_.experiment());
}

void LayerOptions::rebuild(const stack::Layer& layer) {
    formType_ = widgets::fromUtf8(stack::typeName(layer.op));
    form_ = new OptionForm;
    addFields(*form_, layer.op, [this] { return path_; });
    scroll_->setWidget(form_);
    widgets::tabBefore(place_, *form_);
    connect(form_, &OptionForm::menuOpening, this, &LayerOptions::offerToVary);
    connect(form_, &OptionForm::changed, this,
            [this](const QString& key, const OptionForm::Change& change, const QString&) {
                document_.edit(tr("Change %1").arg(key), change, "option" + pathKey(path_) + "/" + key);
            });
}

void LayerOptions::offerToVary(QMenu& menu, const OptionForm::Variation& of) {
    if (layerAt(document_.experiment().stack, path_) == nullptr) {
        return;
    }
    FieldsToVary fields(document_.experiment());
    const FieldToVary one = fields.layer(path_, of.name, of.words),
                      same = fields.sameLayers(path_, of.name, of.words);
    if (!one.pointers.isEmpty()) {
        desktop::offerToVary(menu, tr("Vary this"),
                             [one, this](FieldStudy study) { emit varyWanted(one, study); });
    }
    if (same.pointers.size() > 1) {
        desktop::offerToVary(
            menu,
            tr("Vary this in the %1 %2 layers with the same value").arg(same.pointers.size()).arg(formType_),
            [same, this](FieldStudy study) { emit varyWanted(same, study); });
    }
}

void LayerOptions::describe(const stack::Layer& layer) {
    setTitle(widgets::fromUtf8(stack::typeName(layer.op)));
    const Layers& layers = document_.experiment().stack;
    const Paths paths = allPaths(layers);
    const auto place = std::find(paths.begin(), paths.end(), path_) - paths.begin();
    const QString note = tr("layer %1").arg(place + 1);
    if (path_.size() > 1) {
        const stack::Layer* parent = layerAt(layers, Path(path_.begin(), path_.end() - 1));
        const auto& block = std::get<stack::Block>(parent->op);
        setNote(block.name.empty() ? tr("%1, in a block").arg(note)
                                   : tr("%1, in block %2").arg(note, QString::fromStdString(block.name)));
    } else {
        setNote(note);
    }
}

}  // namespace highwater::desktop

#include "moc_layer_options.cpp"
