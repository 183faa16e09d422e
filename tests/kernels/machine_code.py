#!/usr/bin/env python3
"""machine_code.py LIST_KERNELS FOLDER: what compilers for GPUs make of the kernels, without a GPU.

Every kernel that a GPU runs, in the shapes that it runs them, is compiled for processors of NVIDIA (by
clang to PTX, by ptxas to machine code) and of AMD (by clang). A row of the table is one kernel on one
processor: registers, bytes of a work-item in memory (what did not fit into them, and arrays with a
running index), local memory, and how many work-items a multiprocessor (NVIDIA) or a compute unit (AMD)
has at a time, as a share of the most it could have.

Drivers bring compilers of their own, so that these numbers are a close guess. Exits with 1 where a kernel
has more bytes in memory than IN_MEMORY says, with 77 where there is no compiler.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

# Processor: 32-bit registers of a multiprocessor, bytes of local memory, work-items at most.
NVIDIA = {"sm_75": (65536, 65536, 1024), "sm_80": (65536, 167936, 2048), "sm_86": (65536, 102400, 1536),
          "sm_90": (65536, 233472, 2048)}
# Processor: registers of a lane that a wave can have, and waves that share them; lanes of a wave.
AMD = {"gfx90a": (512, 8, 64), "gfx1030": (1024, 16, 32), "gfx1100": (1536, 16, 32)}
MATRIX_OF = {"1": "sm_80 sm_86 sm_90", "2": "gfx90a", "3": "gfx1100"}
# Bytes of a work-item in memory that are known and left: sums of up to eight rows with a running index;
# those of a window of 3 x 3 or 5 x 5; heads of 128 on processors with 256 registers; and what two
# fragments of queries have too many of NVIDIA's.
IN_MEMORY = {"few_rows": 68, "depthwise": 108, "attend_backward_gpu": 328, "attend_gpu": 8,
             "attend_matrix": 56}

CLC = "/usr/lib/clc/"
BASE = ["-x", "cl", "-cl-std=CL1.2", "-O3", "-nogpulib", "-w", "-S"]
# clang's 2^x for NVIDIA is a call of a library that is not here; the driver's is this instruction.
PRELUDE = """static inline __attribute__((always_inline, overloadable)) float ex2(float x)
{
    float y;
    __asm__("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static inline __attribute__((always_inline, overloadable)) float4 ex2(float4 x)
{
    return (float4)(ex2(x.x), ex2(x.y), ex2(x.z), ex2(x.w));
}
#define native_exp2 ex2
"""


def find(names, *places):
    """The first program of that name in PATH or in one of the places; None."""
    for name in names:
        found = shutil.which(name)
        for place in places:
            found = found or shutil.which(name, path=place)
        if found:
            return found
    return None


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


def compiled(clang, source, options, out, *target):
    """None, or what the compiler says of its failure."""
    done = run(clang, *BASE, *target, "-o", out, *options, source)
    return None if done.returncode == 0 else done.stderr.strip().split("\n")[0]


def for_nvidia(clang, ptxas, folder, job, name):
    """Rows (kernel, processor, registers, bytes in memory, local bytes, share) of a job, or a message."""
    source, options, processors = job
    least = "sm_80" if any(o.startswith("-DMATRIX=") for o in options) else "sm_75"
    ptx = f"{folder}/{name}.ptx"
    failed = compiled(clang, f"{folder}/{source}.cl", options, ptx, "-target", "nvptx64--",
                      "-include", f"{folder}/prelude.h", "-Xclang", "-target-cpu", "-Xclang", least,
                      "-Xclang", "-target-feature", "-Xclang", "+ptx75", "-Xclang",
                      "-mlink-builtin-bitcode", "-Xclang", CLC + "nvptx64--nvidiacl.bc")
    if failed:
        return [], failed
    rows = []
    items = re.findall(r"\.entry (\w+)\(.*?\n\)\n(?:\.reqntid (\d+))?", open(ptx).read(), re.S)
    group = {kernel: int(count or 128) for kernel, count in items}
    for processor in processors:
        registers, local, most = NVIDIA[processor]
        done = run(ptxas, f"-arch={processor}", "-v", ptx, "-o", "/dev/null")
        if done.returncode:
            return rows, done.stderr.strip().split("\n")[0]
        for kernel, memory, used, rest in re.findall(
                r"function '(\w+)'.*\n.*\n *(\d+) bytes stack frame.*\n.*Used (\d+) registers(.*)",
                done.stderr):
            used = max(int(used), 16)
            shared = int((re.findall(r"(\d+) bytes smem", rest) or ["0"])[0])
            groups = min(registers // (-(-used // 8) * 8 * group[kernel]),
                         local // (shared + 1024), most // group[kernel], 32)
            rows.append((kernel, processor, used, int(memory), shared,
                         groups * group[kernel] / most))
    return rows, None


def for_amd(clang, folder, job, name):
    source, options, processors = job
    rows = []
    for processor in processors:
        out = f"{folder}/{name}.{processor}.s"
        failed = compiled(clang, f"{folder}/{source}.cl", options, out, "-target", "amdgcn-amd-amdhsa",
                          f"-mcpu={processor}", "-Xclang", "-mlink-builtin-bitcode", "-Xclang",
                          CLC + "amdgcn--amdhsa.bc")
        if failed:
            return rows, failed
        registers, waves, _ = AMD[processor]
        for part in re.split(r"\n  - ", open(out).read().split("amdhsa.kernels:")[-1])[1:]:
            number = {key: int(value) for key, value in re.findall(r"\.(\w+): +(\d+)\n", part)}
            kernel = re.search(r"\n    \.name: +(\w+)", part)
            if not kernel:  # a list that is none of kernels
                continue
            used = max(number["vgpr_count"], 1)
            rows.append((kernel.group(1), processor, used, number["private_segment_fixed_size"],
                         number["group_segment_fixed_size"],
                         min(registers // (-(-used // 8) * 8), waves) / waves))
    return rows, None


def jobs_of(specialisations, known):
    """(source, options, processors) for what a GPU runs: shapes of attention for dot products, and all
    that is launched in groups of 128."""
    jobs = []
    for line in specialisations.splitlines():
        source, *options = line.split()
        matrix = re.search(r"-DMATRIX=(\d+) -DBY_LOOPS=0", line)
        wanted = "-DGROUP_ITEMS=128" in options or matrix or "-DON_GPU=1" in options
        if not wanted or ("-DSCORE=1" not in options and "-DSCORE" in line) or "-DFAST_FMA=0" in options:
            continue
        processors = MATRIX_OF.get(matrix.group(1), "").split() if matrix else known
        jobs.append((source, options, [p for p in processors if p in known]))
    return {(job[0], *job[1]): job for job in jobs if job[2]}.values()  # each shape once


def shape_of(options):
    """The options that tell one shape of a kernel from another."""
    numbers = dict(o[2:].split("=") for o in options if o.startswith("-D"))
    tile = [numbers[k] for k in ("TILE_ROWS", "BLOCK_KEYS", "ROWS_EACH", "KEYS_EACH", "DEPTH") if k in numbers]
    rest = [f"{k.lower()} {numbers[k]}" for k in ("COLUMNS", "HALVES", "BLOCKS", "DIM_STEPS", "TAPS",
                                                  "STRIDE", "STORAGE", "ADDITIVE") if k in numbers]
    return ", ".join(["×".join(tile)] * bool(tile) + rest)


def main():
    list_kernels, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    clang = find(["clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang"])
    ptxas = find(["ptxas"], "/usr/local/cuda/bin")
    if not clang or not os.path.isdir(CLC):
        print("machine_code: clang and libclc are not here", file=sys.stderr)
        return 77
    listed = run(list_kernels, folder)
    with open(f"{folder}/prelude.h", "w") as prelude:
        prelude.write(PRELUDE)
    work = []
    if ptxas:
        work += [(for_nvidia, (clang, ptxas), job) for job in jobs_of(listed.stdout, list(NVIDIA))]
    work += [(for_amd, (clang,), job) for job in jobs_of(listed.stdout, list(AMD))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [pool.submit(compile_for, *tools, folder, job, f"job{i}")
                   for i, (compile_for, tools, job) in enumerate(work)]
    print(f"{'source':20} {'kernel':22} {'shape':42} {'for':8} registers  memory  local  share")
    for (_, _, job), result in zip(work, results):
        rows, message = result.result()
        if message:
            print(f"{job[0]:20} {'':22} {shape_of(job[1]):42} not compiled: {message}")
        for kernel, processor, registers, memory, local, share in rows:
            bad = memory > IN_MEMORY.get(job[0], 0)
            failed += bad
            print(f"{job[0]:20} {kernel:22} {shape_of(job[1]):42} {processor:8} {registers:9} {memory:7} "
                  f"{local:6} {share:6.2f}{'  <- more than is known' if bad else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
