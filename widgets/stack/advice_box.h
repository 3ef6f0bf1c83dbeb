#pragma once

#include <QFrame>
#include <vector>

#include "core/predict/axes/cliffs.h"

class QLabel;

namespace highwater::widgets {

/// What lies ahead: the worst cliff of the stack in words, with its safe sizes as links. Hidden where there
/// is none.
class AdviceBox : public QFrame {
    Q_OBJECT
public:
    explicit AdviceBox(QWidget* parent = nullptr);
    void showCliffs(const std::vector<predict::Cliff>& cliffs);
    /// What it says, as rich text; empty while hidden.
    QString text() const;

signals:
    void sizeChosen(const QString& axis, qint64 value);  ///< axis as in predict::Cliff::safe
    void layerChosen(int layer);

private:
    void follow(const QString& link);
    void paint();
    QLabel* label_;
    std::vector<predict::Cliff> cliffs_;
};

}  // namespace highwater::widgets
