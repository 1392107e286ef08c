// The families of operators, one bind_<family>() each: where a new one is entered.
#pragma once

// clang-format off
#define FLAMBEAU_FAMILIES(_) \
  _(views)                   \
  _(arithmetic)              \
  _(pointwise)               \
  _(activation)              \
  _(copy)                    \
  _(gather)                  \
  _(join)                    \
  _(view_relatives)          \
  _(reduce)                  \
  _(statistics)              \
  _(create)                  \
  _(random)                  \
  _(dropout)                 \
  _(softmax)                 \
  _(norm)                    \
  _(matmul)                  \
  _(conv)                    \
  _(attention)               \
  _(pool)                    \
  _(loss)                    \
  _(upsample)
// clang-format on

namespace flambeau::bind {
#define FLAMBEAU_DECLARE(name) void bind_##name();
FLAMBEAU_FAMILIES(FLAMBEAU_DECLARE)
#undef FLAMBEAU_DECLARE
}  // namespace flambeau::bind
