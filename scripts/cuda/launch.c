/* Kernels and variables of a program, as clang registers them, and launches. */
#include "link.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGUMENTS 256

typedef struct {
    const char *text;
    uint64_t number;
    int loaded;
} Module;

typedef struct {
    Module *module;
    const void *host;
    const char *name;
} Entry;

typedef struct {
    Entry *entries;
    size_t count;
} Table;

static Table kernels, variables;
static __thread struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} configuration;

/* Registration, by what clang makes of kernels and variables. */
static void note(Table *table, Module *module, const void *host, const char *name)
{
    Entry *grown = realloc(table->entries, (table->count + 1) * sizeof *grown);
    if (grown == NULL || module == NULL)
        return;
    table->entries = grown;
    table->entries[table->count++] = (Entry){module, host, name};
}

static const Entry *find(const Table *table, const void *host)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->entries[i].host == host)
            return &table->entries[i];
    return NULL;
}

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct { int magic, version; const char *text; void *unused; } *binary = wrapper;
    Module *module = calloc(1, sizeof *module);
    if (module != NULL)
        module->text = binary->text;
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

int __cudaRegisterFunction(void **handle, const char *host, char *unused, const char *name, int limit, void *tid,
                           void *bid, void *block, void *grid, int *size)
{
    (void)unused, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    note(&kernels, (Module *)handle, host, name);
    return 0;
}

void __cudaRegisterVar(void **handle, char *host, char *unused, const char *name, int external, size_t size,
                       int constant, int global)
{
    (void)unused, (void)external, (void)size, (void)constant, (void)global;
    note(&variables, (Module *)handle, host, name);
}

/* Loads a module when it is first used. */
static cudaError_t load(Module *module)
{
    if (module->loaded)
        return cudaSuccess;
    BitlineMessage message = bitline_asks(1);
    bitline_add_bytes(&message, module->text, strlen(module->text));
    cudaError_t error = bitline_exchange(&message, &module->number, NULL, 0);
    module->loaded = error == cudaSuccess;
    return error;
}

cudaError_t bitline_cuda_symbol(const void *symbol, void *place, size_t bytes, size_t offset, int write)
{
    const Entry *entry = find(&variables, symbol);
    if (entry == NULL)
        return bitline_told(cudaErrorInvalidSymbol);
    if (bitline_on_device(place))
        return bitline_told(cudaErrorInvalidValue);
    bitline_lock();
    cudaError_t error = load(entry->module);
    if (error == cudaSuccess) {
        BitlineMessage message = bitline_asks(write ? 9 : 10);
        bitline_add_long(&message, entry->module->number);
        bitline_add_bytes(&message, entry->name, strlen(entry->name));
        bitline_add_long(&message, offset);
        if (write)
            bitline_add_bytes(&message, place, bytes);
        else
            bitline_add_long(&message, bytes);
        error = bitline_exchange(&message, NULL, write ? NULL : place, bytes);
    }
    bitline_told(error);
    bitline_unlock();
    return error;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    configuration.grid = grid;
    configuration.block = block;
    configuration.shared = shared;
    configuration.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *(cudaStream_t *)stream = configuration.stream;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
    (void)stream;
    uint64_t bytes[MOST_ARGUMENTS], count = 0;
    const Entry *entry = find(&kernels, kernel);
    if (entry == NULL)
        return bitline_told(cudaErrorInvalidDeviceFunction);
    bitline_lock();
    cudaError_t error = load(entry->module);
    if (error == cudaSuccess) {
        /* How many bytes each argument has. */
        BitlineMessage message = bitline_asks(14);
        bitline_add_long(&message, entry->module->number);
        bitline_add_bytes(&message, entry->name, strlen(entry->name));
        error = bitline_exchange(&message, &count, bytes, sizeof bytes);
    }
    if (error == cudaSuccess && (count > MOST_ARGUMENTS || (count > 0 && arguments == NULL)))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        uint32_t sides[6] = {grid.x, grid.y, grid.z, block.x, block.y, block.z}, number = (uint32_t)count;
        BitlineMessage message = bitline_asks(8);
        bitline_add_long(&message, entry->module->number);
        bitline_add_bytes(&message, entry->name, strlen(entry->name));
        bitline_add(&message, sides, sizeof sides);
        bitline_add_long(&message, shared);
        bitline_add(&message, &number, 4);
        for (uint64_t i = 0; i < count; i++)
            bitline_add_bytes(&message, arguments[i], bytes[i]);
        error = bitline_exchange(&message, NULL, NULL, 0);
    }
    bitline_told(error);
    bitline_unlock();
    return error;
}
