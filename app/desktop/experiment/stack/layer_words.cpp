#include "app/desktop/experiment/stack/layer_words.h"
#include "widgets/theme/utf8.h"

#include <QStringList>

namespace highwater::desktop {

QString optionsInWords(const stack::Layer& layer, int dims, bool byBlock) {
    QStringList words = widgets::fromUtf8(stack::wordsOf(layer.op, {true, dims, byBlock}));
    if (!layer.id.empty()) {
        words << "id " + QString::fromStdString(layer.id);
    }
    return words.join(", ");
}

std::vector<TypeGroup> typeGroups() {
    using stack::Group;
    constexpr std::pair<Group, const char*> kTitles[] = {{Group::Convolution, "Convolution"},
                                                         {Group::Normalization, "Normalization"},
                                                         {Group::Activation, "Activation"},
                                                         {Group::Resolution, "Resolution"},
                                                         {Group::Regularization, "Regularization"},
                                                         {Group::Constant, "Constant"},
                                                         {Group::Learned, "Learned"},
                                                         {Group::Windows, "Windows"},
                                                         {Group::Classifier, "Classifier"},
                                                         {Group::Axes, "Axes"},
                                                         {Group::Merge, "Merge"},
                                                         {Group::Again, "Reuse"},
                                                         {Group::DeepSupervision, "Deep supervision"},
                                                         {Group::Other, "Other"}};
    std::vector<TypeGroup> groups;
    for (const auto& [group, title] : kTitles) {
        TypeGroup made{title, stack::typesOf(group)};
        std::erase(made.types, "block");
        groups.push_back(std::move(made));
    }
    return groups;
}

}  // namespace highwater::desktop
