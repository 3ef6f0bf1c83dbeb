#pragma once

namespace highwater::engine::kernels {

/// The element type of a tensor on a GPU. Arithmetic is in float.
enum class Element { Float, Half, BFloat16 };

}  // namespace highwater::engine::kernels
