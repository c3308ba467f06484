#!/usr/bin/env bash
# stop_criterion_test.sh PROGRAM SOURCE_DIR: [method] stop ends a run in the first step that meets the
# criterion, at an interpolated time, whatever check_every, the ranks and interruptions are.
# ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# The slowest mode of a square decays like exp(−2 π² D t), so its half-life is known.
cat >decay.toml <<END
[grid]
points = [33, 33]
[equation]
type = "diffusion"
diffusivity = 0.1
[boundary]
all = { type = "dirichlet", value = 0.0 }
[constants]
half = 0.5
[initial]
value = "sin(pi*x)*sin(pi*y)"
[method]
name = "ftcs"
end_time = 2.0
check_every = 1
stop = "probe centre < half"
[output]
picture = false
report = false
[[probe]]
name = "centre"
at = [0.5, 0.5]
[run]
device = "$device"
END
# stop DIRECTORY: prints iteration, time and value of the stop; last DIRECTORY: the final file
stop() { grep -A5 '"stop": {' "$1/summary.json" | grep -o '"\(iteration\|time_s\|value\)": [^,]*' | tr '\n' ' '; }
last() { grep -o '"final_file": "[^"]*' "$1/summary.json" | cut -d'"' -f4; }
# ends_at DIRECTORY TIME TOLERANCE: the time of the stop, and that of the field, which is not before
ends_at() {
  awk -v at="$2" -v tolerance="$3" '
    /"stop": \{/ { inside = 1 }
    inside && /"time_s"/ { gsub(/[",]/, ""); found = $2; inside = 0 }
    /^    "time_s"/ { gsub(/[",]/, ""); field = $2 }
    END { exit !(found > at - tolerance && found < at + tolerance && field >= found) }' "$1/summary.json" ||
    fail "$1 stops at $(stop "$1") instead of t = $2"
}

# A criterion that is never satisfied is mentioned, and the run ends as without it.
expect 0 1 run decay.toml --output unmet --set method.end_time=0.1
complained 'the stopping criterion "probe centre < half" was not satisfied until t = 0.1'

half_life=0.351129  # ln 2 / (2 π² D)
expect 0 1 run decay.toml --output one
said '^done .*; probe centre < half is met at t = 0.35'
ends_at one $half_life 2e-3
for every in 7 100 5000; do
  expect 0 1 run decay.toml --output every-$every --quiet --set method.check_every=$every
  [[ $(stop every-$every) == "$(stop one)" ]] || fail "check_every = $every stops at $(stop every-$every), not $(stop one)"
  same_field "one/$(last one)" "every-$every/$(last one)"
done
expect 0 3 run decay.toml --output three --quiet --set method.check_every=100
[[ $(stop three) == "$(stop one)" ]] || fail "three ranks stop at $(stop three), not $(stop one)"
same_field "one/$(last one)" "three/$(last one)"
"$program" info "one/$(last one)" --json | grep -q '"criterion": "probe centre < half"' || fail "the file has no criterion"
expect 0 1 table one --columns stop_time
said '0\.35'

# Implicit steps; integral quantities.
for method in backward_euler crank_nicolson; do
  expect 0 1 run decay.toml --output $method --quiet --set method.name=$method --set method.time_step=0.002
  ends_at $method $half_life 2e-3
done
expect 0 1 run decay.toml --output max --quiet --set 'method.stop=max < 0.5'
[[ $(stop max) == "$(stop one)" ]] || fail "the maximum is not that of the centre"
expect 0 2 run decay.toml --output mean --quiet --set 'method.stop=mean < 0.2024' --set method.check_every=50
ends_at mean 0.3511 1e-2
expect 0 1 run decay.toml --output never --quiet --set 'method.stop=min > 3' --set method.end_time=0.1
holds never/summary.json '"stop": null'
expect 0 1 run decay.toml --output at-once --set 'method.stop=max < 2'
said '^done .*0 steps.*; max < 2 is met at t = 0$'
complained 'the initial field satisfies the stopping criterion'

# A run that is interrupted stops at the same step with the same bits; one that has stopped is over.
expect 0 1 run decay.toml --output parts --quiet --set method.check_every=100 --set checkpoint.every=90 \
  --set checkpoint.keep=100
newest=$(last parts)
rm "parts/$newest" parts/summary.json
expect 0 3 run decay.toml --output parts --resume --quiet --set method.check_every=100
[[ $(stop parts) == "$(stop one)" ]] || fail "the resumed run stops at $(stop parts), not $(stop one)"
same_field "one/$(last one)" "parts/$(last one)"
expect 0 1 run decay.toml --output one --resume
said "already finished"
expect 0 1 run decay.toml --output one --resume --set 'method.stop=probe centre < 0.25'
ends_at one "$(awk "BEGIN { print 2 * $half_life }")" 4e-3

refuses() { refused_run "$1" decay.toml --set "method.stop=$2" "${@:3}"; }
refuses 'stop is "max", which compares nothing (needs a quantity' 'max'
refuses 'stop has no number (needs' 'max <'
refuses 'stop measures "middle" (needs one of probe NAME, max,' 'middle < 1'
refuses 'stop names the probe "edge", which the case does not have' 'probe edge < 1'
refuses 'stop compares with "1 +"' 'max < 1 +'
refuses 'stop compares with "x"' 'max < x'
refuses 'check_every is 0, but stop is judged at checks' 'max < 1' --set method.check_every=0
refuses 'stop names the probe "centre", which measures several values' 'probe centre < 1' \
  --set 'probe=[{ name = "centre", plane = { x = 0.5 } }]'
refuses 'stop belongs to "ftcs" (for "jacobi" write iterations)' 'max < 1' --set equation.type=laplace \
  --set '!equation.diffusivity' --set method.name=jacobi --set '!method.end_time' --set method.iterations=9

# The film of a run that a criterion ends early has a frame for each step of a short run, and 50 to 100 of a longer one.
# The discrete mode loses 3.9455e-4 of ln u per step of 2e-4, so it falls below 0.975 at step 65, below 0.9502 at 130.
film=(--quiet --set method.time_step=2e-4 --set output.picture=true --set output.film=true)
frames() { (cd "$1" && ls u_0*.png); }
expect 0 1 run decay.toml --output film "${film[@]}" --set "method.stop=probe centre < 0.9502"
[[ $(frames film | wc -l) == 66 && $(frames film | sed -n 2p) == u_000002.png ]] ||
  fail "the film has the frames $(frames film)"
expect 0 1 run decay.toml --output short "${film[@]}" --set "method.stop=probe centre < 0.975"
[[ $(frames short | wc -l) == 66 && $(frames short | sed -n 2p) == u_000001.png ]] ||
  fail "the short film has the frames $(frames short)"
expect 0 3 run decay.toml --output short --resume "${film[@]}" --set "method.stop=probe centre < 0.9502"
[[ $(frames short) == "$(frames film)" ]] || fail "the resumed film has the frames $(frames short)"
echo "stop: all as it should be"
