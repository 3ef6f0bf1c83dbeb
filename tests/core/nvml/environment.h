#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace highwater::nvml {

/// Sets environment variables for its lifetime; HIGHWATER_NVML is the fake library by default.
class Environment {
public:
    Environment(std::initializer_list<std::pair<const char*, std::string>> variables,
                const char* library = FAKE_NVML) {
        set("HIGHWATER_NVML", library);
        for (const auto& [name, value] : variables) {
            set(name, value);
        }
    }
    ~Environment() {
        for (const auto& name : names_) {
            ::unsetenv(name.c_str());
        }
    }
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

private:
    void set(const char* name, const std::string& value) {
        ::setenv(name, value.c_str(), 1);
        names_.emplace_back(name);
    }
    std::vector<std::string> names_;
};

inline constexpr const char* kFirst = "GPU-11111111-aaaa-bbbb-cccc-000000000001";
inline constexpr const char* kSecond = "GPU-22222222-aaaa-bbbb-cccc-000000000002";

}  // namespace highwater::nvml
