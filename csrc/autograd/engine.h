// Runs the graph backward: nodes in the order PyTorch's engine takes them (latest recorded first, leaves at once), so
// that gradients meet in the same order. Follows torch/csrc/autograd/engine.cpp, on the calling thread.
#pragma once

#include "autograd/node.h"

namespace flambeau {

struct BackwardOptions {
  bool keep_graph = false;
  bool create_graph = false;
};

// Starts with grads at roots. With `inputs`, only what leads to them runs, and their gradients come back in that order
// (undefined where unreachable); without, leaves accumulate into .grad and the result is empty.
TensorList run_backward(const std::vector<Edge>& roots, const TensorList& grads, const std::vector<Edge>& inputs,
                        BackwardOptions options);

// Called when a node raises in anomaly mode, with the forward trace; set by the bindings.
extern void (*report_anomaly)(const Node& node);
// Called now and then between nodes; raises when the user pressed Ctrl-C.
extern void (*check_interrupt)();

}  // namespace flambeau
