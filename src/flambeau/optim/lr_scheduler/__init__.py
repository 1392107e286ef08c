"""Learning-rate schedules, with PyTorch's names, values and state dicts."""

from ._base import LRScheduler as LRScheduler
from ._base import _LRScheduler as _LRScheduler
from ._combined import ChainedScheduler as ChainedScheduler
from ._combined import SequentialLR as SequentialLR
from ._cosine import CosineAnnealingLR as CosineAnnealingLR
from ._cosine import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
from ._cycle import CyclicLR as CyclicLR
from ._cycle import OneCycleLR as OneCycleLR
from ._decay import ConstantLR as ConstantLR
from ._decay import ExponentialLR as ExponentialLR
from ._decay import LinearLR as LinearLR
from ._decay import MultiStepLR as MultiStepLR
from ._decay import PolynomialLR as PolynomialLR
from ._decay import StepLR as StepLR
from ._function import LambdaLR as LambdaLR
from ._function import MultiplicativeLR as MultiplicativeLR
from ._plateau import ReduceLROnPlateau as ReduceLROnPlateau
