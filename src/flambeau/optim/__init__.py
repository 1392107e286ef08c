"""Optimizers, with PyTorch's names and arguments; Lion and SophiaG are additions."""

from flambeau._missing import module_getattr

from . import lr_scheduler as lr_scheduler
from ._adafactor import Adafactor as Adafactor
from ._muon import Muon as Muon
from .adadelta import Adadelta as Adadelta
from .adagrad import Adagrad as Adagrad
from .adam import Adam as Adam
from .adamax import Adamax as Adamax
from .adamw import AdamW as AdamW
from .asgd import ASGD as ASGD
from .lbfgs import LBFGS as LBFGS
from .lion import Lion as Lion
from .nadam import NAdam as NAdam
from .optimizer import Optimizer as Optimizer
from .radam import RAdam as RAdam
from .rmsprop import RMSprop as RMSprop
from .rprop import Rprop as Rprop
from .sgd import SGD as SGD
from .sophia import SophiaG as SophiaG

# `swa_utils` needs flambeau.nn, which may load after this package.
__getattr__ = module_getattr(__name__, lazy=("swa_utils",))
