#pragma once

namespace highwater::engine::kernels {

/// What a tensor holds on a GPU; arithmetic is in float.
enum class Element { Float, Half, BFloat16 };

}  // namespace highwater::engine::kernels
