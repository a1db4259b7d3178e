#!/bin/sh
# Installs Galley into ~/.local/bin, or the folder that GALLEY_BIN names:
#   curl -fsSL URL/install.sh | sh
# Needs curl or wget, tar with xz, and sha256sum or shasum. Nothing is written before the sum is right.
set -eu

version=@VERSION@
url=@URL@
sums=@SUMS@

fail() {
  echo "galley: $1" >&2
  exit 1
}

platform() {
  case "$(uname -s)" in
    Linux) os=linux ;;
    Darwin) os=macos ;;
    *) fail "there is no executable for $(uname -s); on Windows: scoop install galley, or npm install -g galley-cms" ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no executable for $(uname -m)" ;;
  esac
  libc=
  if [ "$os" = linux ] && ls /lib/ld-musl-* >/dev/null 2>&1 && ! ls /lib*/ld-linux-* >/dev/null 2>&1; then
    libc=-musl
  fi
  echo "$os-$cpu$libc"
}

download() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 3 -o "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1"
  else
    fail "neither curl nor wget is installed"
  fi
}

sum_of() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail "neither sha256sum nor shasum is installed: the download cannot be checked"
  fi
}

# in a function, so that a script that is cut off while it is downloaded does nothing
main() {
  name=$(platform)
  expected=$(echo "$sums" | sed -n "s/^$name //p")
  [ -n "$expected" ] || fail "there is no executable for $name"
  target=${GALLEY_BIN:-$HOME/.local/bin}
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 1' HUP INT TERM
  archive="galley-$version-$name.tar.xz"
  download "$url/$archive" "$scratch/$archive" || fail "$url/$archive cannot be downloaded"
  actual=$(sum_of "$scratch/$archive")
  [ "$actual" = "$expected" ] || fail "$archive has the sum $actual, not $expected; nothing was installed"
  tar -xJf "$scratch/$archive" -C "$scratch" || fail "$archive cannot be unpacked; is xz installed?"
  mkdir -p "$target"
  # a running one is replaced at once, and keeps its own file
  cp "$scratch/galley/galley" "$target/.galley.new"
  chmod 755 "$target/.galley.new"
  mv -f "$target/.galley.new" "$target/galley"
  echo "installed galley $version as $target/galley"
  case ":$PATH:" in
    *":$target:"*) ;;
    *) echo "$target is not in PATH" ;;
  esac
}

main
