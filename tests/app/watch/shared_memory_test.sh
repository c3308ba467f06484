#!/usr/bin/env bash
# shared_memory_test.sh PROGRAM SOURCE_DIR: the next run removes shared memory that killed ranks
# have left, except that of another host. Any run on this host may remove it, so no other test may
# run at the same time. Exit code 77 (skipped) if nothing may be removed.
source "$(dirname "$0")/../support.sh"

skip() { echo "skipped: $*"; exit 77; }

# Succeeds if a process of this user that may be a rank hides its memory maps.
maps_are_hidden() {
  local process owner name
  for process in /proc/[0-9]*; do
    [[ $process != /proc/1 ]] || continue
    owner=$(awk '$1 == "Uid:" { print $2 }' "$process/status" 2>/dev/null) || continue
    name=$(cat "$process/comm" 2>/dev/null) || continue
    [[ $owner == "$EUID" && ! $name =~ ^(sshd|sshd-session|ssh-agent|systemd|\(sd-pam\))$ ]] || continue
    cat "$process/maps" >/dev/null 2>&1 || [[ ! -e $process ]] || return 0
  done
  return 1
}
! maps_are_hidden || skip "a process hides what it has mapped"

segments=(/dev/shm/vader_segment."$(uname -n)".test-$$.{0,1})
other=/dev/shm/vader_segment."$(uname -n)"-not.test-$$.0
trap 'rm -rf "$work" "${segments[@]}" "$other"' EXIT
touch -d '1 hour ago' "${segments[@]}" "$other" 2>/dev/null || skip "no file can be made in /dev/shm"

diffusion_case 'steps = 1' >case.toml
expect 0 2 run case.toml --output cleared
complained "warning: removed .* in /dev/shm that killed runs had left"
[[ ! -e ${segments[0]} && ! -e ${segments[1]} && -e $other ]] || fail "the wrong files are in /dev/shm"
echo "shared memory: all as it should be"
