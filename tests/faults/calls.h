/* The calls that are made to fail: of the C library, the system and OpenCL. Each stands in shim.c
 * as a function of its name. */
#ifndef TESTS_FAULTS_CALLS_H
#define TESTS_FAULTS_CALLS_H

#define FAULT_CALLS(X)                                                                             \
    X(malloc)                                                                                      \
    X(calloc)                                                                                      \
    X(realloc)                                                                                     \
    X(strdup)                                                                                      \
    X(realpath)                                                                                    \
    X(fopen)                                                                                       \
    X(fdopen)                                                                                      \
    X(fread)                                                                                       \
    X(fwrite)                                                                                      \
    X(fflush)                                                                                      \
    X(fclose)                                                                                      \
    X(open)                                                                                        \
    X(read)                                                                                        \
    X(fstat)                                                                                       \
    X(fsync)                                                                                       \
    X(rename)                                                                                      \
    X(mkdir)                                                                                       \
    X(opendir)                                                                                     \
    X(mmap)                                                                                        \
    X(fork)                                                                                        \
    X(pthread_create)                                                                              \
    X(getrandom)                                                                                   \
    X(compress2)                                                                                   \
    X(clGetPlatformIDs)                                                                            \
    X(clGetPlatformInfo)                                                                           \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramInfo)                                                                            \
    X(clGetProgramBuildInfo)                                                                       \
    X(clCreateKernel)                                                                              \
    X(clGetKernelInfo)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clGetMemObjectInfo)                                                                          \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clFinish)

#define FAULT_ENUM(name) FAULT_##name,
enum { FAULT_CALLS(FAULT_ENUM) FAULT_CALL_COUNT };

/* How often the program made each call: a file of these numbers, which outlives a crash. */
typedef struct fault_counts {
    long calls[FAULT_CALL_COUNT];
} fault_counts;

/* The shim's environment. None of it, nor LD_PRELOAD, reaches what the program starts. */
#define FAULT_CALL "FAULT_CALL"     /* the call that fails, by name */
#define FAULT_AT "FAULT_AT"         /* which of its calls, from 1 */
#define FAULT_ONWARD "FAULT_ONWARD" /* and all after it */
#define FAULT_COUNTS "FAULT_COUNTS" /* a file of fault_counts */
/* Of the processes that a command starts for its devices, the one where calls count and fail: 1 or more;
 * without it, the command's own. */
#define FAULT_PROCESS "FAULT_PROCESS"

#endif
