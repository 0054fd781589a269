#!/bin/sh
# Installs Forager as a service on Debian, Ubuntu or Raspberry Pi OS (64-bit), from a release archive.
# Run it again to update. Everything is in functions: a download that was cut off runs nothing.
set -eu

usage() {
  cat <<'END'
Usage: sh install.sh [OPTIONS]

Installs the archive for this machine that is in the folder of this script, or the one of --from.

  --from FILE     install this archive: forager-VERSION-PLATFORM.tar.gz
  --sha256 HEX    its checksum; without this option SHA256SUMS beside the archive must list it
  --browser       allow Chromium's sandbox, for nodes that render pages in a browser
  --no-start      do not start the service
  --root DIR      install below DIR, as into an image: no user, no service is started
  --dry-run       print the commands, change nothing
  --uninstall     remove the program and the service; data and settings stay
  --purge         with --uninstall: remove data, settings and the user too

Program: /opt/forager   Data: /var/lib/forager   Settings: /etc/forager/forager.toml
END
}

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Runs a command, or prints it with --dry-run.
run() {
  if [ "$dry" = yes ]; then say "+ $*"; else "$@"; fi
}

# Writes stdin to the file $1 with the mode $2, unless the same is there.
put() {
  if [ "$dry" = yes ]; then
    cat > /dev/null
    say "+ write $1 (mode $2)"
    return
  fi
  mkdir -p "$(dirname "$1")"
  rm -f "$1.new"
  (umask 077 && cat > "$1.new")
  if cmp -s "$1.new" "$1"; then
    rm "$1.new"
  else
    chmod "$2" "$1.new"
    mv "$1.new" "$1"
  fi
}

find_platform() {
  [ "$(uname -s)" = Linux ] || fail "this installer is for Linux; docs/install.md has other ways"
  [ "$(getconf LONG_BIT)" = 64 ] ||
    fail "this system is 32-bit: Forager needs a 64-bit system, such as Raspberry Pi OS (64-bit)"
  case $(uname -m) in
    x86_64) platform=linux-x64 ;;
    aarch64 | arm64) platform=linux-arm64 ;;
    *) fail "there is no release for $(uname -m): only for x86_64 and aarch64" ;;
  esac
}

find_archive() {
  if [ -z "$from" ]; then
    here=$(CDPATH='' cd "$(dirname "$0")" && pwd)
    for file in "$here"/forager-*-"$platform".tar.gz; do
      [ ! -f "$file" ] || from=$file
    done
    [ -n "$from" ] || fail "there is no forager-*-$platform.tar.gz in $here: name the archive with --from"
  fi
  [ -f "$from" ] || fail "there is no file $from"
}

check_archive() {
  if [ -z "$sha256" ]; then
    sums=$(dirname "$from")/SHA256SUMS
    [ -f "$sums" ] || fail "there is no $sums: fetch it, or pass the checksum with --sha256"
    sha256=$(awk -v name="$(basename "$from")" '$2 == name { print $1 }' "$sums")
    [ -n "$sha256" ] || fail "$sums does not list $(basename "$from")"
  fi
  found=$(sha256sum "$from" | cut -d ' ' -f 1)
  [ "$found" = "$sha256" ] || fail "$from is damaged or not the right file: its checksum is $found, not $sha256"
  release=$(tar -xzOf "$from" forager/release.json) || fail "$from is not an archive of Forager"
  id=$(say "$release" | sed -n 's/^ *"id": "\([0-9A-Za-z.+-]*\)".*/\1/p')
  made_for=$(say "$release" | sed -n 's/^ *"platform": "\([0-9a-z-]*\)".*/\1/p')
  [ -n "$id" ] || fail "$from has no release id"
  [ "$made_for" = "$platform" ] || fail "$from is for $made_for, and this machine is $platform"
}

check_machine() {
  glibc=$(getconf GNU_LIBC_VERSION 2> /dev/null | cut -d ' ' -f 2)
  case $glibc in
    2.2[89] | 2.[3-9][0-9]) ;;
    *) fail "Forager needs glibc 2.28 or newer, and this system has ${glibc:-none}" ;;
  esac
  size=$(du -k "$from" | cut -f 1)
  parent=$opt
  while [ ! -d "$parent" ]; do parent=$(dirname "$parent"); done
  free=$(df -Pk "$parent" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge $((size * 6)) ] ||
    fail "$parent has $((free / 1024)) MB free, and the installation needs $((size * 6 / 1024)) MB"
  [ "$(date +%Y)" -ge 2025 ] ||
    fail "the clock says $(date): set it first (timedatectl set-ntp true), leases depend on it"
  [ -z "$root" ] || return 0
  [ "$dry" = yes ] || [ "$(id -u)" = 0 ] || fail "run this as root: sudo sh $0"
  [ -d /run/systemd/system ] || fail "systemd does not run here; docs/install.md has other ways"
}

unpack() {
  if [ -d "$opt/releases/$id" ]; then
    say "release $id is here already"
  else
    say "unpacking release $id"
    run rm -rf "$opt/releases/$id.part"
    run mkdir -p "$opt/releases/$id.part"
    run tar -xzf "$from" -C "$opt/releases/$id.part" --strip-components=1 --no-same-owner
    run mv "$opt/releases/$id.part" "$opt/releases/$id"
  fi
  # Before it is put in place: does it run on this machine?
  [ "$dry" = yes ] || version=$("$opt/releases/$id/bin/forager" version) ||
    fail "release $id does not run on this machine; the one before is still in place"
  [ "$(readlink "$opt/current" || true)" != "releases/$id" ] || return 0
  before=$(readlink "$opt/current" || true)
  [ -z "$before" ] || run ln -sfn "$before" "$opt/previous"
  run ln -sfn "releases/$id" "$opt/current.new"
  run mv -T "$opt/current.new" "$opt/current"
}

# Keeps the current release, the one before it, and the newest other one.
prune() {
  current=$(readlink "$opt/current" || true)
  previous=$(readlink "$opt/previous" || true)
  others=0
  for folder in $(ls -1t "$opt/releases" 2> /dev/null || true); do
    case releases/$folder in "$current" | "$previous") continue ;; esac
    others=$((others + 1))
    [ "$others" -le 1 ] || run rm -rf "$opt/releases/$folder"
  done
}

add_user() {
  [ -z "$root" ] || return 0
  id forager > /dev/null 2>&1 ||
    run useradd --system --user-group --home-dir /var/lib/forager --no-create-home \
      --shell /usr/sbin/nologin forager
}

add_settings() {
  run mkdir -p "$root/etc/forager" "$root/var/lib/forager"
  run chmod 0750 "$root/etc/forager" "$root/var/lib/forager"
  if [ ! -e "$root/etc/forager/forager.toml" ]; then
    put "$root/etc/forager/forager.toml" 0640 <<'END'
# Settings of the Forager service. `forager config show --config /etc/forager/forager.toml` lists all.
data = "/var/lib/forager"
END
  fi
  [ -n "$root" ] || run chown root:forager /etc/forager /etc/forager/forager.toml
  [ -n "$root" ] || run chown forager:forager /var/lib/forager
}

completion_files="bash:/usr/share/bash-completion/completions/forager
zsh:/usr/local/share/zsh/site-functions/_forager
fish:/usr/share/fish/vendor_completions.d/forager.fish"

add_program() {
  run mkdir -p "$root/usr/local/bin"
  run ln -sfn "/opt/forager/current/bin/forager" "$root/usr/local/bin/forager"
  for one in $completion_files; do
    if [ "$dry" = yes ]; then
      put "$root${one#*:}" 0644 < /dev/null
    else
      script=$("$opt/current/bin/forager" completion "${one%%:*}") ||
        fail "\`forager completion ${one%%:*}\` failed"
      say "$script" | put "$root${one#*:}" 0644
    fi
  done
}

# The files come from the release, so with --dry-run they may not be there yet.
put_unit() {
  if [ "$dry" = yes ]; then
    put "$2" 0644 < /dev/null
  else
    put "$2" 0644 < "$opt/current/systemd/$1"
  fi
}

add_service() {
  put_unit forager.service "$root$unit_file"
  if [ "$browser" = yes ]; then put_unit browser.conf "$root$unit_file.d/browser.conf"; fi
  [ -z "$root" ] || return 0
  run systemctl daemon-reload
  run systemctl enable --quiet forager.service
  [ "$start" = yes ] || return 0
  # Waits until the node says that it is ready.
  run systemctl restart forager.service ||
    fail "the service did not start; see: journalctl -u forager -n 50"
}

install_all() {
  find_platform
  find_archive
  check_archive
  check_machine
  unpack
  add_user
  add_settings
  add_program
  add_service
  prune
  [ "$dry" = no ] || return 0
  say "installed Forager $version ($id) in $opt"
  say "settings: /etc/forager/forager.toml    log: journalctl -u forager"
  say "commands: sudo -u forager forager --config /etc/forager/forager.toml status"
}

uninstall_all() {
  if [ -z "$root" ]; then
    [ "$dry" = yes ] || [ "$(id -u)" = 0 ] || fail "run this as root: sudo sh $0 --uninstall"
    if [ -e "$unit_file" ] && [ -d /run/systemd/system ]; then
      run systemctl disable --quiet --now forager.service
    fi
  fi
  run rm -rf "$root$unit_file" "$root$unit_file.d/browser.conf" "$opt"
  run rm -f "$root/usr/local/bin/forager"
  # The others are settings: `systemctl edit forager` wrote them.
  [ "$purge" = no ] || run rm -rf "$root$unit_file.d"
  [ ! -d "$root$unit_file.d" ] || run rmdir --ignore-fail-on-non-empty "$root$unit_file.d"
  for one in $completion_files; do run rm -f "$root${one#*:}"; done
  [ -n "$root" ] || [ ! -d /run/systemd/system ] || run systemctl daemon-reload
  if [ "$purge" = yes ]; then
    run rm -rf "$root/var/lib/forager" "$root/etc/forager"
    if [ -z "$root" ] && id forager > /dev/null 2>&1; then run userdel forager; fi
    say "removed Forager with its data and settings"
  else
    say "removed Forager; its data is in $root/var/lib/forager, its settings are in $root/etc/forager"
  fi
}

main() {
  from='' sha256='' root='' version=''
  dry=no browser=no start=yes uninstall=no purge=no
  unit_file=/etc/systemd/system/forager.service
  while [ $# -gt 0 ]; do
    case $1 in
      --from | --sha256 | --root)
        [ $# -ge 2 ] || fail "$1 needs a value"
        case $1 in
          --from) from=$2 ;;
          --sha256) sha256=$2 ;;
          --root) root=${2%/} ;;
        esac
        shift
        ;;
      --browser) browser=yes ;;
      --no-start) start=no ;;
      --dry-run) dry=yes ;;
      --uninstall) uninstall=yes ;;
      --purge) purge=yes ;;
      -h | --help)
        usage
        exit 0
        ;;
      *)
        usage >&2
        fail "unknown option $1"
        ;;
    esac
    shift
  done
  opt=$root/opt/forager
  [ "$purge" = no ] || [ "$uninstall" = yes ] || fail "--purge goes with --uninstall"
  if [ "$uninstall" = yes ]; then uninstall_all; else install_all; fi
}

main "$@"
