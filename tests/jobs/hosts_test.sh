#!/usr/bin/env bash
# hosts_test.sh PROGRAM SOURCE_DIR: runs on several hosts, which are network namespaces joined by a bridge. MPI between
# them uses TCP. Fields have the bits of one rank, checkpoints in a shared folder resume on other hosts, and a host that
# is lost ends the job with a word. Skipped (exit code 77) if namespaces cannot be made.
source "$(dirname "$0")/hosts.sh"
enter_namespaces "$@"
source "$(dirname "$0")/../app/support.sh"
make_hosts 3
# The network between the hosts delays and loses packets, if the kernel can do that.
if tc qdisc add dev to2 root netem delay 1ms loss 0.2% 2>/dev/null; then
  echo "node2: packets arrive 1 ms late, and 0.2 % of them are lost"
fi
unset OMPI_MCA_btl_vader_single_copy_mechanism
# The agent starts mpirun's daemons, in place of ssh.
network=(--mca plm_rsh_agent "$work/agent" --mca btl "tcp,vader,self" --mca btl_tcp_if_include eth0
  --mca oob_tcp_if_include eth0 --mca oob_tcp_keepalive_time 2 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 2)

# on HOSTS RANKS ARGUMENT...: runs the program on hosts such as "1:2 2:2" (two ranks on each of two), started on the
# first of them; its exit code is in $code
on() {
  local hosts=() host first=${1%%:*}
  for host in $1; do hosts+=("10.77.0.$host"); done
  code=0
  timeout 120 nsenter -t "${holder[first]}" -n -u mpirun "${network[@]}" --host "$(IFS=,; echo "${hosts[*]}")" -n "$2" \
    "$program" "${@:3}" >"$work/out" 2>"$work/err" || code=$?
}
# works HOSTS RANKS ARGUMENT...: the run ends with exit code 0
works() {
  on "$@"
  ((code == 0)) || fail "exit code $code from isotherm ${*:3} on the hosts $1"
}

# case_of METHOD LINE...
case_of() {
  cat >"$1.toml" <<END
[grid]
points = [21, 18, 26]
[equation]
type = "$([[ $1 == ftcs ]] && echo diffusion || echo poisson)"
source = "10*sin(3*x)*z"
[boundary]
all = { type = "dirichlet", value = "x + y*z" }
z = { type = "periodic" }
[method]
name = "$1"
$(printf '%s\n' "${@:2}")
[output]
picture = false
END
}
case_of jacobi 'iterations = 60' 'check_every = 20'
case_of ftcs 'steps = 60' 'time_step = "stable"'
case_of multigrid 'tolerance = 1e-10'
case_of direct 'tolerance = 1e-10'
for method in jacobi ftcs multigrid direct; do
  "$program" run $method.toml --output $method-1 --quiet
  works "1:2 2:2" 4 run $method.toml --output $method-4
  said '^devices  *4 ranks on 2 hosts, '
  accepted=$([[ $method == jacobi || $method == ftcs ]] && echo 0 || echo 1e-8)
  "$program" compare $method-1/u_*.vtkhdf $method-4/u_*.vtkhdf --tolerance "$accepted" >"$work/out" ||
    fail "$method: the fields of one host and of two differ"
  [[ $accepted != 0 ]] || said identical
done
holds jacobi-4/run.log 'halos  *peer memory, mpi (rank [0-9] and its neighbour [0-9] are on different hosts)'

# A checkpoint of three hosts is resumed on one of them, and on others.
works "1:1 2:1 3:1" 3 run jacobi.toml --output first --set method.iterations=40
works "3:1 2:2" 3 run jacobi.toml --output second --resume first/u_000040.vtkhdf
"$program" compare jacobi-1/u_000060.vtkhdf second/u_000060.vtkhdf >"$work/out" || fail "a resumed run differs"
said identical

# lost HOW COMMAND...: the command removes node2 during a run on two hosts; the job must end with a message.
lost() {
  rm -rf lost
  ("${@:2}") &
  on "1:2 2:2" 4 run jacobi.toml --output lost --set method.iterations=100000000 --set 'run.patience="00:00:03"'
  ((code != 0 && code != 124)) || fail "exit code $code where node2 is $1"
  [[ -s $work/err ]] || fail "no word where node2 is $1"
  [[ ! -e lost/u_100000000.vtkhdf ]] || fail "a result where node2 is $1"
}
run_has_begun() { until grep -q '^100,' lost/residuals.csv 2>/dev/null; do sleep 0.05; done; }
unplug() { run_has_begun && ip link set to2 down; }
kill_processes() { run_has_begun && pkill -9 --ns "${holder[2]}" --nslist net -x isotherm; }
lost killed kill_processes
lost unplugged unplug
cat "$work/err"
