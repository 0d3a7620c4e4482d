#pragma once

template <class T>
__global__ void fill(T* x, T value) {
    x[threadIdx.x] = value;
}

void scale_again(float* x);
