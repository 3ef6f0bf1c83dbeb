#pragma once

#include <QObject>
#include <QString>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "app/desktop/experiment/target/predictor.h"
#include "core/ask/ask.h"
#include "widgets/jobs/background.h"

namespace highwater::desktop {

/// Asks the user's cuDNN, on a worker thread, about the workspaces that predictions for GPUs had to guess. No
/// edit waits for it: the prediction with its range is shown first. Every function returns at once.
class Asker : public QObject {
    Q_OBJECT
public:
    using Work = std::function<base::Result<ask::Answers>(const predict::AskedKey&,
                                                          const predict::Prediction&, const ask::Asking&)>;
    /// Asks through highwater-cudnn the cuDNN that ask::findCudnn() finds, or nobody.
    static base::Result<ask::Answers> askUsersCudnn(const predict::AskedKey& key,
                                                    const predict::Prediction& prediction,
                                                    const ask::Asking& asking);
    explicit Asker(Work work = askUsersCudnn, QObject* parent = nullptr);
    ~Asker() override;

    /// Asks what this answer leaves open. Of the answers that come while cuDNN is being asked, the last one
    /// counts.
    void look(const PredictionAnswer& answer);
    /// What is to be said beside the guesses of that answer: that cuDNN is being asked, or why it does not
    /// answer. Empty if there is nothing to say.
    QString said(const PredictionAnswer& answer) const;

signals:
    /// There are new answers: predictions get better if they are made again.
    void learned();
    /// said() may have changed.
    void saidChanged();

private:
    struct Question {
        predict::AskedKey key;
        std::shared_ptr<const predict::Prediction> prediction;
    };
    void begin();
    bool leavesOpen(const Question& question) const;

    Work work_;
    std::optional<Question> next_, asking_;
    /// By device and version: what was asked in vain, and why.
    struct Tried {
        std::set<std::string> questions;
        std::string why;
        bool nobody = false;  ///< nobody answers: nothing more is asked
    };
    std::map<std::string, Tried> tried_;
    std::shared_ptr<std::atomic<bool>> cancel_ = std::make_shared<std::atomic<bool>>(false);
    widgets::Background worker_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
