#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "core/ask/ask.h"

namespace highwater::ask {

/// Teaches the targets of one device what cuDNN answers, prediction after prediction, and remembers it: what
/// was answered for one size is not asked again for the next. For one thread.
class Learner {
public:
    using Work = std::function<base::Result<Answers>(const predict::AskedKey&, const predict::Prediction&,
                                                     const Asking&)>;
    /// `asking.tried` is not used: the learner keeps its own.
    explicit Learner(Asking asking, Work work = askWhatIsOpen);

    /// Adds the answers to what `prediction` leaves open to its target. True if there are any: the same
    /// prediction made again is a better one, and may leave open something else. False if nothing is open,
    /// nobody answers, or it is cancelled.
    bool teach(const predict::Prediction& prediction, predict::Target& target);
    /// Adds what was answered so far to the target of a prediction that is to ask nobody.
    void tell(predict::Target& target) const;
    /// Why questions are still open, one line; empty if none is, or if cuDNN is not to be asked at all.
    const std::string& why() const { return why_; }

private:
    bool recall(const std::vector<std::string>& open, predict::Target& target) const;

    Asking asking_;
    Work work_;
    std::set<std::string> tried_;
    predict::AskedTable learned_;
    std::string why_;
    bool nobody_ = false;  ///< nobody answers: nothing more is asked
};

}  // namespace highwater::ask
