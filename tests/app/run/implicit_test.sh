#!/usr/bin/env bash
# implicit_test.sh PROGRAM SOURCE_DIR: runs with implicit time steps, and resumed ones, which end
# with the same bits. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# Steps 200 times as long as the stable one, with time-dependent values; checkpoints within the
# start-up, after it, and later.
for method in backward_euler crank_nicolson; do
  diffusion_case 'steps = 9' 'norm = "max"' |
    cat - <(printf '[output]\npicture = false\n') |
    sed -e "s/\"ftcs\"/\"$method\"/; s/\"stable\"/0.05/" \
        -e 's/^diffusivity = .*/&\nsource = "sin(2*pi*x)*cos(t)"/' \
        -e 's/^all = .*/x = { type = "periodic" }\ny = { type = "dirichlet", value = "x + sin(t)" }/' >$method.toml
  expect 0 1 run $method.toml --dry-run
  said "method  *$method, 9 steps of 0.05"
  said "approximately .* for 9 steps"
  expect 0 1 run $method.toml --output $method-whole --set checkpoint.every=1 --set checkpoint.keep=9
  said "done  *9 steps, t = 0.45"
  holds $method-whole/summary.json "\"method\": \"$method\""
  for at in 1 2 5; do
    expect 0 1 run $method.toml --output $method-$at --set method.steps=$at --quiet
    expect 0 1 run $method.toml --output $method-$at --resume
    said "resumed .*iteration $at"
    same_field $method-whole/u_000009.vtkhdf $method-$at/u_000009.vtkhdf
    same_table $method-whole $method-$at
  done
  expect 0 1 run $method.toml --output from-checkpoint-$method --resume $method-whole/u_000003.vtkhdf --quiet
  same_field $method-whole/u_000009.vtkhdf from-checkpoint-$method/u_000009.vtkhdf

  # On more ranks the field agrees within the tolerance.
  expect 0 3 run $method.toml --output $method-ranks --quiet
  expect 0 1 compare $method-whole/u_000009.vtkhdf $method-ranks/u_000009.vtkhdf --tolerance 1e-5
done

# A run of another method, or with another step, is another problem.
cp -r crank_nicolson-5 other
rm -f other/u_000009.vtkhdf
expect 2 1 run backward_euler.toml --output other --resume
complained '\[method\] name is "backward_euler", but the file has "crank_nicolson"'

# A tolerance ends a run at the steady state, and a resumed one at the same step.
sed -e '/^source/d; s/x + sin(t)/x/; s/steps = 9/steps = 500/' \
    -e 's/^norm.*/&\ntolerance = 1e-6/' backward_euler.toml >rest.toml
expect 0 1 run rest.toml --output rest
said "the tolerance is reached"
last=$(iteration_of rest)
((last > 10 && last < 500)) || fail "the run to rest took $last steps"
expect 3 1 run rest.toml --output rest-cut --set method.steps=7
said "continue with --resume and more steps"
expect 0 1 run rest.toml --output rest-cut --resume --quiet
same_field "rest/u_$(printf %06d "$last").vtkhdf" "rest-cut/u_$(printf %06d "$last").vtkhdf"
expect 0 1 run rest.toml --output rest --resume
said "already finished"
# In float32 as well; at the rounding floor the run reports what it has reached.
for method in backward_euler crank_nicolson; do
  expect 0 1 run rest.toml --output rest32-$method --set method.name=$method --set grid.precision=float32 --set method.tolerance=1e-4
  said "the tolerance is reached"
  expect 3 1 run rest.toml --output floor-$method --set method.name=$method --set grid.precision=float32 \
    --set method.tolerance=1e-7 --set boundary.y.value='300 + x'
  said "float32 cannot reach it here: the rounding floor corresponds to an error of"
  (($(iteration_of floor-$method) < 400)) || fail "the end of the precision was not seen"
done

# If a grid is too large to be timed as a whole, a part of it is timed, including by methods that
# choose their plans themselves.
for method in backward_euler multigrid; do
  keys=$([[ $method == multigrid ]] || printf 'time_step = 0.1\nsteps = 2')
  printf '%s\n' 'title = "large"' '[grid]' 'points = [4097, 2051]' '[equation]' \
    "type = \"$([[ $method == multigrid ]] && echo laplace || echo diffusion)\"" \
    '[boundary]' 'all = { type = "dirichlet", value = 1.0 }' '[method]' "name = \"$method\"" "$keys" \
    '[run]' 'device = "cpu"' >large.toml
  expect 0 1 run large.toml --dry-run
  said "a part of it"
done

# Settings that do not apply to implicit steps.
refused 'time_step is -1' run backward_euler.toml --set method.time_step=-1.0
refused 'chooses the plans of its levels itself' run backward_euler.toml --set 'run.plan="plain"'
[[ ! -e plane ]] || fail "a refused run left something behind"

# A value that becomes NaN at a later time ends the run on all ranks, with one line.
sed 's/x + sin(t)/sqrt(0.2 - t)/' crank_nicolson.toml >late.toml
for ranks in 1 2; do
  expect 1 $ranks run late.toml --output late-$ranks --quiet
  complained 'the value of the face y_.* is not a finite number'
done

echo "implicit steps: all as it should be"
