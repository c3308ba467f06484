#!/usr/bin/env bash
# pictures_test.sh PROGRAM SOURCE_DIR: pictures and films of stored fields, from the command line to their files. C++ tests
# check their pixels.
in_memory=yes
source "$(dirname "$0")/../support.sh"

cat >case.toml <<'END'
title = "warming"
[grid]
points = [33, 17]
upper  = [2.0, 1.0]
[equation]
type         = "diffusion"
conductivity = 1.0
[[material]]
conductivity = 5.0
box          = { lower = [0.5, 0.25], upper = [1.0, 0.75] }
[[insulated]]
box = { lower = [1.5, 0.0], upper = [1.75, 0.5] }
[boundary]
all     = { type = "neumann", value = 0.0 }
x_lower = { type = "dirichlet", value = 1.0 }
[method]
name      = "backward_euler"
time_step = 0.01
steps     = 8
[run]
device = "cpu"
[output]
film           = true
label          = "Temperature, °C"
contours       = true
arrows         = true
snapshot_every = 4
END

# is_png, is_gif FILE
is_png() { [[ $(head -c 4 "$1" | tail -c 3) == PNG ]] || fail "$1 is no PNG file"; }
is_gif() { [[ $(head -c 6 "$1") == GIF89a ]] || fail "$1 is no GIF file"; }
# frames_are NUMBER FILE: the animated PNG has this number of frames
frames_are() {
  local found
  found=$(grep -ao fcTL "$2" | wc -l)
  ((found == $1)) || fail "$2 has $found frames instead of $1"
}

# A run joins its pictures, on any number of ranks, and after it was resumed.
expect 0 2 run case.toml --output run
said '^film  *run/film.gif$'
is_gif run/film.gif
for step in 0 1 8; do grep -q isTm "run/u_00000$step.png" || fail "picture $step does not hold its samples"; done
expect 0 1 run case.toml --output other --quiet --set 'method.steps=4' --set 'output.film="png"'
expect 0 1 run case.toml --output other --quiet --set 'output.film="png"' --resume
frames_are 9 other/film.png
expect 0 1 film run -o film.png
said '^wrote film.png: 9 frames of [0-9]* x [0-9]* pixels from pictures, 20 a second$'
cmp film.png other/film.png || fail "the film depends on ranks or on resuming"
expect 0 1 run case.toml --output plain --quiet --set output.film=false
[[ ! -e plain/film.gif && ! -e plain/u_000001.png ]] || fail "a run without film has one"
expect 0 1 run case.toml --output single --quiet --set output.snapshot_every=0
expect 2 1 film single -o none.png --zoom 0,1,0,1
complained 'a film of another slice, box or expression needs at least two .*snapshot_every or snapshot_interval'

# Films with another look, from pictures; and from snapshots.
expect 0 1 film run -o grey.png --colour-map gray --range 0,0.5 --fps 5
frames_are 9 grey.png
! cmp -s grey.png film.png || fail "the look did not change"
expect 0 1 film run -o zoom.png --zoom 0,1,0,1
said 'frames of .* from snapshots'
frames_are 3 zoom.png
expect 0 2 film run -o zoomed.png --zoom 0,1,0,1
cmp zoom.png zoomed.png || fail "the film depends on ranks"

# ffmpeg gets all frames and the options that browsers need.
mkdir bin
cat >bin/ffmpeg <<'END'
#!/usr/bin/env bash
echo "$*" >arguments
for last; do :; done
[[ ! -e refuse ]] || { echo 'Unknown encoder' >&2; exit 8; }
cat >"${last#file:}"
END
chmod +x bin/ffmpeg
PATH=$PWD/bin:$PATH expect 0 1 film run -o film.mp4 --fps 10
found=$(grep -ao IHDR film.mp4 | wc -l)
((found == 9 + 9)) || fail "ffmpeg got $found frames instead of 9 and a last second"
holds arguments '-framerate 10 .*-c:v libx264 .*-pix_fmt yuv420p -f mp4 file:film.mp4.tmp$'
touch refuse
PATH=$PWD/bin:$PATH expect 1 1 film run -o film.webm
complained 'ffmpeg could not write film.webm: Unknown encoder'
[[ ! -e film.webm && ! -e film.webm.tmp ]] || fail "a failed film left something behind"

# Pictures: the newest field looks as the run drew it; changes; two fields; a series.
expect 0 1 picture run
said '^wrote run.png$'
expect 0 1 run case.toml --output alone --quiet --set output.film=false
cmp run.png alone/u.png || fail "the picture of a stored field differs from that of the run"
expect 0 3 picture run/u_000008.vtkhdf --output three.png
cmp run.png three.png || fail "the picture depends on ranks"
expect 0 1 picture run/u_000004.vtkhdf --zoom 0,1,0,1 --of '100 * u' --width 800 --contour-lines 5 --output zoom.svg
grep -q '<title>warming, t = 0.04</title>' zoom.svg || fail "the picture has another title"
expect 0 1 picture run/u_000004.vtkhdf run --output both.png --colour-map viridis
is_png both.png
expect 0 1 picture run/u_000004.vtkhdf run --difference --output difference.pdf
[[ $(head -c 4 difference.pdf) == %PDF ]] || fail "difference.pdf is no PDF file"

# The colour bar of a difference is symmetric only if its values have both signs.
# ramp NAME EXPRESSION: a run of no steps whose field is the expression
ramp() {
  expect 0 1 run case.toml --output "$1" --quiet --set output.film=false --set method.steps=0 \
    --set 'boundary.x_lower={ type = "neumann", value = 0.0 }' --set "initial.value=\"$2\""
}
# colours_of FILE.svg: its image of the field. A given range changes the colour bar, which has triangles then.
colours_of() { grep -o 'base64,[^"]*' "$1" | head -1; }
# difference_has FIRST SECOND RANGE COLOURS
difference_has() {
  expect 0 1 picture "$1" "$2" --difference --output "$1-$2.svg"
  expect 0 1 picture "$1" "$2" --difference --range="$3" --colour-map "$4" --output "$1-$2-given.svg"
  [[ -n $(colours_of "$1-$2.svg") && $(colours_of "$1-$2.svg") == "$(colours_of "$1-$2-given.svg")" ]] ||
    fail "$2 minus $1 is not drawn from $3 in $4"
}
ramp zero 0
ramp rising x
ramp mixed "x - 0.5"
ramp rounded "x - 1e-12"
difference_has zero rising 0,2 isotherm
difference_has rising zero -2,0 isotherm
difference_has zero mixed -1.5,1.5 coolwarm
difference_has zero rounded 0,2 isotherm
expect 0 1 picture run --series --output step.png
is_png step_000000.png && is_png step_000004.png && is_png step_000008.png

# Pictures that hold no samples are joined as they are.
expect 0 1 run case.toml --output plain2 --quiet --set output.film=false --set output.picture_every=4
expect 0 1 film plain2 -o joined.png
frames_are 3 joined.png

# Axes with a unit: as the case or an option asks.
expect 0 1 run case.toml --output unit --quiet --set output.film=false --set output.length_unit=mm
expect 0 1 picture run --length-unit mm --output millimetres.png
cmp unit/u.png millimetres.png || fail "the unit of the case and that of the option differ"
! cmp -s run.png millimetres.png || fail "the unit is not drawn"
expect 0 1 picture unit --length-unit mm --length-scale 1 --output scaled.png
! cmp -s scaled.png millimetres.png || fail "the scale does not matter"
expect 0 1 film run -o unit.png --length-unit mm
frames_are 9 unit.png

# Units of the arrows and of time.
expect 0 1 picture run --arrows --output arrows.svg
expect 0 1 picture run --arrows --flux-unit W/m² --output watts.svg
! cmp -s arrows.svg watts.svg || fail "the unit of the flux is not drawn"
expect 0 1 run case.toml --output timed --quiet --set output.film=false --set output.time_unit=s --set output.flux_unit=W/m² \
  --set output.picture=svg --set output.arrows=true
grep -q '<title>warming, t = 0.08 s</title>' timed/u.svg || fail "the unit of time is missing"
expect 0 1 picture timed --output timed.svg
cmp timed/u.svg timed.svg || fail "the units of the case are lost"

laplace_case 'iterations = 3' >cube.toml
expect 0 1 run cube.toml --output cube --quiet
expect 0 1 picture cube --slice z=0.5 --slice x=0.25 --output slices.png
# A field on another grid is drawn in the planes of its case.
expect 0 1 run cube.toml --output low --quiet --set 'output.picture_slice={ z = 0.1 }'
expect 0 1 resample low --output other.vtkhdf --points 9x11x14
expect 0 1 picture other.vtkhdf --output own.svg
expect 0 1 picture other.vtkhdf --slice z=0.1 --output asked.svg
cmp own.svg asked.svg || fail "another plane than that of the case"
# A field that was projected along x is a plane: nothing is drawn across it.
expect 0 1 project low --axis x --output flat.vtkhdf
expect 0 1 picture flat.vtkhdf --output flat.svg
expect 0 1 picture flat.vtkhdf --slice x=0 --output plane.svg
cmp flat.svg plane.svg || fail "there are other slices than the plane of the projection"

# The log reports if no plane of a picture contains the maximum, and names one that does.
cat >spot.toml <<'END'
[grid]
points = [9, 9, 9]
[equation]
type = "poisson"
source = "100*(z > 0.7)*(x > 0.7)*(y > 0.2)*(y < 0.4)"
[boundary]
all = { type = "dirichlet", value = 0.0 }
END
expect 0 2 run spot.toml --output spot
said 'the maximum lies in none of its planes; \[output\] picture_slice = { z = 0.75 } shows it$'
expect 0 1 run spot.toml --output spot --overwrite --set 'output.picture_slice={ z = 0.75 }'
! grep -q 'none of its planes' "$work/out" || fail "the plane contains the maximum"

refused 'run.png already exists: --overwrite replaces it' picture run
refused 'must end in .png, .svg or .pdf' picture run --output new.jpg
refused 'there is no directory nowhere' picture run --output nowhere/new.png
refused 'there is another plane across this axis' picture cube --slice z=0.5 --slice z=0.2 --output new.png
refused 'the field is 2D' picture run --slice z=0.5 --output new.png
refused '--slice z=9: it is outside' picture cube --slice z=9 --output new.png
refused '--slice w=1: give an axis' picture cube --slice w=1 --output new.png
refused '--range 5,1: give two numbers in ascending order' picture run --range 5,1 --output new.png
refused '--range 0,x: "x" is not a number' picture run --range 0,x --output new.png
refused '--zoom: the field is 2D (needs 4 numbers' picture run --zoom 0,1 --output new.png
refused 'there is no point of the field between 5 and 6 on the x axis' picture run --zoom 5,6,0,1 --output new.png
refused '--length-unit furlong: known are km, m, cm, mm, ' picture run --length-unit furlong --output new.png
refused 'nan is not a number' film run --fps nan --output new.gif
refused 'nan is not a number' picture run --length-unit mm --length-scale nan --output new.png
refused '--length-scale requires --length-unit' picture run --length-scale 2 --output new.png
for nan in nan -NaN; do
  refused "--length-scale: $nan is not a number" picture run --length-unit mm --length-scale=$nan --output new.png
  refused "--fps: $nan is not a number" film run --fps=$nan --output new.gif
done
refused 'absent: no such directory (needs the output directory of a run)' film absent
refused 'cube.toml:[0-9]*: \[output\] film needs a problem in time\|--set output.film=true: \[output\] film needs a problem' \
  run cube.toml --output new --set output.film=true
refused '--colour-map jet: known are isotherm, viridis' picture run --colour-map jet --output new.png
refused '--difference: give two fields' picture run --difference --output new.png
refused 'the grids of .* differ (isotherm resample' picture run cube --difference --output new.png
refused '"v" is not known' picture run --of v --output new.png
command -v ffmpeg >/dev/null || refused 'new.mp4 needs the program ffmpeg' film run -o new.mp4
refused 'new.avi: the name of a film must end in' film run -o new.avi
refused 'cube has one snapshot and no numbered pictures' film cube -o new.png
refused 'not all of them contain their samples' film plain2 -o new.png --range 0,1
