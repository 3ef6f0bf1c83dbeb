#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <memory>
#include <optional>

#include "app/desktop/window/background.h"
#include "core/scan/cohort.h"
#include "core/scan/contents.h"

namespace highwater::desktop {

/// What is in a folder, and what could be done with it.
struct FolderView {
    QString folder;  ///< absolute
    scan::Contents contents;
    std::optional<scan::Cohort> cohort;  ///< nothing: it is none
    QString whyNoCohort;
};

/// What opening a folder comes to.
enum class FolderKind {
    OneSeries,  ///< and nothing else: opened at once
    OneFile,
    Choice,  ///< several; somebody has to choose
    Cohort,  ///< no scan directly in it, but cases
    Nothing  ///< nothing that can be read
};
FolderKind kindOf(const FolderView& view);
/// Why there is nothing in it to open, with what was found instead.
QString nothingIn(const FolderView& view);

/// Looks into a folder in the background; only the newest request counts.
class ScanListing : public QObject {
    Q_OBJECT
public:
    using List = std::function<base::Result<scan::Contents>(const std::string&, const scan::ReadOptions&)>;
    explicit ScanListing(List list = scan::listScans, QObject* parent = nullptr);
    ~ScanListing() override;

    void look(const QString& folder);
    void cancel();
    bool busy() const { return busy_; }

signals:
    void progress(const QString& stage, double fraction);  ///< fraction < 0: unknown
    void found(const highwater::desktop::FolderView& view);
    void failed(const QString& message);

private:
    struct Outcome;
    List list_;
    std::shared_ptr<std::atomic<bool>> cancel_;
    bool busy_ = false;
    Background worker_;  ///< last: it ends before what its work uses
};

}  // namespace highwater::desktop
