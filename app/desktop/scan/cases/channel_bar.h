#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;

namespace highwater::desktop {

/// Lets the user choose which channel of the input, or its label map, the views show. Hidden if there is only
/// one choice.
class ChannelBar : public QWidget {
    Q_OBJECT
public:
    explicit ChannelBar(QWidget* parent = nullptr);
    /// The names to choose from, in order: "1: t1.nii.gz", ..., "labels: seg.nii.gz".
    void setChannels(const QStringList& names, int current);
    int current() const;

signals:
    void channelChosen(int channel);

private:
    QComboBox* choice_;
};

}  // namespace highwater::desktop
