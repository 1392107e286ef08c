"""Operators that don't round: they move data, look at it, compare it, or compute with integers and truth values.

Nothing in a profile can change their bits, so no case needs to be recorded. An operator belongs here only if no float
arithmetic happens in it, forward or backward, other than adding gradients where one element was read several times.
"""

from __future__ import annotations

VIEWS = """
    as_strided broadcast_to chunk conj data detach diagonal dsplit expand expand_as flatten hsplit mH mT moveaxis
    movedim narrow permute positive ravel reshape reshape_as resolve_conj resolve_neg select split split_with_sizes
    squeeze swapaxes swapdims t tensor_split transpose unbind unflatten unfold unsqueeze view view_as vsplit adjoint
    broadcast_tensors meshgrid atleast_1d atleast_2d atleast_3d unsafe_chunk unsafe_split unsafe_split_with_sizes
    conj_physical squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_ as_strided_ detach_
"""
COPIES = """
    alias_copy as_strided_copy as_strided_scatter block_diag cartesian_prod cat channel_shuffle clone column_stack
    combinations concat concatenate constant_pad_nd contiguous copy_ detach_copy diag diag_embed diagflat
    diagonal_copy diagonal_scatter dstack expand_copy fill fill_ fill_diagonal_ flip fliplr flipud gather hstack
    im2col index_copy index_fill index_select masked_fill masked_scatter masked_select narrow_copy
    native_channel_shuffle nonzero nonzero_numpy nonzero_static argwhere pad _pad_circular _pad_enum permute_copy
    pixel_shuffle pixel_unshuffle put repeat repeat_interleave reflection_pad1d reflection_pad2d reflection_pad3d
    replication_pad1d replication_pad2d replication_pad3d roll rot90 row_stack scatter select_copy select_scatter
    slice_copy slice_scatter split_copy split_with_sizes_copy squeeze_copy stack t_copy take take_along_dim tile
    transpose_copy tril triu unbind_copy unfold_copy unsqueeze_copy view_copy vstack where upsample_nearest1d
    upsample_nearest2d upsample_nearest3d _upsample_nearest_exact1d _upsample_nearest_exact2d
    _upsample_nearest_exact3d max_unpool2d max_unpool3d
"""
CREATION = """
    empty empty_like empty_permuted empty_strided full full_like eye new_empty new_empty_strided new_full new_ones
    new_zeros ones ones_like scalar_tensor zero_ zeros zeros_like one_hot tril_indices triu_indices
"""
COMPARISONS = """
    all any eq equal ge greater greater_equal gt isfinite isinf isnan isneginf isposinf isreal le less less_equal lt
    ne not_equal signbit argmax argmin argsort max min amax amin aminmax maximum minimum fmax fmin kthvalue mode
    msort sort topk median nanmedian cummax cummin clamp clamp_max clamp_min clip unique_consecutive unique_dim
    _unique2 count_nonzero bucketize searchsorted heaviside sign sgn max_pool1d max_pool1d_with_indices max_pool2d
    max_pool2d_with_indices max_pool3d max_pool3d_with_indices adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d relu relu6 hardtanh threshold nan_to_num abs absolute neg negative copysign nextafter ceil
    floor round trunc fix
"""
INTEGERS = """
    bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor gcd lcm
    logical_and logical_not logical_or logical_xor
"""
METADATA = """
    can_cast data_ptr dim element_size is_contiguous is_floating_point is_complex is_inference is_set_to item
    ndimension nelement numel promote_types result_type size storage_offset stride requires_grad_ retain_grad tolist
    type_as
"""

GROUPS = {
    "views": VIEWS,
    "copies": COPIES,
    "creation": CREATION,
    "comparisons": COMPARISONS,
    "integers": INTEGERS,
    "metadata": METADATA,
}
BY_NATURE = {name: group for group, names in GROUPS.items() for name in names.split()}
