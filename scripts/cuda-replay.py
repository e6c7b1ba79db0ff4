#!/usr/bin/env python3
"""Repeats recorded launches on an NVIDIA GPU, and compares what they leave in memory with what was recorded.

    scripts/cuda-replay.py [--jobs N] [--level N] [--write] [--seconds S] [--driver LIBRARY] FOLDER...

A FOLDER is one launch, as BITLINE_RECORD has it written when a program of scripts/cu runs, or holds such folders.
NVIDIA's driver is all that is needed, no toolkit. PTX must have 64-bit addresses; its .target is raised to sm_75
where it is older, which drivers take no longer. --write puts what the GPU left into found.bin of each folder.
--level is that of the driver's optimisation, 0 to 4. --jobs runs so many processes; one that takes more than
--seconds for a launch is ended. Memory is compared byte by byte: a NaN has other bits on the array, and atomic
operations may come in another order.

Ends with 0 if all are the same, 1 if some are not, 2 if the driver cannot be used or a FOLDER holds no launch.
"""

import argparse
import ctypes
import multiprocessing
import os
import re
import sys

OLDEST = 75


class Failed(Exception):
    """A launch that could not be repeated."""


class Driver:
    """The calls of the driver that are needed; a context on the first device."""

    def __init__(self, library, level):
        self.level = level
        try:
            self.library = ctypes.CDLL(library)
        except OSError as error:
            raise Failed(f"{library}: {error}") from error
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.name = f"{name.value.decode()}, CUDA {version.value // 1000}.{version.value % 1000 // 10}"
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(code, ctypes.byref(text))
            raise Failed(f"{name}: {(text.value or b'error').decode()} ({code})")

    def module(self, text):
        """A module of this text, or what the compiler says of it."""
        log = ctypes.create_string_buffer(8192)
        # CU_JIT_ERROR_LOG_BUFFER and its size, CU_JIT_OPTIMIZATION_LEVEL.
        options = (ctypes.c_int * 3)(5, 6, 7)
        values = (ctypes.c_void_p * 3)(ctypes.cast(log, ctypes.c_void_p), 8192, self.level)
        module = ctypes.c_void_p()
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), text.encode() + b"\0", 3, options, values)
        except Failed as error:
            raise Failed(f"{error}: {log.value.decode(errors='replace')[:2000]}") from error
        return module


class Launch:
    """What a folder says."""

    def __init__(self, folder):
        self.memory, self.variables, self.parameters = [], [], []
        with open(os.path.join(folder, "kernel.ptx"), encoding="utf-8") as file:
            self.text = file.read().rstrip("\0")
        with open(os.path.join(folder, "launch.txt"), encoding="utf-8") as file:
            for line in file:
                key, *words = line.split()
                if key == "parameter":
                    self.parameters.append((bytes.fromhex(words[0]), len(words) > 1))
                elif key == "memory":
                    self.memory.append((int(words[0], 16), int(words[1])))
                elif key == "variable":
                    self.variables.append((words[0], int(words[1])))
                elif key in ("grid", "block"):
                    setattr(self, key, [int(word) for word in words])
                elif key == "shared":
                    self.shared = int(words[0])
                elif key == "kernel":
                    self.kernel = words[0]
        if ".address_size 64" not in self.text:
            raise Failed("its PTX has 32-bit addresses, which GPUs have no longer: compile it with -m64")

    def raised(self):
        """The text with a target and a version that drivers take."""
        target = re.search(r"^\.target sm_(\d+)", self.text, re.M)
        version = re.search(r"^\.version (\d+)\.(\d+)", self.text, re.M)
        text = self.text
        if target and int(target[1]) < OLDEST:
            text = re.sub(r"^\.target sm_\d+", f".target sm_{OLDEST}", text, count=1, flags=re.M)
        if version and (int(version[1]), int(version[2])) < (6, 3):
            text = re.sub(r"^\.version .*", ".version 6.3", text, count=1, flags=re.M)
        return text


def replay(driver, folder, write):
    """Runs a launch; the number of bytes that differ, and the first of them."""
    launch = Launch(folder)
    with open(os.path.join(folder, "before.bin"), "rb") as file:
        before = file.read()
    with open(os.path.join(folder, "after.bin"), "rb") as file:
        after = file.read()
    module = driver.module(launch.raised())
    function = ctypes.c_void_p()
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, launch.kernel.encode())
    first = min((base for base, _ in launch.memory), default=0)
    span = max((base + size for base, size in launch.memory), default=0) - first
    arena = ctypes.c_uint64()
    driver.call("cuMemAlloc_v2", ctypes.byref(arena), ctypes.c_size_t(span + 256))
    at, places = 0, []
    for base, size in launch.memory:
        places.append((arena.value + base - first, size))
    for name, size in launch.variables:
        place, own = ctypes.c_uint64(), ctypes.c_size_t()
        driver.call("cuModuleGetGlobal_v2", ctypes.byref(place), ctypes.byref(own), module, name.encode())
        places.append((place.value, size))
    for place, size in places:
        driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(place), before[at : at + size], ctypes.c_size_t(size))
        at += size
    values = []
    for number, pointer in launch.parameters:
        if pointer:
            number = ((int.from_bytes(number, "little") - first + arena.value) % 2**64).to_bytes(8, "little")
        values.append(ctypes.create_string_buffer(number, len(number)))
    pointers = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(value) for value in values])
    sizes = [ctypes.c_uint(number) for number in launch.grid + launch.block]
    driver.call("cuLaunchKernel", function, *sizes, ctypes.c_uint(launch.shared), None, pointers, None)
    driver.call("cuCtxSynchronize")
    found = b""
    for place, size in places:
        buffer = ctypes.create_string_buffer(size)
        driver.call("cuMemcpyDtoH_v2", buffer, ctypes.c_uint64(place), ctypes.c_size_t(size))
        found += buffer.raw
    driver.call("cuMemFree_v2", arena)
    driver.call("cuModuleUnload", module)
    if write:
        with open(os.path.join(folder, "found.bin"), "wb") as file:
            file.write(found)
    if found == after:
        return 0, ""
    differing = [index for index in range(len(after)) if found[index] != after[index]]
    at = differing[0]
    return len(differing), f"byte {at} is {found[at]:#04x}, recorded is {after[at]:#04x}"


def worker(library, level, write, folders, said):
    """Repeats launches that come through a queue, and tells of each."""
    try:
        driver = Driver(library, level)
    except Failed as error:
        said.put(("driver", None, str(error)))
        return
    said.put(("name", None, driver.name))
    for folder in iter(folders.get, None):
        said.put(("begin", folder, os.getpid()))
        try:
            said.put(("end", folder, replay(driver, folder, write)))
        except (Failed, OSError, ValueError) as error:
            said.put(("failed", folder, str(error)))
            if "cuCtxSynchronize" in str(error) or "ILLEGAL" in str(error):
                # The context is of no use any more.
                said.put(("gone", folder, ""))
                return


def launches(paths):
    """Folders of launches in these."""
    for path in paths:
        if os.path.exists(os.path.join(path, "launch.txt")):
            yield path
        elif os.path.isdir(path):
            inner = sorted(os.path.join(path, name) for name in os.listdir(path))
            yield from (name for name in inner if os.path.exists(os.path.join(name, "launch.txt")))


def main():
    """Repeats all launches, and tells how many are the same."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--level", type=int, default=4, choices=range(5))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--driver", default="libcuda.so.1")
    options = parser.parse_args()
    todo = []
    for folder in options.folders:
        found = list(launches([folder]))
        if not found:
            print(f"cuda-replay: {folder}: must be a recorded launch, or hold some", file=sys.stderr)
            return 2
        todo += found
    folders, said = multiprocessing.Queue(), multiprocessing.Queue()
    folders.cancel_join_thread()
    for folder in todo:
        folders.put(folder)
    running = {}

    def start():
        own = (options.driver, options.level, options.write, folders, said)
        process = multiprocessing.Process(target=worker, args=own)
        process.start()
        running[process.pid] = [process, None]

    for _ in range(max(1, min(options.jobs, len(todo)))):
        folders.put(None)
        start()
    same, differ, failed, left, named = 0, 0, 0, len(todo), False
    while left:
        try:
            what, folder, told = said.get(timeout=options.seconds)
        except Exception:  # pylint: disable=broad-except
            # Nobody has said anything for so long: those who run something are ended, if they have not ended before.
            for process, folder in list(running.values()):
                if folder is not None:
                    process.kill()
                    print(f"{folder}: not done after {options.seconds:g} seconds")
                    failed, left = failed + 1, left - 1
                    del running[process.pid]
                    start()
            if not any(process.is_alive() for process, _ in running.values()):
                break
            continue
        if what == "driver":
            print(f"cuda-replay: {told}", file=sys.stderr)
            return 2
        if what == "name":
            print(told if not named else "", end="" if named else "\n")
            named = True
        elif what == "begin" and told in running:
            running[told][1] = folder
        elif what == "gone":
            start()
        elif what in ("end", "failed"):
            left -= 1
            for own in running.values():
                own[1] = None if own[1] == folder else own[1]
            if what == "failed":
                failed += 1
                print(f"{folder}: {told}")
            elif told[0]:
                differ += 1
                print(f"{folder}: {told[0]} bytes differ: {told[1]}")
            else:
                same += 1
    for process, _ in running.values():
        process.join(5)
    print(f"{len(todo)} launches: {same} the same, {differ} differ, {failed} failed")
    return 0 if same == len(todo) else 1


if __name__ == "__main__":
    sys.exit(main())
