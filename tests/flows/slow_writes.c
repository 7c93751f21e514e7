/* Loaded before all other libraries: each write at a place of a file takes 16 ms longer, as on a slower target. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

typedef ssize_t (*write_at)(int, const void *, size_t, off64_t);

static ssize_t write_slowly(const char *name, int file, const void *bytes, size_t count, off64_t place)
{
    struct timespec longer = {0, 16000000};
    write_at of_the_system = (write_at)dlsym(RTLD_NEXT, name);
    nanosleep(&longer, NULL);
    return of_the_system(file, bytes, count, place);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t place)
{
    return write_slowly("pwrite64", file, bytes, count, place);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place)
{
    return write_slowly("pwrite64", file, bytes, count, place);
}
