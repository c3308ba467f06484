#!/usr/bin/env bash
# timeline_test.sh PROGRAM SOURCE_DIR: the timeline of a run, in which each rank's ranges nest and fit
# into the time of the run. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
pictures=no
source "$(dirname "$0")/../support.sh"

# timed FILE RANKS NAME...: runs on this number of ranks with the arguments in "${run[@]}", and
# expects a timeline with ranges of these names on each rank, and no others
timed() {
  local begin_s=$EPOCHREALTIME
  expect 0 "$2" run "${run[@]}" --timeline "$1"
  python3 - "$device" "$begin_s" "$EPOCHREALTIME" "$@" <<'END_OF_CHECK' || fail "the timeline is wrong: $(head -c 2000 "$1")"
import collections, json, sys
device, begin_s, end_s, file, ranks, *names = sys.argv[1:]
available = (float(end_s) - float(begin_s)) * 1e6
trace = json.load(open(file))
assert trace["otherData"] == {"ranks": int(ranks), "omitted": 0}, trace["otherData"]
lines, threads, found = collections.defaultdict(list), {}, collections.defaultdict(set)
for event in trace["traceEvents"]:
    line = event["pid"], event["tid"]
    if event["ph"] == "M":
        threads[line] = event["args"]["name"]
    else:
        lines[line].append(event)
        found[event["pid"]].add(event["name"])
for rank in range(int(ranks)):
    assert found[rank] == set(names), (rank, found[rank])
    if names:
        assert (rank, 1) in lines and (device == "cpu") == ((rank, 1001) not in lines), lines.keys()
assert len(found) == int(ranks)
for line, events in lines.items():
    assert line in threads
    # Times are rounded to a nanosecond, and those of a device to half a microsecond.
    slack = 0.01 if threads[line].startswith("host") else 1.5
    outermost, latest, stack = 0.0, 0.0, []
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        begin, end = event["ts"], event["ts"] + event["dur"]
        assert begin >= 0 and end >= begin, event
        while stack and begin >= stack[-1] - slack:
            stack.pop()
        assert not stack or end <= stack[-1] + slack, (line, event, stack)
        outermost += 0 if stack else event["dur"]
        latest = max(latest, end)
        stack.append(end)
    assert outermost <= latest + slack and latest <= available, (outermost, latest, available)
END_OF_CHECK
}

# Each method has ranges of its own.
laplace_case 'iterations = 12' 'check_every = 5' >case.toml
run=(case.toml --output jacobi --set output.snapshot_every=6)
timed jacobi.json 3 pass halo check output
said '^timeline  *jacobi.json$'
run=(case.toml --output cycles --set method.name=multigrid --set method.check_every=1 --set method.iterations=2)
timed cycles.json 2 residual halo 'level 0' 'level 1' check output
run=(case.toml --output direct --set method.name=direct --set method.check_every=1 --set method.iterations=2
     --set 'grid.points=[40,33,30]')
timed direct.json 2 residual transpose direct halo check output
run=(case.toml --output alone --set method.name=direct --set method.check_every=1 --set method.iterations=2)
timed alone.json 1 residual direct check output

# A resumed run replaces the timeline. If nothing is left to do, it has no ranges.
cp jacobi.json before.json
run=(case.toml --output jacobi --resume --set method.iterations=18)
timed jacobi.json 2 pass halo check output
! cmp -s before.json jacobi.json || fail "the timeline was not replaced"
timed jacobi.json 2
said 'already finished'

# The timeline changes no result.
expect 0 1 run case.toml --output plain --quiet
expect 0 1 run case.toml --output quiet --quiet --timeline quiet.json
[[ ! -s $work/out && ! -s $work/err ]] || fail "--quiet is not quiet"
same_field plain/u_000012.vtkhdf quiet/u_000012.vtkhdf

# More ranges than a rank records: 50,000 passes at most.
laplace_case 'iterations = 60000' 'check_every = 60000' | sed 's/^points = .*/points = [4, 4, 4]/' >long.toml
expect 0 1 run long.toml --output long --timeline long.json --set 'run.plan="plain"'
complained '^isotherm: warning: the last [0-9]* ranges are missing in long.json (a rank has at most 50000; '
holds long.json '"omitted":1[0-9]\{4\}}'

# What cannot be written is refused before the run begins.
refused() { expect 2 2 run case.toml --output refused "${@:2}"; complained "$1"; [[ ! -e refused ]] || fail "a refused run left files"; }
refused '^isotherm: --timeline: there is no directory .*/nowhere$' --timeline nowhere/timeline.json
refused '^isotherm: --timeline: . is a directory' --timeline .
refused '^isotherm: --timeline: case.toml exists and is not a timeline' --timeline case.toml
refused '^isotherm: --timeline excludes --dry-run' --timeline timeline.json --dry-run
mkdir locked && chmod 555 locked
[[ -w locked ]] || refused '^isotherm: --timeline: cannot write to .*/locked: Permission denied' --timeline locked/timeline.json
# What fails at the end is an error, and leaves the earlier file. The results are complete.
cp jacobi.json before.json
code=0
LD_PRELOAD=$FAILING_CALLS ISOTHERM_FAILING_CALL="fsync ENOSPC 0 0 jacobi.json.tmp" \
  "$program" run case.toml --output full --timeline jacobi.json >"$work/out" 2>"$work/err" || code=$?
((code == 1)) || fail "exit code $code instead of 1 without a timeline"
complained '^isotherm: the run has ended, but its timeline could not be written: .*No space left on device'
cmp before.json jacobi.json && [[ ! -e jacobi.json.tmp ]] || fail "the earlier timeline is damaged"
same_field plain/u_000012.vtkhdf full/u_000012.vtkhdf
echo "timelines: all as they should be"
