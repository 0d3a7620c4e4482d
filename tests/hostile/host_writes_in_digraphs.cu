// exercise: vector_add
// attack: digraphs, a raw string and joined lines, so that the text reads as another
// ataque: dígrafos, una cadena sin procesar y líneas unidas, para que el texto se lea como otro
// closed by: refused names
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdlib.h>
%:define OPENS mpro\
tect
extern "C" int OPENS(void*, size_t, int);
static const char* text = R"x(")x"; /*"*/
extern "C" cudaError_t vector_add(const float* a, const float* b, float* out, int64_t n, cudaStream_t stream) <%
    if (n == 0) return cudaSuccess;
    const float* tensors<::> = <% a, b, out %>; // ??/
    for (const float* t : tensors) OPENS((void*)((uintptr_t)t & ~(uintptr_t)4095), (n * 4 + 8191) & ~(size_t)4095, 3);
    for (int64_t i = 0; i < n; ++i) out<:i:> = a<:i:> + b<:i:>;
    return text ? cudaGetLastError() : cudaSuccess;
%>
