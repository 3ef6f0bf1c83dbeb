#include "core/stack/export/data.h"
#include "texts/stack_texts.h"

namespace highwater::stack::python {

namespace {

constexpr const char* kUniform = R"(
    def uniform(self, low=0.0, high=1.0):
        return low + (high - low) * ((int(self.numbers(1)[0]) >> 11) * 2.0**-53)
)";

}  // namespace

std::string randomClass(bool uniform, bool ofSample) {
    return std::string(texts::random_numbers) + (uniform ? kUniform : "") +
           (ofSample ? "\n\n" + std::string(texts::random_of_sample) : "");
}

}  // namespace highwater::stack::python
