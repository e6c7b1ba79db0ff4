/* threadIdx and its kin, by the name that programs include. */
#pragma once
#include "cuda_runtime.h"
