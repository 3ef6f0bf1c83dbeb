#pragma once

#include <QStringList>
#include <QWidget>

class QComboBox;

namespace highwater::widgets {

/// Which channel of the input, or its label map, is in the views. Hidden while there is only one.
class ChannelBar : public QWidget {
    Q_OBJECT
public:
    explicit ChannelBar(QWidget* parent = nullptr);
    /// What there is to show, in order: "1: t1.nii.gz", ..., "labels: seg.nii.gz".
    void setChannels(const QStringList& names, int current);
    int current() const;

signals:
    void channelChosen(int channel);

private:
    QComboBox* choice_;
};

}  // namespace highwater::widgets
