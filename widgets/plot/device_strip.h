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

/// What is shown of a run's GPU: how its memory is used, its clock and temperature, and warnings.
struct DeviceStatus {
    struct Part {
        QString name;  ///< "cache", "context (an estimate)"
        QString meaning;
        base::Bytes bytes = 0;
        bool operator==(const Part&) const = default;
    };
    QString when;             ///< "now", "at the peak"
    bool live = false;        ///< the values still change: the strip may grow in height, but does not shrink
    std::vector<Part> parts;  ///< tensors, then the device parts in the theme's order; empty if unknown
    base::Bytes capacity = 0;
    QString conditions;        ///< "1980 MHz of 1980, 54 °C"
    QStringList warnings;      ///< what slows it down: throttling, a slower host
    QString failure;           ///< after running out of memory: the size requested and where
    QString advice;            ///< after running out of memory: what would have fitted
    std::int64_t batch = 0;    ///< the batch size named in the advice; 0 if none
    base::Bytes used() const;  ///< sum of the parts
    bool operator==(const DeviceStatus&) const = default;
};

/// The strip above the plots of a GPU run: a bar whose parts sum to the value that nvidia-smi shows, their
/// names and sizes, clock and temperature, warnings and, after running out of memory, what would have fitted.
class DeviceStrip : public Panel {
    Q_OBJECT
public:
    explicit DeviceStrip(QWidget* parent = nullptr);
    void setStatus(const DeviceStatus& status);
    const DeviceStatus& status() const { return status_; }
    /// The parts and the capacity in bytes, as a table for the clipboard (see tabbed()).
    QString data() const;
    std::unique_ptr<QMenu> contextMenu();

signals:
    /// The user asked for the batch size that would have fitted.
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
    QLabel* failure_;
    QLabel* advice_;
    QToolButton* use_;
};

}  // namespace highwater::widgets
