#pragma once

#include <QWidget>
#include <vector>

#include "core/stack/experiment.h"

class QToolButton;
class QVBoxLayout;

namespace highwater::desktop {

class AugmentRow;

/// Edits the list of augmentations that each patch goes through, in order: the kind, probability and amount
/// of each; add, remove and reorder.
class AugmentList : public QWidget {
    Q_OBJECT
public:
    using List = std::vector<stack::Augmentation>;

    explicit AugmentList(QWidget* parent = nullptr);
    ~AugmentList() override;
    void showList(const List& list);

signals:
    /// If `mergeKey` is empty, the edit is a separate undo step.
    void edited(const highwater::desktop::AugmentList::List& list, const QString& mergeKey);

private:
    void rebuild();
    AugmentRow* makeRow(std::size_t index);
    void change(std::size_t index, const stack::Augmentation& to, const QString& what);
    void move(std::size_t index, int by);
    void remove(std::size_t index);
    void add(stack::Augmentation::Kind kind);
    List list_;
    std::vector<AugmentRow*> rows_;
    QWidget* body_ = nullptr;
    QToolButton* add_;
    QVBoxLayout* layout_;
};

}  // namespace highwater::desktop
