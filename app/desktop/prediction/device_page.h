#pragma once

#include <QObject>
#include <functional>

#include "app/desktop/window/background.h"
#include "app/desktop/window/notice_bar.h"
#include "core/devices/devices.h"
#include "widgets/controls/control_bar.h"

namespace highwater::desktop {

class PredictionPage;

/// What a run can compute on: the CPU and the GPUs of this machine. They are looked for off the window's
/// thread. What is predicted for follows the device, as long as nobody has chosen another target.
class DevicePage : public QObject {
    Q_OBJECT
public:
    using Look = std::function<devices::GpusHere()>;
    DevicePage(widgets::ControlBar& controls, PredictionPage& predictions, Look look,
               QObject* parent = nullptr);

    /// Returns at once; the list follows.
    void look();
    bool looking() const { return looking_; }
    /// The device that was chosen last time, once it is found, and keeps the choice for the next.
    void rememberDevice() { remembers_ = true; }
    const devices::GpusHere& here() const { return here_; }

signals:
    void notice(highwater::desktop::NoticeBar::Kind kind, const QString& text);

private:
    void take(devices::GpusHere here);
    void restore();
    void follow(const QString& device);
    const devices::GpuHere* gpuOf(const QString& device) const;
    widgets::ControlBar& controls_;
    PredictionPage& predictions_;
    Look look_;
    devices::GpusHere here_;
    QString device_ = "cpu";    ///< chosen now
    QString followed_ = "cpu";  ///< the target that the device brought
    bool looking_ = false, remembers_ = false;
    Background worker_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
