#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json_reader.h"
#include "core/base/result.h"

/// The configurations of a plans file, which inherit from each other. Private to core/stack/nnunet.
namespace highwater::stack {

/// The location of a configuration, for an error.
std::string nnunetPlace(std::string_view configuration);

/// An index of a plans file, which must outlive it. The work is linear in the file's size, however the
/// configurations inherit.
class NnunetConfigurations {
public:
    explicit NnunetConfigurations(const base::Json& plans);

    /// Returns a configuration merged with those that it inherits from. Errors begin with the location: it
    /// does not exist, or inherits from one that does not exist or from itself.
    base::Result<base::Json> resolve(std::string_view configuration) const;
    /// Returns the names of those that have a network or inherit one, in the file's order.
    std::vector<std::string> withNetwork() const;
    static bool hasNetwork(const base::Json& configuration);

private:
    using Chain = std::vector<const base::Json*>;  // a configuration, then its ancestors
    base::Result<Chain> chainOf(std::string_view configuration) const;

    bool there_ = false;  // the file has configurations
    std::vector<std::pair<std::string_view, const base::Json*>> all_;
    std::map<std::string_view, std::size_t> byName_;
};

}  // namespace highwater::stack
