"""Not ours: the name exists to say where SummaryWriter can be had."""

raise ImportError("flambeau has no TensorBoard writer; the package tensorboardX provides SummaryWriter without PyTorch")
