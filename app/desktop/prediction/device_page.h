#pragma once

#include <QObject>
#include <functional>
#include <optional>

#include "app/desktop/experiment/bar/control_bar.h"
#include "core/devices/devices.h"
#include "core/wire/python_source.h"
#include "widgets/controls/notice_bar.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

class PredictionPage;

/// The devices that a run can use: the CPU and the GPUs of this machine, and those of hosts, as found by
/// their last check. GPUs are looked for off the window's thread. The prediction is made for the chosen
/// device, unless the user has chosen another target.
class DevicePage : public QObject {
    Q_OBJECT
public:
    using Look = std::function<devices::GpusHere()>;
    DevicePage(ControlBar& controls, PredictionPage& predictions, Look look, QObject* parent = nullptr);

    /// Starts to look for GPUs and returns at once. The list is updated later.
    void look();
    bool looking() const { return looking_; }
    /// Selects the device of the last launch as soon as it is found, and stores the choice for the next
    /// launch.
    void rememberDevice() { remembers_ = true; }
    /// Looks for a Python with PyTorch, whose devices the list then offers too.
    void lookForPython();
    const devices::GpusHere& here() const { return here_; }

signals:
    void notice(highwater::widgets::NoticeBar::Kind kind, const QString& text);

private:
    void take(devices::GpusHere here);
    void offer();
    void restore();
    void follow(const QString& device);
    void followHost(const RunOptions& options);
    void predictFor(const TargetChoice& target);
    void nameFirstGpu(const std::vector<DeviceChoice>& choices);
    const devices::GpuHere* gpuOf(const QString& device) const;
    ControlBar& controls_;
    PredictionPage& predictions_;
    Look look_;
    devices::GpusHere here_;
    std::optional<wire::PythonSource> python_;
    QString device_ = "cpu";    ///< the device selected now; "HOST/DEVICE" for one on a host
    QString followed_ = "cpu";  ///< the target that was set because of the device
    bool looking_ = false, remembers_ = false;
    widgets::Background worker_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
