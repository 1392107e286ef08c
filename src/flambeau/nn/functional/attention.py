"""Attention. Part of torch/nn/functional.py."""

from __future__ import annotations

import math

import flambeau
from flambeau.nn._operators import _VF, _nn
from flambeau.nn.functional.dropout import dropout

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]

linear = _nn.linear
pad = _nn.pad
scaled_dot_product_attention = _nn.scaled_dot_product_attention


def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    need_weights=True,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
):
    """Attention of several heads: query (L, N, E), key and value (S, N, E) -> (L, N, E) and weights or None."""
    is_batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not is_batched:
        query = query.unsqueeze(1)
        key = key.unsqueeze(1)
        value = value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    tgt_len, bsz, embed_dim = query.shape
    src_len = key.shape[0]
    key_padding_mask = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        # The hint alone is enough for scaled_dot_product_attention.
        attn_mask = None
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        if key_padding_mask is not None:
            is_causal = False
    if embed_dim != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {embed_dim}"
        )
    head_dim = embed_dim // num_heads
    if head_dim * num_heads != embed_dim:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        for name, weight in zip("qkv", weights):
            if weight is None:
                raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
        biases = (None, None, None) if in_proj_bias is None else in_proj_bias.chunk(3)
        q, k, v = _in_projection(query, key, value, *weights, *biases)
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias)
    attn_mask = _with_three_dims(attn_mask, bsz, num_heads, tgt_len, src_len)
    if bias_k is not None and bias_v is not None:
        if static_k is not None:
            raise AssertionError("bias cannot be added to static key.")
        if static_v is not None:
            raise AssertionError("bias cannot be added to static value.")
        k = _VF.cat([k, bias_k.repeat(1, bsz, 1)])
        v = _VF.cat([v, bias_v.repeat(1, bsz, 1)])
        attn_mask, key_padding_mask = _one_more_key(attn_mask, key_padding_mask)
    elif bias_k is not None:
        raise AssertionError("bias_k is set but bias_v is None")
    elif bias_v is not None:
        raise AssertionError("bias_v is set but bias_k is None")
    heads = bsz * num_heads
    q = q.view(tgt_len, heads, head_dim).transpose(0, 1)
    k = _split_heads(k, heads, head_dim) if static_k is None else _checked_static(static_k, "k", heads, head_dim)
    v = _split_heads(v, heads, head_dim) if static_v is None else _checked_static(static_v, "v", heads, head_dim)
    if add_zero_attn:
        shape = (heads, 1, head_dim)
        k = _VF.cat([k, _VF.zeros(shape, dtype=k.dtype, device=k.device)], dim=1)
        v = _VF.cat([v, _VF.zeros(shape, dtype=v.dtype, device=v.device)], dim=1)
        attn_mask, key_padding_mask = _one_more_key(attn_mask, key_padding_mask)
    src_len = k.size(1)
    if key_padding_mask is not None:
        padding = key_padding_mask.view(bsz, 1, 1, src_len).expand(-1, num_heads, -1, -1)
        padding = padding.reshape(heads, 1, src_len)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    if not training:
        dropout_p = 0.0
    if need_weights:
        if is_causal and attn_mask is None:
            raise AssertionError("FIXME: is_causal not implemented for need_weights")
        output, weights = _attend(q, k, v, attn_mask, dropout_p)
        output = output.transpose(0, 1).contiguous().view(tgt_len * bsz, embed_dim)
        output = linear(output, out_proj_weight, out_proj_bias)
        output = output.view(tgt_len, bsz, output.size(1))
        weights = weights.view(bsz, num_heads, tgt_len, src_len)
        if average_attn_weights:
            weights = weights.mean(dim=1)
        if not is_batched:
            output = output.squeeze(1)
            weights = weights.squeeze(0)
        return output, weights
    if attn_mask is not None:
        if attn_mask.size(0) == 1 and attn_mask.dim() == 3:
            attn_mask = attn_mask.unsqueeze(0)
        else:
            attn_mask = attn_mask.view(bsz, num_heads, -1, src_len)
    q = q.view(bsz, num_heads, tgt_len, head_dim)
    k = k.view(bsz, num_heads, src_len, head_dim)
    v = v.view(bsz, num_heads, src_len, head_dim)
    output = scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
    output = output.permute(2, 0, 1, 3).contiguous().view(bsz * tgt_len, embed_dim)
    output = linear(output, out_proj_weight, out_proj_bias)
    output = output.view(tgt_len, bsz, output.size(1))
    if not is_batched:
        output = output.squeeze(1)
    return output, None


def _attend(q, k, v, attn_mask, dropout_p):
    """softmax(q k^T / sqrt(D) + mask) v and the softmax; q (B, L, D), k and v (B, S, D)."""
    scaled = q * math.sqrt(1.0 / float(q.size(-1)))
    if attn_mask is None:
        weights = _VF.bmm(scaled, k.transpose(-2, -1))
    else:
        weights = _VF.baddbmm(attn_mask, scaled, k.transpose(-2, -1))
    weights = weights.softmax(-1)
    if dropout_p > 0.0:
        weights = dropout(weights, p=dropout_p)
    return _VF.bmm(weights, v), weights


# Projections


def _in_projection_packed(q, k, v, w, b=None):
    """q, k, v by the weight (3 * E, E) of all three; one product for those that are the same tensor."""
    embed_dim = q.size(-1)
    if k is not v:
        w_q, w_k, w_v = w.chunk(3)
        b_q, b_k, b_v = (None, None, None) if b is None else b.chunk(3)
        return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)
    if q is k:
        projected = _unpacked(linear(q, w, b), 3, embed_dim)
        return projected[0], projected[1], projected[2]
    w_q, w_kv = w.split([embed_dim, embed_dim * 2])
    b_q, b_kv = (None, None) if b is None else b.split([embed_dim, embed_dim * 2])
    q = linear(q, w_q, b_q)
    projected = _unpacked(linear(k, w_kv, b_kv), 2, embed_dim)
    return q, projected[0], projected[1]


def _unpacked(projected, parts, embed_dim):
    """(..., parts * E) -> (parts, ..., E), contiguous."""
    projected = projected.unflatten(-1, (parts, embed_dim))
    return projected.unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """q, k, v by a weight each."""
    width = q.size(-1)
    widths = (width, k.size(-1), v.size(-1))
    names = ("query", "key", "value")
    for name, weight, inner in zip(names, (w_q, w_k, w_v), widths):
        if weight.shape != (width, inner):
            raise AssertionError(
                f"expecting {name} weights shape of {(width, inner)}, but got {weight.shape}"
            )
    for name, bias in zip(names, (b_q, b_k, b_v)):
        if bias is not None and bias.shape != (width,):
            raise AssertionError(f"expecting {name} bias shape of {(width,)}, but got {bias.shape}")
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _split_heads(x, heads, head_dim):
    """(S, N, E) -> (N * H, S, D)"""
    return x.view(x.shape[0], heads, head_dim).transpose(0, 1)


def _checked_static(x, name, heads, head_dim):
    if x.size(0) != heads:
        raise AssertionError(f"expecting static_{name}.size(0) of {heads}, but got {x.size(0)}")
    if x.size(2) != head_dim:
        raise AssertionError(f"expecting static_{name}.size(2) of {head_dim}, but got {x.size(2)}")
    return x


# Masks


def _one_more_key(attn_mask, key_padding_mask):
    """The masks for an additional key that all may attend to."""
    if attn_mask is not None:
        attn_mask = pad(attn_mask, (0, 1))
    if key_padding_mask is not None:
        key_padding_mask = pad(key_padding_mask, (0, 1))
    return attn_mask, key_padding_mask


def _with_three_dims(attn_mask, bsz, num_heads, tgt_len, src_len):
    if attn_mask is None:
        return None
    if attn_mask.dim() == 2:
        correct_2d_size = (tgt_len, src_len)
        if attn_mask.shape != correct_2d_size:
            raise RuntimeError(
                f"The shape of the 2D attn_mask is {attn_mask.shape}, but should be {correct_2d_size}."
            )
        return attn_mask.unsqueeze(0)
    if attn_mask.dim() == 3:
        correct_3d_size = (bsz * num_heads, tgt_len, src_len)
        if attn_mask.shape != correct_3d_size:
            raise RuntimeError(
                f"The shape of the 3D attn_mask is {attn_mask.shape}, but should be {correct_3d_size}."
            )
        return attn_mask
    raise RuntimeError(f"attn_mask's dimension {attn_mask.dim()} is not supported")


def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """A mask to be added: a boolean one becomes -inf where it is true."""
    if mask is None:
        return None
    is_float = mask.is_floating_point()
    if mask.dtype != flambeau.bool and not is_float:
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        import warnings

        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.",
            stacklevel=2,
        )
    if is_float:
        return mask
    return _VF.zeros_like(mask, dtype=target_type).masked_fill_(mask, float("-inf"))


def _none_or_dtype(input):
    if input is None:
        return None
    if isinstance(input, flambeau.Tensor):
        return input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Whether the inputs have a batch dimension, having checked that they agree about it."""
    if query.dim() not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
        )
    is_batched = query.dim() == 3
    dims = query.dim()
    kind = "batched (3-D)" if is_batched else "unbatched (2-D)"
    if key.dim() != dims or value.dim() != dims:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {dims}-D but found {key.dim()}-D and "
            f"{value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != dims - 1:
        raise AssertionError(
            f"For {kind} `query`, expected `key_padding_mask` to be `None` or {dims - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is None:
        return is_batched
    if attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor "
            "instead"
        )
    if not is_batched and attn_mask.dim() == 3:
        expected_shape = (num_heads, query.shape[0], key.shape[0])
        if attn_mask.shape != expected_shape:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {expected_shape} but got {attn_mask.shape}"
            )
    return is_batched
