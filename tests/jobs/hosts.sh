# shellcheck shell=bash
# Sourced by tests on several hosts, which are network namespaces joined by a bridge.
#
#   enter_namespaces "$@"       at the start of a test: continues in namespaces of its own, with which everything that
#                               it starts ends. Exit code 77 (skipped) if they cannot be made.
#   make_hosts COUNT [FOLDER]   makes hosts node1, node2, … with the addresses 10.77.0.1, 10.77.0.2, … They share all
#                               files except FOLDER. ${holder[N]} is a process of host N, and toN the end of its cable.
#
# `$work/agent ADDRESS COMMAND...` then runs a command on a host, as ssh would.
enter_namespaces() {
  [[ ${IN_NAMESPACES:-} != yes ]] || return 0
  unshare --net --mount --pid --fork --mount-proc true 2>/dev/null && [[ $(ip link help 2>&1) == *veth* ]] \
    || { echo "skipped: network namespaces cannot be made here"; exit 77; }
  IN_NAMESPACES=yes exec unshare --net --mount --pid --fork --kill-child --mount-proc bash "$0" "$@"
}

# shellcheck disable=SC2154  # work: the folder of the test that sources this file
make_hosts() {
  local number private=true
  cp /etc/hosts "$work/hosts"
  for number in $(seq "$1"); do echo "10.77.0.$number node$number" >>"$work/hosts"; done
  mount --bind "$work/hosts" /etc/hosts
  ip link set lo up
  ip link add bridge0 type bridge
  ip link set bridge0 up
  for number in $(seq "$1"); do
    [[ -z ${2:-} ]] || private="mkdir -p '$2' '$work/private$number' && mount --bind '$work/private$number' '$2'"
    unshare --net --uts --mount sh -c "hostname node$number; $private; touch '$work/up$number'; exec sleep 1000000" &
    holder[number]=$!
    until [[ -e $work/up$number ]]; do sleep 0.02; done
    ip link add "to$number" type veth peer name eth0 netns "${holder[number]}"
    ip link set "to$number" master bridge0 up
    nsenter -t "${holder[number]}" -n sh -c \
      "ip addr add 10.77.0.$number/24 dev eth0; ip link set eth0 up; ip link set lo up"
  done
  cat >"$work/agent" <<END
#!/bin/sh
holders='${holder[*]}'
holder=\$(echo "\$holders" | cut -d' ' -f"\${1##*.}")
shift
exec nsenter -t "\$holder" -n -u -m --wd="\$PWD" -- sh -c "\$*"
END
  chmod +x "$work/agent"
}
