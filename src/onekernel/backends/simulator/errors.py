"""Names of the cudaError_t values that the simulator returns. Source: CUDA Runtime API, "cudaError_t"."""

_NAMES = {
    0: "cudaSuccess",
    1: "cudaErrorInvalidValue",
    2: "cudaErrorMemoryAllocation",
    9: "cudaErrorInvalidConfiguration",
    11: "cudaErrorInvalidValue",
    13: "cudaErrorInvalidSymbol",
    17: "cudaErrorInvalidDevicePointer",
    21: "cudaErrorInvalidMemcpyDirection",
    98: "cudaErrorInvalidDeviceFunction",
    101: "cudaErrorInvalidDevice",
    400: "cudaErrorInvalidResourceHandle",
    600: "cudaErrorNotReady",
    700: "cudaErrorIllegalAddress",
    701: "cudaErrorLaunchOutOfResources",
    702: "cudaErrorLaunchTimeout",
    710: "cudaErrorAssert",
    716: "cudaErrorMisalignedAddress",
    719: "cudaErrorLaunchFailure",
    801: "cudaErrorNotSupported",
    999: "cudaErrorUnknown",
}


def error_name(status: int) -> str:
    """The enumerator's name, or the number for one that is no cudaError_t the simulator knows."""
    return _NAMES.get(status, f"cudaError_t({status})")
