/* Kernels and variables of a program, as clang registers them, and launches. */
#include "managed.h"
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
    size_t bytes; /* of a variable */
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
static void note(Table *table, Module *module, const void *host, const char *name, size_t bytes)
{
    Entry *grown = realloc(table->entries, (table->count + 1) * sizeof *grown);
    if (grown == NULL || module == NULL)
        return;
    table->entries = grown;
    table->entries[table->count++] = (Entry){module, host, name, bytes};
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
    note(&kernels, (Module *)handle, host, name, 0);
    return 0;
}

void __cudaRegisterVar(void **handle, char *host, char *unused, const char *name, int external, size_t size,
                       int constant, int global)
{
    (void)unused, (void)external, (void)constant, (void)global;
    note(&variables, (Module *)handle, host, name, size);
}

/* Loads a module when it is first used. */
static cudaError_t load(Module *module)
{
    if (module->loaded)
        return cudaSuccess;
    BitlineMessage message = bitline_asks(1);
    bitline_add_bytes(&message, module->text, strlen(module->text));
    cudaError_t error = bitline_exchange(message, &module->number, NULL, 0);
    module->loaded = error == cudaSuccess;
    return error;
}

cudaError_t bitline_kernel(const void *kernel)
{
    return find(&kernels, kernel) ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

/* Bytes between a variable and the host. */
static cudaError_t variable(const Entry *entry, void *place, size_t bytes, size_t offset, int write)
{
    cudaError_t error = load(entry->module);
    if (error != cudaSuccess)
        return error;
    BitlineMessage message = bitline_asks(write ? 9 : 10);
    bitline_add_long(&message, entry->module->number);
    bitline_add_bytes(&message, entry->name, strlen(entry->name));
    bitline_add_long(&message, offset);
    if (write)
        bitline_add_given(&message, place, bytes);
    else
        bitline_add_long(&message, bytes);
    return bitline_exchange(message, NULL, write ? NULL : place, bytes);
}

/* The same for a buffer of the device, by way of the host. */
static cudaError_t between(const Entry *entry, void *place, size_t bytes, size_t offset, int write)
{
    void *held = malloc(bytes);
    if (held == NULL)
        return cudaErrorMemoryAllocation;
    cudaError_t error = write ? bitline_copy(held, place, bytes, cudaMemcpyDeviceToHost) : cudaSuccess;
    if (error == cudaSuccess)
        error = variable(entry, held, bytes, offset, write);
    if (error == cudaSuccess && !write)
        error = bitline_copy(place, held, bytes, cudaMemcpyHostToDevice);
    free(held);
    return error;
}

cudaError_t bitline_cuda_symbol(const void *symbol, void *place, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                int write)
{
    cudaError_t error = bitline_begin();
    const Entry *entry = find(&variables, symbol);
    int device = kind == cudaMemcpyDeviceToDevice || (kind == cudaMemcpyDefault && bitline_on_device(place));
    if (error != cudaSuccess)
        return bitline_end(error);
    if (!device && kind != (write ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost) && kind != cudaMemcpyDefault)
        error = cudaErrorInvalidMemcpyDirection;
    else if (entry == NULL)
        error = cudaErrorInvalidSymbol;
    else if (offset > entry->bytes || bytes > entry->bytes - offset)
        error = bitline_because(cudaErrorInvalidValue, "%s: bytes %zu on, %zu of them: has %zu", entry->name, offset,
                                bytes, entry->bytes);
    else if (bytes > 0 && device)
        error = bitline_in_buffer(place, bytes) ? between(entry, place, bytes, offset, write) : cudaErrorInvalidValue;
    else if (bytes > 0)
        error = bitline_on_device(place) ? cudaErrorInvalidValue : variable(entry, place, bytes, offset, write);
    return bitline_end(error);
}

cudaError_t bitline_cuda_symbol_size(size_t *bytes, const void *symbol)
{
    cudaError_t error = bitline_begin();
    const Entry *entry = find(&variables, symbol);
    if (error == cudaSuccess && bytes == NULL)
        error = cudaErrorInvalidValue;
    else if (error == cudaSuccess && entry == NULL)
        error = cudaErrorInvalidSymbol;
    if (error == cudaSuccess)
        *bytes = entry->bytes;
    return bitline_end(error);
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

/* As many blocks, and threads of a block, as CUDA takes in each direction. */
static int possible(dim3 grid, dim3 block)
{
    uint64_t threads = (uint64_t)block.x * block.y;
    return grid.x - 1 < 0x7fffffff && grid.y - 1 < 65535 && grid.z - 1 < 65535 && block.x - 1 < 1024 &&
           block.y - 1 < 1024 && block.z - 1 < 64 && threads * block.z <= 1024;
}

static cudaError_t launch(const Entry *entry, dim3 grid, dim3 block, void **arguments, size_t shared)
{
    uint64_t bytes[MOST_ARGUMENTS], count = 0;
    cudaError_t error = load(entry->module);
    if (error == cudaSuccess) {
        /* How many bytes each argument has. */
        BitlineMessage message = bitline_asks(14);
        bitline_add_long(&message, entry->module->number);
        bitline_add_bytes(&message, entry->name, strlen(entry->name));
        error = bitline_exchange(message, &count, bytes, sizeof bytes);
    }
    if (error == cudaSuccess && (count > MOST_ARGUMENTS || (count > 0 && arguments == NULL)))
        error = cudaErrorInvalidValue;
    for (uint64_t i = 0; i < count && error == cudaSuccess; i++)
        if (arguments[i] == NULL)
            error = bitline_because(cudaErrorInvalidValue, "argument %llu of %s: nowhere", (unsigned long long)i,
                                    entry->name);
    if (error == cudaSuccess)
        error = bitline_give_managed();
    if (error != cudaSuccess)
        return error;
    uint32_t sides[6] = {grid.x, grid.y, grid.z, block.x, block.y, block.z}, number = (uint32_t)count;
    BitlineMessage message = bitline_asks(8);
    bitline_add_long(&message, entry->module->number);
    bitline_add_bytes(&message, entry->name, strlen(entry->name));
    bitline_add(&message, sides, sizeof sides);
    /* More than any device has is too much, however much it is. */
    bitline_add_long(&message, shared < BITLINE_MOST ? shared : BITLINE_MOST);
    bitline_add(&message, &number, 4);
    for (uint64_t i = 0; i < count; i++)
        bitline_add_given(&message, arguments[i], bytes[i]);
    error = bitline_exchange(message, NULL, NULL, 0);
    return error == cudaSuccess ? bitline_take_managed() : error;
}

cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream)
{
    cudaError_t error = bitline_begin();
    const Entry *entry = find(&kernels, kernel);
    if (error == cudaSuccess && entry == NULL)
        error = cudaErrorInvalidDeviceFunction;
    else if (error == cudaSuccess && !possible(grid, block))
        error = bitline_because(cudaErrorInvalidConfiguration, "%u,%u,%u blocks of %u,%u,%u threads", grid.x, grid.y,
                                grid.z, block.x, block.y, block.z);
    else if (error == cudaSuccess)
        error = bitline_stream(stream);
    return bitline_end(error == cudaSuccess ? launch(entry, grid, block, arguments, shared) : error);
}
