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

/// Asks the user's cuDNN, on a worker thread, about the workspaces that predictions for GPUs had to guess.
/// Edits do not wait for it: the prediction with its range is shown first. Every function returns at once.
class Asker : public QObject {
    Q_OBJECT
public:
    using Work = std::function<base::Result<ask::Answers>(const predict::AskedKey&,
                                                          const predict::Prediction&, const ask::Asking&)>;
    /// Asks the cuDNN found by ask::findCudnn(), through highwater-cudnn; fails if there is none.
    static base::Result<ask::Answers> askUsersCudnn(const predict::AskedKey& key,
                                                    const predict::Prediction& prediction,
                                                    const ask::Asking& asking);
    explicit Asker(Work work = askUsersCudnn, QObject* parent = nullptr);
    ~Asker() override;

    /// Asks about what this answer leaves open. Of the answers passed while cuDNN is being asked, only the
    /// last one is used.
    void look(const PredictionAnswer& answer);
    /// A text to show beside the guesses of that answer: that cuDNN is being asked, or why it does not
    /// answer. Empty if there is nothing to say.
    QString said(const PredictionAnswer& answer) const;

signals:
    /// There are new answers: repeating predictions improves them.
    void learned();
    /// The result of said() may have changed.
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
    /// By device and version: the questions asked in vain, and why.
    struct Tried {
        std::set<std::string> questions;
        std::string why;
        bool nobody = false;  ///< cuDNN does not answer: nothing more is asked
    };
    std::map<std::string, Tried> tried_;
    std::shared_ptr<std::atomic<bool>> cancel_ = std::make_shared<std::atomic<bool>>(false);
    widgets::Background worker_;  ///< declared last: it ends before the members that its work uses
};

}  // namespace highwater::desktop
