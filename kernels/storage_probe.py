"""What model.cuda() does, predicted and then looked at: Parameters, Storages, views, ties, an optimizer's references.

Check:  onekernel check storage_probe
Commit: onekernel predict storage_probe      (your predictions, once, before you see what is so)
Run:    python learners/YOURNAME/storage_probe.py      (your predictions beside what torch does)
Bench:  none: nothing here is timed
Idea:   a Tensor is a view (shape, strides, offset) of a Storage (one piece of memory on one device). Moving a model
        puts new Storages under the old Parameters. All else follows: what moves, what stays, what is still shared.
But:    this shows what happens, not what it costs: a copy to the GPU from pageable memory waits, one from pinned
        memory need not.

Predict first: write True or False for every question and commit to them. The points are for those predictions and for
`shares_storage`, with which you find out. Without a GPU the "move" questions are asked of model.double(), which
takes the same way through nn.Module and gives the same answers. The "meta" questions are asked of model.to("meta").
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

PREDICTIONS = {
    # TODO: True or False for each, in place of None
    # The model below moves: model.cuda(), or model.double() without a GPU.
    "move-same-model": None,  # does model.cuda() return the very model it was called on?
    "move-same-parameters": None,  # is each Parameter still the same Python object?
    "move-same-storage": None,  # does it still have the Storage it had?
    "move-tie-kept": None,  # is head.weight still embedding.weight?
    "move-sliced-parameters-share": None,  # do two Parameters that were slices of one Storage still share one?
    "move-view-follows": None,  # does a view taken before the move see the moved numbers?
    "move-optimizer-holds": None,  # does an optimizer made before the move hold the moved Parameters?
    "move-momentum-follows": None,  # has the momentum that it keeps moved too?
    "move-gradient-follows": None,  # has the .grad of each Parameter moved?
    "move-buffer-follows": None,  # has the registered buffer moved?
    "move-buffer-same-object": None,  # is it still the same Python object?
    "move-attribute-follows": None,  # has a tensor that is a plain attribute moved?
    "move-strides-kept": None,  # is the transposed Parameter still non-contiguous, with the same strides?
    # The same model, moved to the device "meta", which has shapes and no numbers.
    "meta-same-parameters": None,  # is each Parameter still the same Python object?
    "meta-tie-kept": None,  # is head.weight still embedding.weight?
    # x is a contiguous float32 matrix, 3 x 4; a is a NumPy array. Which results share its memory?
    "share-to-same": None,  # x.to(torch.float32)
    "share-half": None,  # x.half()
    "share-contiguous": None,  # x.contiguous()
    "share-transposed": None,  # x.T
    "share-transposed-contiguous": None,  # x.T.contiguous()
    "share-view": None,  # x.view(12)
    "share-reshape-transposed": None,  # x.T.reshape(12)
    "share-column": None,  # x[:, 1]
    "share-index-list": None,  # x[[0, 1]]
    "share-expand": None,  # x[:, :1].expand(3, 1000)
    "share-from-numpy": None,  # torch.from_numpy(a)
    "share-tensor-of-numpy": None,  # torch.tensor(a)
    # And two that surprise.
    "expand-then-half-grows": None,  # has x[:, :1].expand(3, 1000).half() a Storage of 3000 elements?
    "view-of-transposed-works": None,  # does x.T.view(12) give a tensor, and no error?
}


def shares_storage(a: Tensor, b: Tensor) -> bool:
    """Whether a and b are views of one Storage, wherever in it each of them begins."""
    # TODO: a.data_ptr() is where the tensor begins; a.untyped_storage().data_ptr() where its Storage does.
    # Which of them answers the question? And which tensors have the address 0?
    raise NotImplementedError("shares_storage")


DISAGREED: list[str] = []  # where shares_storage and the experiment differ


def share(question: str, a: Tensor, b: Tensor) -> bool:
    """Whether a byte that is written into a's Storage shows in b: by an experiment, not by shares_storage."""
    whole = torch.empty(0, dtype=torch.uint8, device=a.device).set_(a.untyped_storage())
    kept, before = whole.clone(), b.detach().clone()
    whole.bitwise_not_()
    shows = not torch.equal(before, b)
    whole.copy_(kept)
    if shares_storage(a, b) != shows:
        DISAGREED.append(question)
    return shows


class Small(nn.Module):
    """A tie, two Parameters cut from one Storage, a transposed one, a buffer, and a tensor that is none of these."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(6, 4)
        self.head = nn.Linear(4, 6, bias=False)
        self.head.weight = self.embedding.weight
        both = torch.randn(2, 5)
        self.first, self.second = nn.Parameter(both[0]), nn.Parameter(both[1])
        self.transposed = nn.Parameter(torch.randn(4, 3).T)
        self.register_buffer("buffer", torch.ones(4))
        self.attribute = torch.ones(4)


def observe_move(cuda: bool) -> dict[str, bool]:
    """Does the move and looks. The move is model.cuda(), or model.double()."""
    model = Small()
    parameters = dict(model.named_parameters())
    weight, buffer, strides = model.embedding.weight, model.buffer, model.transposed.stride()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    sum(p.sum() for p in model.parameters()).backward()
    optimizer.step()  # from now on it keeps a momentum for each Parameter
    view = weight.detach()[0]
    before = weight.detach()  # shares the Storage of the time before

    returned = model.cuda() if cuda else model.double()

    def moved(t: Tensor) -> bool:
        return t.is_cuda if cuda else t.dtype == torch.float64

    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    momentum = optimizer.state[weight]["momentum_buffer"]
    return {
        "move-same-model": returned is model,
        "move-same-parameters": all(p is parameters[name] for name, p in model.named_parameters()),
        "move-same-storage": share("move-same-storage", model.embedding.weight, before),
        "move-tie-kept": model.head.weight is model.embedding.weight,
        "move-sliced-parameters-share": share("move-sliced-parameters-share", model.first, model.second),
        "move-view-follows": moved(view) or share("move-view-follows", view, model.embedding.weight),
        "move-optimizer-holds": all(id(p) in held and moved(p) for p in model.parameters()),
        "move-momentum-follows": moved(momentum),
        "move-gradient-follows": all(moved(p.grad) for p in model.parameters()),
        "move-buffer-follows": moved(model.buffer),
        "move-buffer-same-object": model.buffer is buffer,
        "move-attribute-follows": moved(model.attribute),
        "move-strides-kept": model.transposed.stride() == strides and not model.transposed.is_contiguous(),
    }


def observe_meta() -> dict[str, bool]:
    model = Small()
    parameters = dict(model.named_parameters())
    model.to("meta")
    return {
        "meta-same-parameters": all(p is parameters[name] for name, p in model.named_parameters()),
        "meta-tie-kept": model.head.weight is model.embedding.weight,
    }


def observe_sharing() -> dict[str, bool]:
    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    a = np.ones(3, np.float32)
    column = x[:, :1]
    results = {
        "share-to-same": x.to(torch.float32),
        "share-half": x.half(),
        "share-contiguous": x.contiguous(),
        "share-transposed": x.T,
        "share-transposed-contiguous": x.T.contiguous(),
        "share-view": x.view(12),
        "share-reshape-transposed": x.T.reshape(12),
        "share-column": x[:, 1],
        "share-index-list": x[[0, 1]],
        "share-expand": column.expand(3, 1000),
    }
    seen = {name: share(name, x, result) for name, result in results.items()}
    for name, tensor in (("share-from-numpy", torch.from_numpy(a)), ("share-tensor-of-numpy", torch.tensor(a))):
        tensor[0] = 7.0
        seen[name] = bool(a[0] == 7.0)
        a[0] = 1.0
    grown = column.expand(3, 1000).half()
    seen["expand-then-half-grows"] = grown.untyped_storage().nbytes() == 3000 * grown.element_size()
    try:
        x.T.view(12)
        seen["view-of-transposed-works"] = True
    except RuntimeError:
        seen["view-of-transposed-works"] = False
    return seen


def observe(cuda: bool) -> dict[str, bool]:
    """Question -> what torch does."""
    return {**observe_move(cuda), **observe_meta(), **observe_sharing()}


def committed() -> dict[str, str]:
    """Question -> "True" or "False", as `onekernel predict storage_probe` keeps them beside this file; empty before."""
    path = Path(__file__).with_name("predictions.json")
    kept = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return kept.get("storage_probe", {}).get("answers", {})


if __name__ == "__main__":
    predicted = committed()
    if not predicted:
        sys.exit("Predict first: True or False for every question of your copy, then onekernel predict storage_probe")
    has_gpu = torch.cuda.is_available()
    try:
        observed = observe(has_gpu)
    except NotImplementedError as gap:
        sys.exit(f"{gap} is still to be written: it finds out what is so.")
    print(f"move: model.{'cuda' if has_gpu else 'double'}(){'' if has_gpu else ', because torch sees no GPU here'}")
    for question, answer in observed.items():
        yours = predicted.get(question, "-")
        print(f"{question:32}{yours:8}{answer!s:8}{'' if yours == str(answer) else '<-'}")
    if DISAGREED:
        print("shares_storage says otherwise than the experiment: " + ", ".join(DISAGREED))
