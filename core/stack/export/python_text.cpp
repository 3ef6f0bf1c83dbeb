#include "core/stack/export/python_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/layers/limits.h"

namespace highwater::stack::python {

namespace {

bool isAlphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Decodes a UTF-8 code point above ASCII; an invalid byte gives its own value, and a value beyond Unicode
/// gives U+FFFD.
char32_t decode(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at++);
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (more == 0 || at + static_cast<std::size_t>(more) > text.size()) {
        return first;
    }
    char32_t point = first & (0x3f >> more);
    for (int i = 0; i < more; ++i) {
        point = point << 6 | (byte(at++) & 0x3f);
    }
    return point > 0x10ffff ? U'\ufffd' : point;
}

/// Writes the arguments into lines of at most kLineLength.
std::string filled(int indent, const std::vector<std::string>& arguments) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    std::string text, line = margin;
    for (const std::string& argument : arguments) {
        if (line.size() > margin.size() && line.size() + argument.size() + 2 > kLineLength) {
            text += line + "\n";
            line = margin;
        }
        line += (line.size() > margin.size() ? " " : "") + argument + ",";
    }
    return text + line + "\n";
}

}  // namespace

std::string literal(std::string_view text) {
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        const char32_t point = decode(text, at);
        if (point == '"' || point == '\\') {
            out += fmt::format("\\{}", static_cast<char>(point));
        } else if (point >= 0x20 && point < 0x7f) {
            out += static_cast<char>(point);
        } else if (point < 0x100) {
            out += fmt::format("\\x{:02x}", static_cast<unsigned>(point));
        } else {
            out += fmt::format("\\U{:08x}", static_cast<unsigned>(point));
        }
    }
    return out + "\"";
}

std::string function(std::string_view text) {
    return std::string(text) + "\n\n";
}

std::string identifier(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (isAlphanumeric(c)) {
            out += base::lowered(c);
        } else if (!out.empty() && out.back() != '_') {
            out += '_';
        }
    }
    while (!out.empty() && out.back() == '_') {
        out.pop_back();
    }
    return !out.empty() && out.front() >= '0' && out.front() <= '9' ? "_" + out : out;
}

Names::Names() {
    for (const char* const word : {"and",
                                   "as",
                                   "assert",
                                   "async",
                                   "await",
                                   "break",
                                   "case",
                                   "class",
                                   "continue",
                                   "def",
                                   "del",
                                   "elif",
                                   "else",
                                   "except",
                                   "finally",
                                   "for",
                                   "from",
                                   "global",
                                   "if",
                                   "import",
                                   "in",
                                   "is",
                                   "lambda",
                                   "match",
                                   "nonlocal",
                                   "not",
                                   "or",
                                   "pass",
                                   "raise",
                                   "return",
                                   "try",
                                   "type",
                                   "while",
                                   "with",
                                   "yield",
                                   "nn",
                                   "torch",
                                   "checkpoint",
                                   "offloaded",
                                   "self",
                                   "x",
                                   "math",
                                   "np",
                                   "abs",
                                   "forward",
                                   "train",
                                   "eval",
                                   "training",
                                   "apply",
                                   "to",
                                   "cuda",
                                   "cpu",
                                   "xpu",
                                   "ipu",
                                   "mtia",
                                   "float",
                                   "double",
                                   "half",
                                   "bfloat16",
                                   "compile",
                                   "call_super_init",
                                   "dump_patches",
                                   "modules",
                                   "children",
                                   "parameters",
                                   "buffers",
                                   "named_modules",
                                   "named_children",
                                   "named_parameters",
                                   "named_buffers",
                                   "zero_grad",
                                   "requires_grad",
                                   "share_memory",
                                   "state_dict",
                                   "load_state_dict",
                                   "register_buffer",
                                   "register_parameter",
                                   "register_module",
                                   "register_forward_hook",
                                   "register_forward_pre_hook",
                                   "register_backward_hook",
                                   "register_full_backward_hook",
                                   "register_full_backward_pre_hook",
                                   "register_state_dict_pre_hook",
                                   "register_state_dict_post_hook",
                                   "register_load_state_dict_pre_hook",
                                   "register_load_state_dict_post_hook",
                                   "add_module",
                                   "get_parameter",
                                   "get_buffer",
                                   "get_submodule",
                                   "set_submodule",
                                   "get_extra_state",
                                   "set_extra_state",
                                   "extra_repr",
                                   "to_empty",
                                   "requires_grad_",
                                   "t_destination",
                                   "none",
                                   "true",
                                   "false"}) {
        taken_.insert(word);
    }
}

std::string Names::give(std::string_view text, std::string_view fallback) {
    std::string name = identifier(text);
    if (name.empty()) {
        name = fallback;
    }
    std::string free = name;
    for (int i = 2; !taken_.insert(free).second; ++i) {
        free = fmt::format("{}_{}", name, i);
    }
    return free;
}

std::string call(int indent, const std::string& before, const std::vector<std::string>& arguments,
                 const std::string& after) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    const std::string line = fmt::format("{}{}({}){}\n", margin, before, fmt::join(arguments, ", "), after);
    if (line.size() <= kLineLength + 1) {
        return line;
    }
    return fmt::format("{}{}(\n{}{}){}\n", margin, before, filled(indent + 4, arguments), margin, after);
}

std::string commentLine(int indent, std::string_view text) {
    return fmt::format("{:{}}# {}\n", "", indent, base::oneLine(text, kLongestText));
}

std::string indented(int indent, std::string_view text) {
    const std::string margin(static_cast<std::size_t>(indent), ' ');
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        if (end > 0) {
            out.append(margin).append(text.substr(0, end));
        }
        out += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

}  // namespace highwater::stack::python
