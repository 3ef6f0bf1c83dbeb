#include "app/desktop/experiment/stack/layer_words.h"
#include "widgets/theme/utf8.h"

#include <QObject>
#include <QStringList>

namespace highwater::desktop {

QString optionsInWords(const stack::Layer& layer, int dims, bool byBlock) {
    QStringList words = widgets::fromUtf8(stack::wordsOf(layer.op, {true, dims, byBlock}));
    if (!layer.id.empty()) {
        words << QObject::tr("id %1").arg(QString::fromStdString(layer.id));
    }
    return words.join(", ");
}

QString layersText(std::int64_t count) {
    return count == 1 ? QObject::tr("1 layer") : QObject::tr("%n layers", nullptr, static_cast<int>(count));
}

std::vector<TypeGroup> typeGroups() {
    using stack::Group;
    const std::pair<Group, QString> titles[] = {{Group::Convolution, QObject::tr("Convolution")},
                                                {Group::Normalization, QObject::tr("Normalization")},
                                                {Group::Activation, QObject::tr("Activation")},
                                                {Group::Resolution, QObject::tr("Resolution")},
                                                {Group::Regularization, QObject::tr("Regularization")},
                                                {Group::Constant, QObject::tr("Constant")},
                                                {Group::Learned, QObject::tr("Learned")},
                                                {Group::Windows, QObject::tr("Windows")},
                                                {Group::Classifier, QObject::tr("Classifier")},
                                                {Group::Axes, QObject::tr("Axes")},
                                                {Group::Merge, QObject::tr("Merge")},
                                                {Group::Again, QObject::tr("Reuse")},
                                                {Group::DeepSupervision, QObject::tr("Deep supervision")},
                                                {Group::Other, QObject::tr("Other")}};
    std::vector<TypeGroup> groups;
    for (const auto& [group, title] : titles) {
        TypeGroup made{title, stack::typesOf(group)};
        std::erase(made.types, "block");
        groups.push_back(std::move(made));
    }
    return groups;
}

}  // namespace highwater::desktop
