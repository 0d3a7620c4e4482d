// What CUDA answers to calls that it refuses, or that look as if it might: one line each. The lines of refused.txt are an
// H200's (CUDA 13.0, driver 580.159.04, 2026-11-26); tests/gpu/test_refused.py records them anew where a GPU is.
#include <cstdio>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
__global__ void plain(float *p) { if (p) p[0] = 1; }
__global__ void dyn(float *p) { extern __shared__ float s[]; s[threadIdx.x] = 1; __syncthreads(); if (p) p[0] = s[0]; }
__global__ void stat(float *p) {
  __shared__ float big[10000];
  extern __shared__ float s[];
  big[threadIdx.x] = 1;
  s[threadIdx.x] = big[threadIdx.x];
  __syncthreads();
  if (p) p[0] = s[0];
}
__global__ void __launch_bounds__(128) bounded(float *p) { if (p) p[0] = 1; }
__global__ void __launch_bounds__(1024, 2) greedy(float *p) { if (p) p[0] = 1; }
__global__ void coop(float *p) { cooperative_groups::this_grid().sync(); if (p) p[0] = 1; }
__global__ void __cluster_dims__(2, 1, 1) clustered(float *p) { if (p) p[0] = 1; }
__global__ void anyc(float *p) { if (p) p[0] = 1; }
static void say(const char *what, cudaError_t now) {
  cudaError_t last = cudaGetLastError();
  cudaError_t sync = cudaDeviceSynchronize();
  cudaError_t again = cudaGetLastError();
  printf("%-40s returned %s, last %s, sync %s, last again %s\n", what, cudaGetErrorName(now), cudaGetErrorName(last),
         cudaGetErrorName(sync), cudaGetErrorName(again));
}
#define L(what, ...) do { __VA_ARGS__; say(what, cudaPeekAtLastError()); } while (0)
#define C(what, call) do { cudaError_t e = (call); say(what, e); } while (0)
template <class K> static cudaError_t ex(K k, dim3 g, dim3 b, size_t sh, int cluster, int coopa, float *d) {
  cudaLaunchConfig_t c = {};
  c.gridDim = g;
  c.blockDim = b;
  c.dynamicSmemBytes = sh;
  cudaLaunchAttribute a[2];
  int n = 0;
  if (cluster) {
    a[n].id = cudaLaunchAttributeClusterDimension;
    a[n].val.clusterDim.x = cluster;
    a[n].val.clusterDim.y = a[n].val.clusterDim.z = 1;
    n++;
  }
  if (coopa) { a[n].id = cudaLaunchAttributeCooperative; a[n].val.cooperative = 1; n++; }
  c.attrs = a; c.numAttrs = n; return cudaLaunchKernelEx(&c, k, d);
}
int main() {
  float *d; cudaMalloc(&d, 1024); float h[16] = {0};
  L("plain 1,1", plain<<<1, 1>>>(d));
  L("1025 threads", plain<<<1, 1025>>>(d));
  L("2048 threads 32x32x2", plain<<<1, dim3(32, 32, 2)>>>(d));
  L("z 65", plain<<<1, dim3(1, 1, 65)>>>(d));
  L("0 threads", plain<<<1, 0>>>(d));
  L("0 blocks", plain<<<0, 32>>>(d));
  L("y 0 blocks", plain<<<dim3(1, 0, 1), 32>>>(d));
  L("block y 0", plain<<<1, dim3(1, 0, 1)>>>(d));
  L("grid y 65536", plain<<<dim3(1, 65536, 1), 32>>>(d));
  L("grid z 65536", plain<<<dim3(1, 1, 65536), 32>>>(d));
  L("grid x 2^31", plain<<<dim3(2147483648u, 1, 1), 32>>>(nullptr));
  L("grid -1", plain<<<-1, 32>>>(nullptr));
  L("threads -1", plain<<<1, -1>>>(nullptr));
  L("dyn 48K+4", dyn<<<1, 32, 49156>>>(d));
  L("dyn 100K no attribute", dyn<<<1, 32, 102400>>>(d));
  L("dyn 300K", dyn<<<1, 32, 307200>>>(d));
  L("static 40000 + dynamic 16000", stat<<<1, 32, 16000>>>(d));
  C("attribute 100K", cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 102400));
  L("dyn 100K with attribute", dyn<<<1, 32, 102400>>>(d));
  L("dyn 100K+4 with attribute 100K", dyn<<<1, 32, 102404>>>(d));
  C("attribute 227K", cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  C("attribute 227K+1", cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
  C("attribute -1", cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  C("attribute 200000 beside 40000 static", cudaFuncSetAttribute(stat, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000));
  C("carveout 101", cudaFuncSetAttribute(dyn, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  L("launch bounds 128, 256 threads", bounded<<<1, 256>>>(d));
  L("launch bounds 1024,2; 1024", greedy<<<1, 1024>>>(d));
  void *args[] = {&d};
  C("cooperative 1 block", cudaLaunchCooperativeKernel((void *)coop, 1, 32, args, 0, 0));
  C("cooperative too large", cudaLaunchCooperativeKernel((void *)coop, 100000, 1024, args, 0, 0));
  L("cooperative by <<<>>>", anyc<<<1, 32>>>(d));
  C("cooperative 1025 threads", cudaLaunchCooperativeKernel((void *)coop, 1, 1025, args, 0, 0));
  C("cudaLaunchKernel 0 blocks", cudaLaunchKernel((void *)plain, 0, 32, args, 0, 0));
  C("cudaLaunchKernel 1025", cudaLaunchKernel((void *)plain, 1, 1025, args, 0, 0));
  C("cudaLaunchKernel null", cudaLaunchKernel(nullptr, 1, 32, args, 0, 0));
  C("cudaLaunchKernel not a kernel", cudaLaunchKernel((void *)&h, 1, 32, args, 0, 0));
  L("cluster dims 2, 3 blocks", clustered<<<3, 32>>>(d));
  L("cluster dims 2, 4 blocks", clustered<<<4, 32>>>(d));
  C("Ex cluster 4, 6 blocks", ex(anyc, 6, 32, 0, 4, 0, d));
  C("Ex cluster 3, 6 blocks", ex(anyc, 6, 32, 0, 3, 0, d));
  C("Ex cluster 16, 16 blocks", ex(anyc, 16, 32, 0, 16, 0, d));
  C("Ex cluster 8, 8 blocks", ex(anyc, 8, 32, 0, 8, 0, d));
  C("Ex 1025 threads", ex(anyc, 1, 1025, 0, 0, 0, d));
  C("Ex 0 blocks", ex(anyc, 0, 32, 0, 0, 0, d));
  C("Ex cooperative too large", ex(coop, 100000, 1024, 0, 0, 1, d));
  C("Ex dyn 300K", ex(dyn, 1, 32, 307200, 0, 0, d));
  C("memcpy null to", cudaMemcpy(nullptr, h, 4, cudaMemcpyHostToDevice));
  C("memcpy 0 bytes null", cudaMemcpy(nullptr, h, 0, cudaMemcpyHostToDevice));
  C("memcpy of 64 bytes", cudaMemcpy(d, h, 64, cudaMemcpyHostToDevice));
  C("memcpy host as device", cudaMemcpy(h, h + 4, 4, cudaMemcpyHostToDevice));
  C("memcpy h2d given d2h", cudaMemcpy(d, h, 4, cudaMemcpyDeviceToHost));
  C("memcpy d2h given h2d", cudaMemcpy(h, d, 4, cudaMemcpyHostToDevice));
  C("memcpy d2d with host", cudaMemcpy(h, d, 4, cudaMemcpyDeviceToDevice));
  C("memcpy default", cudaMemcpy(h, d, 4, cudaMemcpyDefault));
  C("memcpy kind 9", cudaMemcpy(h, d, 4, (cudaMemcpyKind)9));
  C("memset null", cudaMemset(nullptr, 0, 4));
  C("memset host", cudaMemset(h, 0, 4));
  C("memset of 2^40 bytes", cudaMemset(d, 0, size_t(1) << 40));
  void *big; C("malloc 2^60", cudaMalloc(&big, size_t(1) << 60));
  C("malloc 0", cudaMalloc(&big, 0)); printf("malloc 0 gives %s\n", big ? "a pointer" : "null");
  C("malloc null", cudaMalloc((void **)nullptr, 4));
  C("free null", cudaFree(nullptr));
  C("free host", cudaFree(h));
  C("free inside", cudaFree(d + 1));
  float *w; cudaMalloc(&w, 4); C("free", cudaFree(w)); C("free twice", cudaFree(w));
  C("freeHost of malloc", cudaFreeHost(h));
  C("set device 99", cudaSetDevice(99));
  C("set device -1", cudaSetDevice(-1));
  cudaDeviceProp pr; C("properties 99", cudaGetDeviceProperties(&pr, 99));
  int v; C("attribute 99", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99));
  cudaEvent_t a, b; cudaEventCreate(&a); cudaEventCreate(&b); float ms;
  C("elapsed unrecorded", cudaEventElapsedTime(&ms, a, b));
  cudaEventRecord(a); C("elapsed one recorded", cudaEventElapsedTime(&ms, a, b));
  cudaEvent_t nt; cudaEventCreateWithFlags(&nt, cudaEventDisableTiming); cudaEventRecord(nt); cudaEventRecord(b);
  cudaDeviceSynchronize();
  C("elapsed no timing", cudaEventElapsedTime(&ms, nt, b));
  C("event query unrecorded", cudaEventQuery(a));
  C("event flags 99", cudaEventCreateWithFlags(&nt, 99));
  cudaStream_t s; cudaStreamCreate(&s); C("stream query", cudaStreamQuery(s));
  C("stream flags 99", cudaStreamCreateWithFlags(&s, 99));
  int blocks; C("occupancy 0 threads", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 0, 0));
  C("occupancy 1025 threads", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1025, 0));
  printf("blocks %d\n", blocks);
  C("occupancy 300K", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dyn, 32, 300000));
  printf("blocks %d\n", blocks);
  cudaPointerAttributes pa;
  C("pointer attributes of host", cudaPointerGetAttributes(&pa, h)); printf("type %d\n", (int)pa.type);
  C("pointer attributes of null", cudaPointerGetAttributes(&pa, nullptr)); printf("type %d\n", (int)pa.type);
  size_t sz; C("host register 0", cudaHostRegister(h, 0, 0));
  C("host unregister unregistered", cudaHostUnregister(h));
  void *dp; C("device pointer of pageable", cudaHostGetDevicePointer(&dp, h, 0));
  C("limit 99", cudaDeviceSetLimit((cudaLimit)99, 1));
  C("limit get 99", cudaDeviceGetLimit(&sz, (cudaLimit)99));
  C("peer self", cudaDeviceEnablePeerAccess(0, 0));
  int can; C("can access 0 99", cudaDeviceCanAccessPeer(&can, 0, 99));
  C("memcpy async", cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, (cudaStream_t)0));
  C("memcpy2D width>pitch", cudaMemcpy2D(d, 4, h, 8, 8, 2, cudaMemcpyHostToDevice));
  C("memcpy2D 0 height", cudaMemcpy2D(d, 8, h, 8, 8, 0, cudaMemcpyHostToDevice));
  C("mallocPitch 0", cudaMallocPitch(&big, &sz, 0, 4));
  C("mallocHost 0", cudaMallocHost(&big, 0));
  C("hostAlloc flags 99", cudaHostAlloc(&big, 4, 99));
  C("mallocManaged flags 9", cudaMallocManaged(&big, 4, 9));
  C("mallocManaged 0", cudaMallocManaged(&big, 0)); printf("mallocManaged 0 gives %s\n", big ? "a pointer" : "null");
  const char *str = cudaGetErrorString((cudaError_t)12345);
  printf("string of 12345: %s, name %s\n", str, cudaGetErrorName((cudaError_t)12345));
  cudaFree(d);
  return 0;
}
