#include "core/ask/ask.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/base/json_reader.h"
#include "core/base/paths.h"
#include "core/base/process.h"
#include "core/base/text.h"

namespace highwater::ask {

namespace {

using base::Error;
using base::Json;
using base::Result;
using base::Status;
using Clock = std::chrono::steady_clock;

constexpr int kMostStarts = 4;
constexpr int kRefused = 2;  ///< highwater-cudnn's exit code if it cannot answer at all
constexpr std::size_t kLongestLine = 1 << 20;
constexpr const char* kProgram = "highwater-cudnn";

/// An in-memory file (memfd) that contains `text`, positioned at its beginning.
Result<base::Descriptor> memoryFile(const std::string& text) {
    base::Descriptor file(::memfd_create("highwater", MFD_CLOEXEC));
    std::size_t written = 0;
    while (file.get() >= 0 && written < text.size()) {
        const ssize_t n = ::write(file.get(), text.data() + written, text.size() - written);
        if (n <= 0 && errno != EINTR) {
            break;
        }
        written += static_cast<std::size_t>(std::max<ssize_t>(0, n));
    }
    if (file.get() < 0 || written < text.size() || ::lseek(file.get(), 0, SEEK_SET) != 0) {
        return Error{fmt::format("no file in memory can be made: {}", std::strerror(errno))};
    }
    return file;
}

/// The answers of one process, read line by line: the cuDNN version, then one line for each question.
class Listener {
public:
    Listener(const Request& request, std::size_t first, Answers& answers)
        : request_(request), next_(first), answers_(answers) {}

    Status take(std::string_view part) {
        text_ += part;
        for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
            HIGHWATER_TRY(line(text_.substr(0, end)));
            text_.erase(0, end + 1);
        }
        return text_.size() <= kLongestLine ? Status() : Error{"it wrote a line that is too long"};
    }
    bool greeted() const { return greeted_; }
    std::size_t next() const { return next_; }  ///< index of the next question to answer

private:
    Status line(const std::string& text) {
        const auto json = base::parseJson(text, kProgram);
        if (!json || !json->is_object()) {
            return Error{"it wrote an invalid answer"};
        }
        if (!greeted_) {
            greeted_ = true;
            return greet(*json);
        }
        if (next_ == request_.questions.size()) {
            return Error{"it answered more than it was asked"};
        }
        return answer(*json, request_.questions[next_++]);
    }

    Status greet(const Json& json) {
        const auto version = json.find("cudnn");
        if (version == json.end() || !version->is_string()) {
            return Error{"it did not say its version"};
        }
        if (version->get<std::string>() != request_.key.cudnn) {
            return Error{fmt::format("cuDNN {} was found; the prediction is for {}",
                                     base::oneLine(version->get<std::string>(), 40), request_.key.cudnn)};
        }
        return {};
    }

    Status answer(const Json& json, const std::string& question) {
        const auto plans = json.find("plans");
        if (plans == json.end() || !plans->is_array()) {
            const auto error = json.find("error");
            answers_.open = error != json.end() && error->is_string()
                                ? base::oneLine(error->get<std::string>(), 200)
                                : "cuDNN gave no plans";
            return {};
        }
        std::vector<base::Bytes> workspaces;
        for (const Json& plan : *plans) {
            const auto bytes = plan.is_object() ? plan.find("workspace") : plan.end();
            if (!plan.is_object() || bytes == plan.end() || !bytes->is_number_integer() ||
                bytes->get<base::Bytes>() < 0) {
                return Error{"it wrote a plan without a workspace"};
            }
            workspaces.push_back(bytes->get<base::Bytes>());
        }
        answers_.table.add(question, predict::askedPlans(workspaces));
        if (request_.progress) {
            request_.progress(answers_.table.size());
        }
        return {};
    }

    const Request& request_;
    std::size_t next_;
    Answers& answers_;
    bool greeted_ = false;
    std::string text_;
};

std::string questionsText(const Request& request, std::size_t first) {
    std::string text = request.key.described + "\n";
    for (std::size_t i = first; i < request.questions.size(); ++i) {
        text += request.questions[i] + "\n";
    }
    return text;
}

/// How one process ended.
struct Ending {
    int code = 0;
    std::string said;  ///< the last line of its stderr, without the program name in front
    bool silent = false, cancelled = false;
};

Result<Ending> runOnce(const std::filesystem::path& program, const Request& request, Listener& listener) {
    auto questions = memoryFile(questionsText(request, listener.next()));
    auto errors = memoryFile("");
    auto pipe = base::openPipe();
    if (!questions || !errors || !pipe) {
        return !questions ? questions.error() : !errors ? errors.error() : pipe.error();
    }
    base::Launch launch;
    launch.program = program;
    if (!request.library.empty()) {
        launch.arguments = {"--cudnn", request.library.string()};
    }
    launch.input = questions->get();
    launch.output = pipe->write.get();
    launch.errors = errors->get();
    auto process = base::Process::start(launch);
    pipe->write = base::Descriptor();
    if (!process) {
        return process.error();
    }
    Ending ending;
    const auto ended = process->follow(
        pipe->read.get(), [&](std::string_view part) { return listener.take(part); },
        [&](Clock::duration silence) -> Status {
            base::boundErrors(errors->get());
            ending.cancelled = request.cancel != nullptr && request.cancel->load(std::memory_order_relaxed);
            ending.silent = silence > request.patience;
            return ending.cancelled || ending.silent ? Status(Error{"given up"}) : Status();
        });
    if (ending.cancelled || ending.silent) {
        return ending;
    }
    if (!ended) {
        return ended.error();
    }
    ending.code = *ended;
    ending.said = base::lastLine(errors->get(), kProgram);
    return ending;
}

std::string whyItEnded(const Ending& ending, const Request& request) {
    if (ending.silent) {
        return fmt::format("cuDNN did not answer for {} s", request.patience.count() / 1000.0);
    }
    if (ending.code > 128) {
        const bool cublas = ending.said.find("cublasLt") != std::string::npos;
        return fmt::format(
            "cuDNN was ended by signal {}{}{}{}", ending.code - 128, ending.said.empty() ? "" : ": ",
            ending.said,
            cublas ? "; it needs libcublasLt of the same CUDA, which NVIDIA's cuBLAS brings" : "");
    }
    return ending.said.empty() ? fmt::format("cuDNN ended with code {}", ending.code) : ending.said;
}

}  // namespace

Result<Answers> ask(const Request& request) {
    const std::filesystem::path program = base::siblingProgram(kProgram);
    if (program.empty()) {
        return Error{fmt::format("{} is missing; it is installed beside highwater-engine", kProgram)};
    }
    Answers answers{predict::AskedTable(request.key), ""};
    std::size_t next = 0;
    for (int start = 0; start < kMostStarts && next < request.questions.size(); ++start) {
        Listener listener(request, next, answers);
        const auto ending = runOnce(program, request, listener);
        if (!ending) {
            return Error{fmt::format("cuDNN was not asked: {}", ending.error().message)};
        }
        next = listener.next();
        if (ending->cancelled || next == request.questions.size()) {
            return answers;
        }
        if (!listener.greeted() || (ending->code == kRefused && !ending->said.empty())) {
            return Error{fmt::format("cuDNN was not asked: {}", whyItEnded(*ending, request))};
        }
        answers.open = whyItEnded(*ending, request);
        ++next;  // skip the question at which it died or hung
    }
    return answers;
}

std::vector<std::string> openQuestions(const predict::Prediction& prediction) {
    std::vector<std::string> questions;
    std::set<std::string> seen;
    for (const predict::Workspace& each : prediction.workspaces) {
        if (!each.question.empty() && seen.insert(each.question).second) {
            questions.push_back(each.question);
        }
    }
    return questions;
}

Result<Answers> askWhatIsOpen(const predict::AskedKey& key, const predict::Prediction& prediction,
                              const Asking& asking) {
    Request request;
    request.library = asking.library;
    request.key = key;
    request.cancel = asking.cancel;
    request.questions = openQuestions(prediction);
    if (asking.tried != nullptr) {
        std::erase_if(request.questions,
                      [&](const std::string& question) { return asking.tried->contains(question); });
    }
    if (request.questions.empty() || key.described.empty()) {
        return Answers{predict::AskedTable(key), ""};
    }
    if (asking.progress) {
        request.progress = [&](std::size_t done) { asking.progress(done, request.questions.size()); };
    }
    auto answers = ask(request);
    if (asking.tried != nullptr) {
        asking.tried->insert(request.questions.begin(), request.questions.end());
    }
    if (answers && answers->table.size() > 0) {
        if (const auto kept = predict::keepAnswers(answers->table, predict::askedFolders().front()); !kept) {
            answers->open = kept.error().message;
        }
    }
    return answers;
}

}  // namespace highwater::ask
