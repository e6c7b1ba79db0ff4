/* What programs that call the runtime take of the driver's header: its version. There are no calls of the driver. */
#pragma once
#include "cuda_runtime_api.h"

#define CUDA_VERSION CUDART_VERSION
