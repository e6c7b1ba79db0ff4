/* Tables of what is live: entries in order, which are searched by halves. */
#include "link.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* How many entries are at a place or before it. */
static size_t before(const BitlineTable *table, uintptr_t place)
{
    size_t low = 0, high = table->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->entries[middle].at <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

BitlineEntry *bitline_at(const BitlineTable *table, const void *place)
{
    size_t index = before(table, (uintptr_t)place);
    return index > 0 && table->entries[index - 1].at == (uintptr_t)place ? &table->entries[index - 1] : NULL;
}

BitlineEntry *bitline_holding(const BitlineTable *table, const void *place, size_t bytes)
{
    size_t index = before(table, (uintptr_t)place);
    if (index == 0)
        return NULL;
    BitlineEntry *entry = &table->entries[index - 1];
    size_t offset = (uintptr_t)place - entry->at;
    return offset <= entry->bytes && bytes <= entry->bytes - offset ? entry : NULL;
}

int bitline_enter(BitlineTable *table, BitlineEntry entry)
{
    if (table->count == table->room) {
        size_t room = 2 * table->room + 16;
        BitlineEntry *grown = realloc(table->entries, room * sizeof *grown);
        if (grown == NULL)
            return 0;
        table->entries = grown;
        table->room = room;
    }
    size_t index = before(table, entry.at);
    memmove(&table->entries[index + 1], &table->entries[index], (table->count - index) * sizeof entry);
    table->entries[index] = entry;
    table->count++;
    return 1;
}

void bitline_leave(BitlineTable *table, BitlineEntry *entry)
{
    size_t behind = (size_t)(&table->entries[table->count] - entry) - 1;
    memmove(entry, entry + 1, behind * sizeof *entry);
    table->count--;
}

void bitline_clear(BitlineTable *table) { table->count = 0; }
