#!/usr/bin/env bash
# rkl2_test.sh PROGRAM SOURCE_DIR: runs with steps of rkl2 have the same bits on any number of ranks,
# resumed, and with output times between the steps. ISOTHERM_TEST_BACKEND: see support.sh.
in_memory=yes
source "$(dirname "$0")/../support.sh"

diffusion_case 'time_step = 0.01' 'steps = 11' 'check_every = 1' |
  cat - <(printf '[output]\npicture = false\nreport = false\nsnapshot_times = [0.033]\n') |
  sed -e '/"stable"/d; s/"ftcs"/"rkl2"/' \
      -e 's/^diffusivity = .*/&\nsource = "sin(2*pi*x)*cos(t)"/' \
      -e 's/^all = .*/x = { type = "periodic" }\ny = { type = "dirichlet", value = "x + sin(t)" }/' >super.toml
expect 0 1 run super.toml --dry-run
said 'method  *rkl2, 11 steps'
expect 0 1 run super.toml --output whole
said 'done  *11 steps, t = 0.103'
for ranks in 2 3; do
  expect 0 $ranks run super.toml --output ranks-$ranks --quiet
  same_field whole/u_000011.vtkhdf ranks-$ranks/u_000011.vtkhdf
done
for at in 4 5 9; do
  expect 0 1 run super.toml --output cut-$at --quiet --set method.steps=$at
  expect 0 1 run super.toml --output cut-$at --resume
  same_field whole/u_000011.vtkhdf cut-$at/u_000011.vtkhdf
  same_table whole cut-$at
done

# A run that ends at its tolerance is checked by stages of the same method, in float64.
diffusion_case 'time_step = 0.02' 'steps = 400' 'check_every = 1' 'tolerance = 1e-4' |
  sed -e '/"stable"/d; s/"ftcs"/"rkl2"/' >steady.toml
for precision in float32 float64; do
  expect 0 2 run steady.toml --output steady-$precision --set grid.precision='"'$precision'"'
  said 'tolerance is reached'
done

refused 'longest step of rkl2 is .*, 2048 stable steps' run super.toml --output whole --overwrite --set method.time_step=1e3
sed 's/^time_step = .*/stages = 4/' super.toml >stages.toml
refused 'stages is 4 (needs an odd number from 3 to 89)' run stages.toml --output whole --overwrite
expect 0 1 run stages.toml --dry-run --set method.stages=7
refused 'stages conflicts with time_step' run super.toml --output whole --overwrite --set method.stages=5
refused 'stable_fraction belongs to "ftcs"' run super.toml --output whole --overwrite --set method.stable_fraction=0.5
[[ -f whole/u_000011.vtkhdf ]] || fail "a refused run removed a file"
echo "rkl2: all as it should be"
