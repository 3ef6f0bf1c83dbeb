#pragma once

#include <memory>
#include <utility>

namespace highwater::base {

/// A value stored on the heap, copied and compared by value. Use it for a large alternative of a variant,
/// which would otherwise make all alternatives as large.
template <class T>
class Boxed {
public:
    Boxed() : held_(std::make_unique<T>()) {}
    Boxed(T value) : held_(std::make_unique<T>(std::move(value))) {}  // NOLINT: implicit on purpose
    Boxed(const Boxed& other) : held_(std::make_unique<T>(*other.held_)) {}
    Boxed(Boxed&&) noexcept = default;  ///< a moved-from object can only be assigned to or destroyed
    Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
    Boxed& operator=(Boxed&&) noexcept = default;
    ~Boxed() = default;

    T& operator*() { return *held_; }
    const T& operator*() const { return *held_; }
    T* operator->() { return held_.get(); }
    const T* operator->() const { return held_.get(); }
    bool operator==(const Boxed& other) const { return *held_ == *other.held_; }

private:
    std::unique_ptr<T> held_;
};

}  // namespace highwater::base
