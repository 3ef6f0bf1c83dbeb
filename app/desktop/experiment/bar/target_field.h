#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/base/units.h"

class QComboBox;
class QFormLayout;
class QToolButton;

namespace highwater::widgets {
class CheckedEdit;
class SearchCombo;
}  // namespace highwater::widgets

namespace highwater::desktop {

/// What to predict for: a device and, for a GPU, the versions of its software.
struct TargetChoice {
    QString id = "cpu";      ///< "cpu" or a profile's id
    QString libtorch;        ///< "2.11"; empty: the newest version that the rules were checked against
    QString cudnn;           ///< "9.10.2"; empty: the version that comes with that LibTorch
    base::Bytes others = 0;  ///< memory of a GPU that other programs use
    bool operator==(const TargetChoice&) const = default;
};

struct TargetItem {
    QString id;
    QString title;  ///< "NVIDIA H100 80 GB"
};

/// A list of devices that can be searched by typing a part of a name, and a button that opens the choice of
/// versions and of the memory used by other programs. The button is hidden for the CPU, for which the
/// installed LibTorch and the available memory apply.
class TargetField : public QWidget {
    Q_OBJECT
public:
    explicit TargetField(QWidget* parent = nullptr);

    /// "cpu" is always listed first, even if `targets` does not contain it.
    void setTargets(const std::vector<TargetItem>& targets);
    /// The versions to choose from, newest first. The default entry names its version: "2.11 (default)",
    /// "9.10.2 (with that LibTorch)".
    void setVersions(const QStringList& libtorch, const QString& defaultLibtorch, const QStringList& cudnn);
    void setDefaultCudnn(const QString& text);

    /// The devices in the list, "cpu" first.
    std::vector<TargetItem> targets() const;

    const TargetChoice& choice() const { return choice_; }
    /// An id or a version that is not in the list becomes the default.
    void setChoice(const TargetChoice& choice);
    QString title() const;
    /// The title, within a sentence: "this CPU".
    QString name() const;
    /// Offers the size of the chosen GPU's CUDA context, which is not offered before the first call. `given`
    /// is the user's own value; `otherwise` describes the value used without one.
    void setContext(std::optional<base::Bytes> given, const QString& otherwise);
    /// The button that opens the choice of versions; the owner of this field places it.
    QToolButton* versions() const { return button_; }

signals:
    void changed(const highwater::desktop::TargetChoice& choice);
    /// The user entered the size of the chosen GPU's CUDA context, or removed it.
    void contextGiven(std::optional<highwater::base::Bytes> bytes);

private:
    QWidget* versionsForm();
    TargetChoice chosen() const;
    void read();
    void show();
    TargetChoice choice_;
    widgets::SearchCombo* device_;
    QComboBox *libtorch_, *cudnn_;
    widgets::CheckedEdit *others_, *context_;
    QFormLayout* form_;
    QToolButton* button_;
};

}  // namespace highwater::desktop
