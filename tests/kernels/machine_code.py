#!/usr/bin/env python3
"""machine_code.py LIST_KERNELS FOLDER: what compilers for GPUs make of the kernels, without a GPU.

Every kernel that a GPU runs, in the shapes that it runs them, is compiled for processors of NVIDIA (by
clang to PTX, by ptxas to machine code), of AMD (by clang) and of Intel (by ocloc, Debian's package
intel-opencl-icd). A row of the table is one kernel on one processor: registers, bytes of a work-item in
memory (what did not fit into them, and arrays with a running index; of Intel what its compiler reports that
it spilled), local memory, and how many work-items a multiprocessor (NVIDIA), a compute unit (AMD; local
memory is not counted) or a core (Intel) has at a time, as a share of the most it could have. Then, of the
smallest loop with a quarter of all multiplications, the instructions that multiply and add, by matrices
or numbers, and those that wait for memory first, as shares of all: NVIDIA's by nvdisasm, which PyPI has
in nvidia-cuda-nvdisasm, as it has ptxas in nvidia-cuda-nvcc. "-" where there is no reader of machine code.

Drivers bring compilers of their own, so that these numbers are a close guess. Exits with 1 where a kernel
has bytes in memory, with 77 where there is no compiler.
"""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys

# Processor: 32-bit registers of a multiprocessor, bytes of local memory, work-items at most.
NVIDIA = {"sm_75": (65536, 65536, 1024), "sm_80": (65536, 167936, 2048), "sm_86": (65536, 102400, 1536),
          "sm_90": (65536, 233472, 2048), "sm_120": (65536, 102400, 1536)}
# Processor: registers of a lane that waves share, and the most waves; registers are given so many at a time.
AMD = {"gfx906": (256, 10, 4), "gfx90a": (512, 8, 8), "gfx942": (512, 8, 8), "gfx1030": (1024, 16, 8),
       "gfx1100": (1536, 16, 24), "gfx1201": (1536, 16, 24)}
# Processor: threads of a core with 128 registers each, and its local memory.
INTEL = {"tgllp": (112, 131072), "dg2": (128, 131072)}
# Intel's, of Debian 12, does not know the function of its matrix instruction.
MATRIX_OF = {"1": "sm_80 sm_86 sm_90 sm_120", "2": "gfx90a gfx942", "3": "gfx1100", "4": "gfx1201",
             "7": "sm_80 sm_86 sm_90 sm_120"}

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
    """None, or the compiler's errors."""
    done = run(clang, *BASE, *target, "-o", out, *options, source)
    return None if done.returncode == 0 else done.stderr.strip().split("\n")[0]


MULTIPLIES = re.compile(r"(?:@!?U?P\d+ +)?(?:FFMA|HFMA|DFMA|[HIQ]?G?MMA|"
                        r"v_(?:pk_|dual_)?(?:fma|mad|mac|mfma|wmma|dot))")


def mix_of(code):
    """(multiplying, waiting) shares of the smallest loop with a quarter of the kernel's multiplications, of
    all where there is none. An instruction is (labels before it, text, whether it waits for memory, where it
    jumps)."""
    places = {label: i for i, (labels, *_) in enumerate(code) for label in labels}
    loops = [(places[to], i) for i, (*_, to) in enumerate(code) if places.get(to, len(code)) <= i]
    multiplying = [bool(MULTIPLIES.match(text)) for _, text, *_ in code]
    a, b = min((b - a, a, b) for a, b in [*loops, (0, len(code) - 1)]
               if 4 * sum(multiplying[a:b + 1]) >= sum(multiplying))[1:]
    return sum(multiplying[a:b + 1]) / (b + 1 - a), sum(waits for _, _, waits, _ in code[a:b + 1]) / (b + 1 - a)


def nvidia_mixes(nvdisasm, cubin):
    """{kernel: mix}. Which barriers an instruction waits for is reported by six bits of its second word."""
    mixes, code, labels, kernel = {}, [], [], None
    lines = run(nvdisasm, "-hex", "-c", cubin).stdout.splitlines() + [".text.:"]
    for line, after in zip(lines, lines[1:] + [""]):
        if line.startswith(".text."):
            if code:
                mixes[kernel] = mix_of(code)
            kernel, code, labels = line[6:-1], [], []
        elif label := re.match(r"(\.L\w+):", line):
            labels.append(label.group(1))
        elif word := re.match(r" +/\*[0-9a-f]{4,}\*/ +(.*?) *; +/\* 0x", line):
            high = re.search(r"/\* 0x([0-9a-f]{16}) \*/", after)
            waits = bool(high and int(high.group(1), 16) >> 52 & 63)
            target = re.search(r"BRA.*`\((\.L\w+)\)", word.group(1))
            code.append((labels, word.group(1), waits, target and target.group(1)))
            labels = []
    return mixes


def amd_bodies(text):
    return dict(re.findall(r"^(\w+):[^\n]*@\1\n(.*?)^\.Lfunc_end", text, re.M | re.S))


def amd_mixes(bodies):
    mixes = {}
    for kernel, body in bodies.items():
        code, labels = [], []
        for line in body.splitlines():
            if label := re.match(r"(\.L\w+):", line):
                labels.append(label.group(1))
            elif re.match(r"\t[a-z]", line):
                target = re.search(r"s_c?branch\w* (\.L\w+)", line)
                code.append((labels, line.strip(), line.startswith(("\ts_waitcnt", "\ts_wait_")),
                             target and target.group(1)))
                labels = []
        mixes[kernel] = mix_of(code)
    return mixes


def for_nvidia(clang, ptxas, nvdisasm, folder, job, name):
    """Rows (kernel, processor, registers, bytes in memory, local bytes, share, mix) of a job, or a
    message."""
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
        cubin = f"{folder}/{name}.{processor}.cubin"
        done = run(ptxas, f"-arch={processor}", "-v", ptx, "-o", cubin)
        if done.returncode:
            return rows, done.stderr.strip().split("\n")[0]
        mixes = nvidia_mixes(nvdisasm, cubin) if nvdisasm else {}
        for kernel, memory, used, rest in re.findall(
                r"function '(\w+)'.*\n.*\n *(\d+) bytes stack frame.*\n.*Used (\d+) registers(.*)",
                done.stderr):
            used = max(int(used), 16)
            shared = int((re.findall(r"(\d+) bytes smem", rest) or ["0"])[0])
            groups = min(registers // (-(-used // 8) * 8 * group[kernel]),
                         local // (shared + 1024), most // group[kernel], 32)
            rows.append((kernel, processor, used, int(memory), shared,
                         groups * group[kernel] / most, mixes.get(kernel)))
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
        registers, waves, together = AMD[processor]
        text = open(out).read()
        bodies = amd_bodies(text)
        mixes = amd_mixes(bodies)
        for part in re.split(r"\n  - ", text.split("amdhsa.kernels:")[-1])[1:]:
            number = {key: int(value) for key, value in re.findall(r"\.(\w+): +(\d+)\n", part)}
            kernel = re.search(r"\n    \.name: +(\w+)", part)
            if not kernel:  # a list that is none of kernels
                continue
            used = max(number["vgpr_count"], 1)
            # Scalars that did not fit have places in memory, but are in lanes of a register.
            meets = re.search(r"^\t(scratch|buffer)_(load|store)", bodies[kernel.group(1)], re.M)
            rows.append((kernel.group(1), processor, used,
                         number["private_segment_fixed_size"] if meets else 0,
                         number["group_segment_fixed_size"],
                         min(registers // (-(-used // together) * together), waves) / waves,
                         mixes[kernel.group(1)]))
    return rows, None


def for_intel(ocloc, folder, job, name):
    source, options, processors = job
    rows = []
    for processor in processors:
        place = f"{folder}/{name}.{processor}"
        shutil.rmtree(place, ignore_errors=True)
        done = run(ocloc, "compile", "-file", f"{folder}/{source}.cl", "-device", processor, "--format",
                   "zebin", "-out_dir", place, "-options", " ".join(["-cl-std=CL1.2", *options]))
        binary = glob.glob(f"{place}/*.bin")
        if not binary:
            return rows, (done.stdout + done.stderr).strip().split("\n")[0]
        spilled = dict(re.findall(r"kernel (\w+) +compiled SIMD\d+ allocated \d+ regs and spilled around (\d+)",
                                  done.stdout + done.stderr))
        threads, most = INTEL[processor]
        text = open(binary[0], "rb").read().decode("latin-1")
        for kernel, notes in re.findall(r"\n  - name: +(\w+)\n(    \w+:.*?)(?=\n  - name:|\n\w)", text, re.S):
            if "grf_count" not in notes or kernel.startswith("Intel_"):  # its arguments, or no kernel
                continue
            number = {key: int(value) for key, value in re.findall(r"(\w+): +(\d+)\n", notes + "\n")}
            shared, registers = number.get("slm_size", 0), number["grf_count"]
            items = re.search(r"reqd_work_group_size: +\[ *(\d+)", notes)
            each = -(-int(items.group(1) if items else 128) // number["simd_size"])
            have = threads * 128 // registers
            rows.append((kernel, processor, registers, int(spilled.get(kernel, 0)), shared,
                         min(have, most // max(shared, 1) * each) / threads, None))
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
        if "-DROWS_EACH=8" in options:  # AMD's tile
            processors = list(AMD)
        if source == "attend_backward_gpu":  # Intel has one of its own
            is_intels = "-DBLOCK_KEYS=128" in options
            processors = [p for p in known if (p in INTEL) == is_intels]
        jobs.append((source, options, [p for p in processors if p in known]))
    return {(job[0], *job[1]): job for job in jobs if job[2]}.values()  # each shape once


def shape_of(options):
    """The options that distinguish one shape of a kernel from another."""
    numbers = dict(o[2:].split("=") for o in options if o.startswith("-D"))
    tile = [numbers[k] for k in ("TILE_ROWS", "BLOCK_KEYS", "ROWS_EACH", "KEYS_EACH", "DEPTH") if k in numbers]
    rest = [f"{k.lower()} {numbers[k]}" for k in ("COLUMNS", "HALVES", "BLOCKS", "DIM_STEPS", "TAPS",
                                                  "STRIDE", "STORAGE", "ADDITIVE") if k in numbers]
    return ", ".join(["×".join(tile)] * bool(tile) + rest)


def main():
    list_kernels, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    clang = find(["clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang"])
    wheels = [f"{place}/nvidia/cu13/bin" for place in sys.path]
    ptxas = find(["ptxas"], "/usr/local/cuda/bin", *wheels)
    nvdisasm = find(["nvdisasm"], "/usr/local/cuda/bin", *wheels)
    ocloc = find(["ocloc"])
    if not clang or not os.path.isdir(CLC):
        print("machine_code: clang and libclc are not here", file=sys.stderr)
        return 77
    listed = run(list_kernels, folder)
    with open(f"{folder}/prelude.h", "w") as prelude:
        prelude.write(PRELUDE)
    work = []
    if ptxas:
        work += [(for_nvidia, (clang, ptxas, nvdisasm), job) for job in jobs_of(listed.stdout, list(NVIDIA))]
    work += [(for_amd, (clang,), job) for job in jobs_of(listed.stdout, list(AMD))]
    if ocloc:
        work += [(for_intel, (ocloc,), job) for job in jobs_of(listed.stdout, list(INTEL))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = [pool.submit(compile_for, *tools, folder, job, f"job{i}")
                   for i, (compile_for, tools, job) in enumerate(work)]
    print(f"{'source':20} {'kernel':22} {'shape':42} {'for':8} registers  memory  local  share  multiply  wait")
    for (_, _, job), result in zip(work, results):
        rows, message = result.result()
        if message:
            print(f"{job[0]:20} {'':22} {shape_of(job[1]):42} not compiled: {message}")
        for kernel, processor, registers, memory, local, share, mix in rows:
            mixed = f"{mix[0]:9.2f} {mix[1]:5.2f}" if mix else f"{'-':>9} {'-':>5}"
            failed += memory > 0
            print(f"{job[0]:20} {kernel:22} {shape_of(job[1]):42} {processor:8} {registers:9} {memory:7} "
                  f"{local:6} {share:6.2f} {mixed}{'  <- in memory' if memory else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
