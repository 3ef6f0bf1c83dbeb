folder=${XDG_CACHE_HOME:-$HOME/.cache}/highwater/engine/$1
cd "$folder" || exit 1
sh source/packaging/build-on-host "$folder" "$2"
