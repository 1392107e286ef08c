#include "ops/recompose.h"

#include "autograd/engine.h"
#include "ops/op.h"
#include "ops/views.h"

namespace flambeau {

TensorList differentiate(const Composition& compose, const TensorList& inputs, const TensorList& grads) {
  const bool create_graph = grad_enabled();
  GradMode enable(true);
  // Each input through a view of its own: one tensor may be given twice, and its shares are asked for apart.
  TensorList apart;
  std::vector<Edge> ends;
  for (const Tensor& t : inputs) {
    Tensor view;
    if (t.defined()) view = t.requires_grad() ? ops::expand(t, t.sizes()) : t;
    apart.push_back(view);
    ends.push_back(needs_grad_one(view) ? gradient_edge(view) : Edge{});
  }
  const TensorList outs = compose(apart);
  std::vector<Edge> roots, wanted;
  TensorList root_grads;
  for (size_t i = 0; i < outs.size(); ++i)
    if (needs_grad_one(outs[i]) && grads[i].defined()) {
      roots.push_back(gradient_edge(outs[i]));
      root_grads.push_back(grads[i]);
    }
  for (const Edge& end : ends)
    if (end) wanted.push_back(end);
  TensorList result(inputs.size());
  if (roots.empty() || wanted.empty()) return result;
  const TensorList found = run_backward(roots, root_grads, wanted, {.keep_graph = true, .create_graph = create_graph});
  for (size_t i = 0, k = 0; i < inputs.size(); ++i)
    if (ends[i]) result[i] = found[k++];
  return result;
}

void record_recomposed(std::string_view name, const TensorList& outs, const TensorList& inputs, Composition compose) {
  if (!needs_grad(inputs)) return;
  TensorList defined;
  for (const Tensor& t : outs)
    if (t.defined()) defined.push_back(t);
  std::vector<Saved> saved;
  for (const Tensor& t : inputs) saved.push_back(t.defined() ? Saved(t) : Saved());
  std::vector<bool> present;
  for (const Tensor& t : outs) present.push_back(t.defined());
  record_all(name, defined, Inputs(inputs),
             [saved = std::move(saved), present = std::move(present), compose = std::move(compose)](
                 const TensorList& grads, Needs) {
               TensorList inputs, all(present.size());
               for (const Saved& s : saved) inputs.push_back(s.defined() ? s.get() : Tensor());
               for (size_t i = 0, k = 0; i < present.size(); ++i)
                 if (present[i]) all[i] = grads[k++];
               return differentiate(compose, inputs, all);
             });
}

}  // namespace flambeau
