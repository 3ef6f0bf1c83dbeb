#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

class QComboBox;
class QLabel;
class QToolButton;

namespace highwater::widgets {

/// What to predict for: a device and, for a GPU, the software on it.
struct TargetChoice {
    QString id = "cpu";  ///< "cpu" or a profile's id
    QString libtorch;    ///< "2.11"; empty: the newest that the rules were checked against
    QString cudnn;       ///< "9.10.2"; empty: what that LibTorch brings
    bool operator==(const TargetChoice&) const = default;
};

struct TargetItem {
    QString id;
    QString title;  ///< "NVIDIA H100 80 GB"
};

/// A list of devices with a small menu of versions beside it. The versions are grey for the CPU, whose
/// LibTorch is the one that runs.
class TargetField : public QWidget {
    Q_OBJECT
public:
    explicit TargetField(QWidget* parent = nullptr);

    /// "cpu" comes first, whatever the list holds.
    void setTargets(const std::vector<TargetItem>& targets);
    /// Newest first. The default's text says what it stands for: "2.11 (default)", "9.10.2 (with LibTorch
    /// 2.11)".
    void setVersions(const QStringList& libtorch, const QString& defaultLibtorch, const QStringList& cudnn);
    void setDefaultCudnn(const QString& text);

    /// What is in the list, "cpu" first.
    std::vector<TargetItem> targets() const;

    const TargetChoice& choice() const { return choice_; }
    /// An id or a version that is not in the list becomes the default.
    void setChoice(const TargetChoice& choice);
    QString title() const;

signals:
    void changed(const highwater::widgets::TargetChoice& choice);

private:
    QWidget* versionsForm();
    void read();
    void show();
    TargetChoice choice_;
    QComboBox *device_, *libtorch_, *cudnn_;
    QLabel* note_;
    QToolButton* button_;
};

}  // namespace highwater::widgets
