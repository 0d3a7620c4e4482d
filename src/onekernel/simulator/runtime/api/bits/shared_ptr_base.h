// libstdc++ 12 and later spell an attribute __noinline__ in this file, which <memory> and <thread> include; CUDA has a
// macro of that name.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
