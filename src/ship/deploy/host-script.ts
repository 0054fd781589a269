/**
 * The script that runs on a host. POSIX shell with the tools of Debian, sent over standard input
 * for each call, so nothing has to be installed first. Everything is in functions, so that nothing
 * runs if the text was cut off. Answers are lines `forager:KEY=VALUE`; other output of the login
 * shell is ignored.
 *
 * State of a host, in ROOT/deploy:
 * - `lock`: token, expiry and owner of the deploy that may change this host;
 * - `pending-TOKEN`: a switch that is not confirmed. Renaming it to `confirmed` keeps the new
 *   release, renaming it to `undoing-TOKEN` starts the roll-back. Only one rename can succeed;
 * - `last`: the last decision, so that a call whose answer was lost can be repeated;
 * - `guard.sh`: this script, for the process that rolls back if no confirmation arrives in time;
 * - `log`: one line for each switch.
 */
export const hostScript = String.raw`
set -u
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
umask 022

say() { printf 'forager:%s=%s\n' "$1" "$(printf '%s' "$2" | tr '\n' ' ' | cut -c 1-4000)"; }
fail() {
  say error "$1"
  say message "$2"
  exit 9
}
release_of() { basename "$(readlink "$root/$1" 2> /dev/null)"; }

open_mutex() {
  exec 9> "$dir/mutex" || fail write "cannot write to $dir"
  flock -w 30 9 || fail busy "another command works in $dir"
}
close_mutex() { exec 9>&-; }

read_lock() {
  l_token='' l_expires=0 l_owner=''
  [ -r "$dir/lock" ] || return 0
  { read -r l_token; read -r l_expires; read -r l_owner; } < "$dir/lock"
  case $l_expires in '' | *[!0-9]*) l_expires=0 ;; esac
}
write_lock() {
  if ! { printf '%s\n%s\n%s\n' "$token" "$(($(date +%s) + $1))" "$2" > "$dir/lock.new" && mv "$dir/lock.new" "$dir/lock"; }; then
    fail write "cannot write $dir/lock: is the disk full?"
  fi
}
require_lock() {
  open_mutex
  read_lock
  [ "$l_token" = "$token" ] || fail lock_lost "the lock was lost: it expired, and another deploy may have it"
  write_lock "$1" "$l_owner"
  close_mutex
}

preflight() {
  say time "$(date +%s)"
  say system "$(uname -s)"
  say machine "$(uname -m)"
  say bits "$(getconf LONG_BIT 2> /dev/null)"
  say glibc "$(getconf GNU_LIBC_VERSION 2> /dev/null | cut -d ' ' -f 2)"
  if [ "$(id -u)" = 0 ]; then
    say root yes
  elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
    say root sudo
  else
    say root no
  fi
  parent=$root
  while [ ! -d "$parent" ]; do parent=$(dirname "$parent"); done
  say free_kb "$(df -Pk "$parent" | awk 'NR == 2 { print $4 }')"
  say node "$(node --version 2> /dev/null)"
  say current "$(release_of current)"
  say previous "$(release_of previous)"
  say releases "$(find "$root/releases" -mindepth 1 -maxdepth 1 -type d ! -name '*.part*' -printf '%f ' 2> /dev/null)"
  missing=''
  for tool in awk cmp cut df flock sha256sum tar timeout setsid xargs; do
    command -v "$tool" > /dev/null || missing="$missing $tool"
  done
  say missing "$missing"
  if [ -d /run/systemd/system ]; then say systemd yes; else say systemd no; fi
  now=$(date +%s)
  read_lock
  if [ -n "$l_token" ] && [ "$l_expires" -gt "$now" ]; then
    say lock_owner "$l_owner"
    say lock_left "$((l_expires - now))"
  fi
  for file in "$dir"/pending-*; do [ ! -f "$file" ] || say unconfirmed "$(sed -n 3p "$file")"; done
}

take_lock() {
  [ -d "$root/releases" ] || fail not_installed "there is no $root/releases"
  mkdir -p "$dir" || fail write "cannot write to $root"
  open_mutex
  read_lock
  now=$(date +%s)
  if [ -n "$l_token" ] && [ "$l_token" != "$token" ] && [ "$l_expires" -gt "$now" ]; then
    fail locked "$l_owner has the lock for another $((l_expires - now)) s"
  fi
  write_lock "$1" "$2"
  close_mutex
  # The guard of an earlier deploy is gone, after a power cut for instance: do its work.
  mine=$token
  for file in "$dir"/pending-* "$dir"/undoing-*; do
    [ -f "$file" ] || continue
    token=$(basename "$file" | cut -d - -f 2)
    mv "$dir/pending-$token" "$dir/undoing-$token" 2> /dev/null
    finish_undo "left by an earlier deploy"
    say settled "$to"
  done
  token=$mine
}
release_lock() {
  open_mutex
  read_lock
  [ "$l_token" != "$token" ] || rm -f "$dir/lock"
  close_mutex
}

manifest() {
  require_lock "$1"
  cd "$root/current/" 2> /dev/null || return 0
  find . -type f -exec sha256sum {} + | sed 's/^/forager:file=/'
}
# A new folder that shares all files with the current release. The caller replaces what differs.
stage() {
  require_lock "$2"
  part=$root/releases/$1.part-$token
  if [ -d "$root/releases/$1" ]; then
    say present yes
    return
  fi
  rm -rf "$root"/releases/*.part-*
  mkdir "$part" || fail write "cannot create $part"
  if [ -d "$root/current/" ]; then
    cp -al "$root/current/." "$part/" || fail write "cannot link files into $part"
  fi
  say part "$part"
}
# Takes the folder as a release, after each file was compared and the program has run.
accept() {
  require_lock "$3"
  part=$root/releases/$1.part-$token
  count=$(find "$part" -type f | wc -l)
  [ "$count" -eq "$2" ] || fail damaged "$part has $count files instead of $2"
  find "$part" -depth -type d -empty -delete
  chmod -R a+rX,go-w "$part"
  output=$("$part/bin/forager" version 2>&1) || fail does_not_run "release $1 does not run on this host: $output"
  settings=/etc/forager/forager.toml
  if [ "$root" = /opt/forager ] && [ -f "$settings" ]; then
    output=$("$part/bin/forager" --config "$settings" config show 2>&1 > /dev/null) ||
      fail settings "release $1 does not accept $settings: $output"
  fi
  mv "$part" "$root/releases/$1" || fail write "cannot rename $part"
}

# $1: the release, $2: the one before it, both as links.
flip() {
  ln -sfn "$1" "$root/current.new" && mv -T "$root/current.new" "$root/current" || return 1
  if [ -n "$2" ]; then
    ln -sfn "$2" "$root/previous.new" && mv -T "$root/previous.new" "$root/previous"
  else
    rm -f "$root/previous"
  fi
  unit=/etc/systemd/system/forager.service
  new=$root/current/systemd/forager.service
  if [ "$root" = /opt/forager ] && [ -f "$unit" ] && [ -f "$new" ] && ! cmp -s "$new" "$unit"; then
    cp "$new" "$unit.new" && mv "$unit.new" "$unit" && systemctl daemon-reload
  fi
}
restart_service() { timeout 300 sh -c "$restart" < /dev/null > "$dir/restart.log" 2>&1; }
note() { printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >> "$dir/log"; }
decide() { printf '%s %s\n' "$token" "$1" > "$dir/last"; }
decided() {
  d_token='' d_outcome=''
  [ ! -r "$dir/last" ] || read -r d_token d_outcome < "$dir/last"
  [ "$d_token" != "$token" ] || printf '%s' "$d_outcome"
}

switch_to() {
  id=$1 undo_after=$2 restart=$3 owner=$4
  require_lock $((undo_after + 120))
  [ -x "$root/releases/$id/bin/forager" ] || fail no_release "release $id is not on this host"
  from=$(readlink "$root/current")
  previous=$(readlink "$root/previous" 2> /dev/null)
  [ "$from" != "releases/$id" ] || fail same "release $id runs already"
  # shellcheck disable=SC2154 # s is the text of this script, which the caller has read
  if ! { printf '%s\n' "$s" > "$dir/guard.sh" && printf '%s\n%s\n%s\n%s\n%s\n' "$from" "$previous" "releases/$id" "$restart" "$owner" > "$dir/new-pending" &&
    mv "$dir/new-pending" "$dir/pending-$token"; }; then
    fail write "cannot write to $dir: is the disk full?"
  fi
  if [ -d /run/systemd/system ] && command -v systemd-run > /dev/null; then
    systemd-run --quiet --collect --unit="forager-undo-$token" sh "$dir/guard.sh" guard "$root" "$token" "$undo_after" ||
      { rm "$dir/pending-$token"; fail guard "cannot start the process that goes back by itself"; }
  else
    setsid sh "$dir/guard.sh" guard "$root" "$token" "$undo_after" < /dev/null > /dev/null 2>&1 &
  fi
  # Under the mutex, so that a roll-back cannot run before this.
  open_mutex
  [ -f "$dir/pending-$token" ] || fail undone "the host has gone back already"
  flip "releases/$id" "$from" || fail write "cannot change $root/current"
  close_mutex
  say from "$(basename "$from")"
  restart_service || say restart "$(tail -n 3 "$dir/restart.log")"
}
guard() {
  left=$1
  while [ "$left" -gt 0 ]; do
    [ -f "$dir/pending-$token" ] || exit 0
    sleep 1
    left=$((left - 1))
  done
  mv "$dir/pending-$token" "$dir/undoing-$token" 2> /dev/null || exit 0
  finish_undo "not confirmed in time"
}
finish_undo() {
  { read -r from; read -r previous; read -r to; read -r restart; read -r owner; } < "$dir/undoing-$token"
  open_mutex
  flip "$from" "$previous"
  close_mutex
  restart_service
  note "$owner $to -> $from rolled back: $1"
  decide undone
  rm "$dir/undoing-$token"
}
confirm() {
  if mv "$dir/pending-$token" "$dir/confirmed" 2> /dev/null; then
    { read -r from; read -r _; read -r to; read -r _; read -r owner; } < "$dir/confirmed"
    decide confirmed
    note "$owner $from -> $to confirmed"
  fi
  [ "$(decided)" = confirmed ] || fail undone "the host has gone back already"
}
roll_back() {
  if mv "$dir/pending-$token" "$dir/undoing-$token" 2> /dev/null; then
    finish_undo "$1"
  else
    left=300
    while [ -f "$dir/undoing-$token" ] && [ "$left" -gt 0 ]; do
      sleep 1
      left=$((left - 1))
    done
  fi
  outcome=$(decided)
  say outcome "$(if [ -n "$outcome" ]; then echo "$outcome"; else echo unchanged; fi)"
  say current "$(release_of current)"
}

# $1: the release that must run, $2: a command that tells instead of systemd, $3: yes for all questions.
health() {
  say current "$(release_of current)"
  if [ -n "$2" ]; then
    why=$(timeout 60 sh -c "$2" < /dev/null 2>&1) || { say why "$why"; return; }
    say healthy yes
    return
  fi
  state=$(systemctl is-active forager.service)
  pid=$(systemctl show -P MainPID forager.service)
  say pid "$pid"
  [ "$state" = active ] || { say why "the service is $state: $(systemctl show -P StatusText forager.service)"; return; }
  tr '\0' '\n' < "/proc/$pid/cmdline" 2> /dev/null | grep -q "/releases/$1/" ||
    { say why "process $pid runs another release"; return; }
  if [ "$3" = yes ]; then
    answer=$(timeout 60 runuser -u forager -- "$root/current/bin/forager" --config /etc/forager/forager.toml status 2>&1)
    code=$?
    case $code in
      0) ;;
      3) say attention "$answer" ;;
      *) say why "forager status ends with $code: $(printf '%s\n' "$answer" | tail -n 3)"; return ;;
    esac
  fi
  say healthy yes
}
last_lines() {
  if [ -n "$1" ]; then tail -n 10 "$dir/restart.log"; else journalctl -u forager.service -n 30 --no-pager -o cat; fi 2> /dev/null | sed 's/^/forager:line=/'
}

# Keeps the current release, the one before it, and the newest other one. As the installer does.
prune() {
  require_lock "$1"
  rm -rf "$root"/releases/*.part "$root"/releases/*.part-*
  current=$(release_of current)
  previous=$(release_of previous)
  others=0
  for folder in $(ls -1t "$root/releases" || true); do
    case $folder in "$current" | "$previous") continue ;; esac
    others=$((others + 1))
    [ "$others" -le 1 ] || { rm -rf "$root/releases/$folder"; say removed "$folder"; }
  done
}

main() {
  action=$1 root=$2 token=$3
  dir=$root/deploy
  shift 3
  case $action in
    preflight | take_lock | release_lock | require_lock | manifest | stage | accept | switch_to | guard | confirm | roll_back | health | last_lines | prune) "$action" "$@" ;;
    *) fail action "unknown action $action" ;;
  esac
}
main "$@"
`;
