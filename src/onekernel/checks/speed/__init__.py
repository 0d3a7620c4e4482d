"""Kind "speed": a right kernel's time beside PyTorch's operators and a copy or an addition, on a GPU."""

from onekernel.course import Kind

KIND = Kind(__name__, {}, operators=("softmax", "gelu", "softmax_mul", "rmsnorm", "gemm"), needs_right=True,
            needs_gpu=True)  # fmt: skip
