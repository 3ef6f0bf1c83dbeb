version=$1 python=$2
say() { printf '%s=%s\n' "$1" "$2"; }
first() { "$@" 2>/dev/null </dev/null | head -n 1; }
cache=${XDG_CACHE_HOME:-$HOME/.cache}/highwater/engine
folder=$cache/$version
say highwater_check 1
say system "$(uname -s) $(uname -m)"
say cores "$(getconf _NPROCESSORS_ONLN 2>/dev/null)"
say memory_kib "$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null)"
say cache "$cache"
if mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ]; then say writable 1; fi
say free_kib "$(df -Pk "$cache" 2>/dev/null | tail -n 1 | sed 's/  */ /g' | cut -d ' ' -f 4)"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null </dev/null |
  while read -r gpu; do say gpu "$gpu"; done
if [ -z "$python" ]; then python=$(command -v python3 || command -v python); fi
if [ -n "$python" ]; then
  PATH=${python%/*}:$PATH
  say python "$(first "$python" --version)"
  (cd / && "$python" -) 2>/dev/null <<'PYTHON'
import importlib.util, os, re
spec = importlib.util.find_spec("torch")
if spec and spec.submodule_search_locations:
    folder = list(spec.submodule_search_locations)[0]
    if os.path.exists(os.path.join(folder, "share/cmake/Torch/TorchConfig.cmake")):
        text = open(os.path.join(folder, "version.py")).read()
        found = re.search(r"__version__ = ['\"]([^'\"]*)", text)
        print("torch_place=" + folder)
        print("torch=" + (found.group(1) if found else "of unknown version"))
PYTHON
fi
rest=$PATH:
while [ -n "$rest" ]; do
  bin=${rest%%:*} rest=${rest#*:}
  for config in "${bin%/*}"/share/cmake/Torch/TorchConfig.cmake "${bin%/*}"/lib/cmake/Torch/TorchConfig.cmake \
    "${bin%/*}"/lib/*/cmake/Torch/TorchConfig.cmake; do
    if [ -e "$config" ]; then say libtorch "$config"; fi
  done
done
for compiler in c++ g++ clang++; do
  if command -v "$compiler" >/dev/null 2>&1; then
    say compiler "$(first "$compiler" --version)"
    say compiler_version "$(first "$compiler" -dumpfullversion -dumpversion)"
    break
  fi
done
if command -v cmake >/dev/null 2>&1; then say cmake "$(first cmake --version)"; fi
if command -v nvcc >/dev/null 2>&1; then say nvcc "$(nvcc --version 2>/dev/null | tail -n 1)"; fi
for tool in tar gzip make sha256sum; do
  if command -v "$tool" >/dev/null 2>&1; then say tool "$tool"; fi
done
if command -v ninja >/dev/null 2>&1; then say tool make; fi
if [ -e "$folder/source/CMakeLists.txt" ]; then say source 1; fi
if [ -e "$folder/ready" ]; then
  say ready 1
  say ready_python "$(head -n 1 "$folder/ready")"
fi
say complete 1
