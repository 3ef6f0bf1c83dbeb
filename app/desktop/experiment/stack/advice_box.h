#pragma once

#include <QFrame>
#include <vector>

#include "core/predict/axes/cliffs.h"

class QLabel;

namespace highwater::desktop {

/// Warns of the worst cliff of the stack (a size at which memory jumps), with the safe sizes as links. Hidden
/// if there is none.
class AdviceBox : public QFrame {
    Q_OBJECT
public:
    explicit AdviceBox(QWidget* parent = nullptr);
    void showCliffs(const std::vector<predict::Cliff>& cliffs);
    /// The visible text, as rich text; empty while hidden.
    QString text() const;

signals:
    void sizeChosen(const QString& axis, qint64 value);  ///< `axis` is as in predict::Cliff::safe
    void layerChosen(int layer);

private:
    void follow(const QString& link);
    void paint();
    QLabel* label_;
    std::vector<predict::Cliff> cliffs_;
};

}  // namespace highwater::desktop
