#pragma once

#include <functional>
#include <set>
#include <string>

#include "core/ask/ask.h"

namespace highwater::ask {

/// Adds cuDNN's answers to the targets of one device, over a series of predictions. Answers are cached: a
/// question answered for one size is not asked again for the next. For one thread.
class Learner {
public:
    using Work = std::function<base::Result<Answers>(const predict::AskedKey&, const predict::Prediction&,
                                                     const Asking&)>;
    /// `asking.tried` is ignored: the learner keeps its own set.
    explicit Learner(Asking asking, Work work = askWhatIsOpen);

    /// Asks the questions that `prediction` leaves open and adds the answers to its target. True if there are
    /// any: repeat the prediction, which is then more accurate and may leave other questions open. False if
    /// nothing is open, cuDNN does not answer, or it is cancelled.
    bool teach(const predict::Prediction& prediction, predict::Target& target);
    /// Adds the answers so far to a target, without asking cuDNN.
    void tell(predict::Target& target) const;
    /// Why questions are still open, one line; empty if none are, or if cuDNN must not be asked at all.
    const std::string& why() const { return why_; }

private:
    bool recall(const std::vector<std::string>& open, predict::Target& target) const;

    Asking asking_;
    Work work_;
    std::set<std::string> tried_;
    predict::AskedTable learned_;
    std::string why_;
    bool nobody_ = false;  ///< cuDNN does not answer: stop asking
};

}  // namespace highwater::ask
