#include "app/desktop/experiment/stack/option_fields.h"

#include <algorithm>

#include "app/desktop/experiment/stack/form_fields.h"
#include "app/desktop/experiment/stack/layer_tree.h"
#include "widgets/theme/utf8.h"

namespace highwater::desktop {

QStringList idsOf(const stack::Experiment& experiment) {
    return widgets::fromUtf8(layerIds(experiment.stack));
}

QString joinedIds(const std::vector<std::string>& ids) {
    return widgets::fromUtf8(ids).join(", ");
}

std::vector<std::string> idsIn(const std::string& text, const stack::Experiment& experiment) {
    const std::vector<std::string> known = layerIds(experiment.stack);
    if (std::find(known.begin(), known.end(), text) != known.end()) {
        return {text};
    }
    std::vector<std::string> ids;
    for (const QString& part : QString::fromStdString(text).split(',', Qt::SkipEmptyParts)) {
        ids.push_back(part.trimmed().toStdString());
    }
    return ids;
}

void addFields(OptionForm& form, const stack::Op& op, std::function<Path()> path) {
    const auto layer = [path](const stack::Experiment& e) { return layerAt(e.stack, path()); };
    std::visit(
        [&]<class T>(const T& value) {
            const auto of = [layer](const stack::Experiment& e) {
                const stack::Layer* here = layer(e);
                return here ? std::get_if<T>(&here->op) : nullptr;
            };
            FormFields<T> fields(form, of);
            stack::About<T>::fields(fields, value);
        },
        op);
    if (std::holds_alternative<stack::Head>(op)) {
        return;  // it passes its input through: there is no new output to name
    }
    PartFields<stack::Layer>(form, layer)
        .text("id", QObject::tr("Names the output, so that a later merge can use it"), QObject::tr("none"),
              &stack::Layer::id);
}

}  // namespace highwater::desktop
