#include "ops/matmul.h"

#include "bindings/bind.h"
#include "bindings/families.h"

namespace flambeau::bind {

void bind_matmul() {
  def<&ops::mm>("mm(self, mat2)", kPlain | kOut);
  def<&ops::bmm>("bmm(self, mat2)", kPlain | kOut);
  def<&ops::mv>("mv(self, vec)", kPlain | kOut);
  def<&ops::dot>("dot(self, tensor)", kPlain | kOut);
  def<&ops::vdot>("vdot(self, other)", kPlain | kOut);
  def<&ops::inner>("inner(self, other)", kPlain | kOut);
  def<&ops::outer>("outer(self, vec2)", kPlain | kOut);
  def<&ops::outer>("ger(self, vec2)", kPlain | kOut);
  def<&ops::matmul>("matmul(self, other)", kPlain | kOut);
  def<&ops::addmm>("addmm(self, mat1, mat2, *, beta=1, alpha=1)", kAll);
  def<&ops::addmv>("addmv(self, mat, vec, *, beta=1, alpha=1)", kAll);
  def<&ops::addr>("addr(self, vec1, vec2, *, beta=1, alpha=1)", kAll);
  def<&ops::addbmm>("addbmm(self, batch1, batch2, *, beta=1, alpha=1)", kAll);
  def<&ops::baddbmm>("baddbmm(self, batch1, batch2, *, beta=1, alpha=1)", kAll);
  def<&ops::linear>("linear(input, weight, bias=None)", kNN | kOut);
  def<&ops::bilinear>("bilinear(input1, input2, weight, bias=None)", kFunction);
  def<&ops::einsum>("einsum(equation, tensors, *, path=None)", kFunction);
  def<&ops::tensordot>("tensordot(self, other, dims_self, dims_other)", kFunction | kOut);
  def<&ops::chain_matmul>("chain_matmul(matrices)", kFunction | kOut);
  def<&ops::matrix_power>("matrix_power(self, n)", kPlain | kOut);
  def<&ops::matrix_power>("linalg_matrix_power(self, n)", kLinalg | kOut);
  def<&ops::linalg_multi_dot>("linalg_multi_dot(tensors)", kLinalg | kOut);
  def<&ops::matmul>("linalg_matmul(self, other)", kLinalg | kOut);
  def<&ops::linalg_vecdot>("linalg_vecdot(x, y, *, dim=-1)", kLinalg | kOut);
}

}  // namespace flambeau::bind
