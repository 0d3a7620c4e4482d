// Prints: 5050
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CHECK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

struct Node { int value; Node* next; };
__global__ void total(const Node* n, long* out) { long s = 0; for (; n; n = n->next) s += n->value; *out = s; }
int main() {
    Node* head = nullptr; long* out; CHECK(cudaMallocManaged(&out, sizeof *out));
    for (int i = 1; i <= 100; i++) { Node* n; CHECK(cudaMallocManaged(&n, sizeof *n)); n->value = i; n->next = head; head = n; }
    total<<<1, 1>>>(head, out);
    CHECK(cudaDeviceSynchronize());
    printf("%ld\n", *out);
    while (head) { Node* n = head->next; cudaFree(head); head = n; }
    cudaFree(out);
}
