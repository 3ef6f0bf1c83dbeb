#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/desktop/study/study_window.h"
#include "core/study/claim.h"
#include "core/study/finding.h"

namespace highwater::desktop {

class ClaimsPanel;

/// The window "Claims": statements about memory and time, and their verdicts.
class ClaimsWindow : public StudyWindow {
    Q_OBJECT
public:
    /// `device` returns the device to run on: "cpu", "cuda:0", and `host` the host of that device; empty:
    /// this machine. `folder` is the folder of the claims; if empty, the program's.
    ClaimsWindow(Store& store, StudyWorker& worker, std::function<QString()> device,
                 std::function<QString()> host, std::filesystem::path folder = {});

    /// Reads claims and findings again, off the window's thread.
    void load();
    bool loading() const override { return loading_; }
    void choose(const QStringList& ids) override { chosen_ = ids; }
    /// Runs the selected claims, or all if none are selected.
    QString run() override;
    QString run(const QStringList& ids);
    ClaimsPanel& panel() { return *panel_; }

protected:
    void showState(const StudyState& state) override;
    void closeEvent(QCloseEvent* event) override;

private:
    struct Loaded;
    void showLoaded(Loaded loaded);
    void showRows();
    std::vector<study::Claim> claimsOf(const QStringList& ids) const;
    void begin(const std::string& id);
    void take(const std::string& id, const base::Result<study::Finding>& finding);
    void finish(std::size_t asked);
    Store& store_;
    std::function<QString()> device_, host_;
    std::filesystem::path folder_;
    ClaimsPanel* panel_;
    std::vector<study::Claim> claims_;
    std::map<std::string, study::Finding> findings_;
    std::map<std::string, QString> problems_;
    std::map<std::string, ClaimActivity> activities_;
    QStringList chosen_;
    QString failure_;                     ///< the most recent failure
    std::size_t found_ = 0, failed_ = 0;  ///< numbers of claims of this study with a result, and without one
    bool loading_ = false;
};

}  // namespace highwater::desktop
