#pragma once

#include <QStringList>
#include <memory>
#include <vector>

#include "core/base/units.h"
#include "widgets/theme/panel.h"

class QLabel;
class QMenu;
class QToolButton;

namespace highwater::widgets {

class Legend;

/// A GPU beside its run: what its memory holds, and how it is doing.
struct DeviceStatus {
    struct Part {
        QString name;  ///< "cache", "context (an estimate)"
        QString meaning;
        base::Bytes bytes = 0;
        bool operator==(const Part&) const = default;
    };
    QString when;             ///< "now", "at the peak"
    bool live = false;        ///< still changing: the strip grows, but does not shrink
    std::vector<Part> parts;  ///< tensors, then the theme's device parts in their order; empty: not known
    base::Bytes capacity = 0;
    QString conditions;        ///< "1980 MHz of 1980, 54 °C"
    QStringList warnings;      ///< what holds it up: throttling, a slower host
    QString advice;            ///< after out of memory: what would have fitted
    std::int64_t batch = 0;    ///< that the advice names; 0: none
    base::Bytes used() const;  ///< the parts' sum
    bool operator==(const DeviceStatus&) const = default;
};

/// The strip above the plots of a GPU run: a bar whose parts sum to what nvidia-smi shows, their names and
/// sizes, the GPU's conditions, warnings, and what would have fitted where it ran out.
class DeviceStrip : public Panel {
    Q_OBJECT
public:
    explicit DeviceStrip(QWidget* parent = nullptr);
    void setStatus(const DeviceStatus& status);
    const DeviceStatus& status() const { return status_; }
    /// The parts, then the capacity, in bytes.
    QString data() const;
    std::unique_ptr<QMenu> contextMenu();

signals:
    /// The user wants the batch that would have fitted.
    void batchWanted(qint64 batch);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    class Bar;
    void fitHeight();
    DeviceStatus status_;
    Bar* bar_;
    Legend* legend_;
    QLabel* warnings_;
    QWidget* adviceRow_;
    QLabel* advice_;
    QToolButton* use_;
};

}  // namespace highwater::widgets
