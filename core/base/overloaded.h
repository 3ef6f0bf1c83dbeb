#pragma once

namespace highwater::base {

/// A visitor of lambdas for std::visit, one for each alternative.
template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

}  // namespace highwater::base
