/* A disk that fails: the nth write or sync of the journal's files fails, or writes half of it.

   Loaded by LD_PRELOAD. FAULT_CALL is pwrite, fsync or ftruncate (fdatasync counts as fsync), FAULT_NTH which of these
   calls fails first, FAULT_TIMES how many in a row, FAULT_ERROR the number of the error, or 0 for a short write. Only
   files count whose path begins with FAULT_PATH. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long seen;

static long number(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

/* Whether this call is to fail. */
static int fails(int file, const char *call)
{
    const char *wanted = getenv("FAULT_CALL"), *path = getenv("FAULT_PATH");
    char link[64], target[4096];
    ssize_t length;
    if (!wanted || !path || strcmp(wanted, call))
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, target, sizeof target - 1);
    if (length < 0)
        return 0;
    target[length] = 0;
    if (strncmp(target, path, strlen(path)) || strstr(target, "-shm"))
        return 0;
    seen++;
    return seen >= number("FAULT_NTH") && seen < number("FAULT_NTH") + number("FAULT_TIMES");
}

static ssize_t wrote(int file, const void *data, size_t size, off_t at, const char *real)
{
    ssize_t (*write_at)(int, const void *, size_t, off_t) = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, real);
    if (fails(file, "pwrite")) {
        if (number("FAULT_ERROR")) {
            errno = (int)number("FAULT_ERROR");
            return -1;
        }
        size = size > 1 ? size / 2 : size;
        if (write_at(file, data, size, at) < 0)
            return -1;
        errno = ENOSPC;
        return -1;
    }
    return write_at(file, data, size, at);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) { return wrote(file, data, size, at, "pwrite"); }
ssize_t pwrite64(int file, const void *data, size_t size, off_t at) { return wrote(file, data, size, at, "pwrite64"); }

static int done(int file, const char *call, const char *real)
{
    int (*act)(int) = (int (*)(int))dlsym(RTLD_NEXT, real);
    if (fails(file, call)) {
        errno = (int)number("FAULT_ERROR");
        return -1;
    }
    return act(file);
}

int fsync(int file) { return done(file, "fsync", "fsync"); }
int fdatasync(int file) { return done(file, "fsync", "fdatasync"); }

static int shortened(int file, off_t size, const char *real)
{
    int (*cut)(int, off_t) = (int (*)(int, off_t))dlsym(RTLD_NEXT, real);
    if (fails(file, "ftruncate")) {
        errno = (int)number("FAULT_ERROR");
        return -1;
    }
    return cut(file, size);
}

int ftruncate(int file, off_t size) { return shortened(file, size, "ftruncate"); }
int ftruncate64(int file, off_t size) { return shortened(file, size, "ftruncate64"); }
