#!/usr/bin/env bash
# report_test.sh PROGRAM SOURCE_DIR: the report of a run, whatever its end, from hostile files, and
# next to pages of somebody else.
in_memory=yes
source "$(dirname "$0")/../support.sh"

# sound PAGE [TITLE [--browser]]: the page is strict and harmless
sound() { python3 "$source_dir/tests/app/post/check_page.py" "$@" >"$work/out" 2>&1 || fail "$1 is not sound"; }
# unchanged FILE...: as at the last call of remember
remember() { sha256sum "$@" >"$work/sums"; }
unchanged() { sha256sum --check --quiet "$work/sums" >"$work/out" 2>&1 || fail "a file has changed"; }

# --- A run ends with its report, which is one of its files.
title='</title><script>alert(1)</script> & "quotes"'
laplace_case 'tolerance = 1e-2' 'iterations = 2000' | sed "s|^title = .*|title = '${title/&/\\&}'|" >case.toml
cat >>case.toml <<'END'
[output]
quantities = ["flux"]
[[source]]
name = "heater"
box = { lower = [0.2, 0.2, 0.2], upper = [0.5, 0.5, 0.5] }
power = 1.0
END
sed -i 's/type = "laplace"/type = "poisson"/; s/name = "jacobi"/name = "multigrid"/' case.toml
expect 0 2 run case.toml --output whole
sound whole/report.html "$title"
for text in '<strong>Done</strong>' '>Regions' '<td>heater<' '>Heat<' 'flows in' 'flux into the box' \
  '>Residuals<' '<polyline class="c0"' 'data:image/png;base64,' '>Time<' 'threads per rank' 'name = &quot;multigrid&quot;' \
  'href="./u.xmf"' '1e-02\|0.01, reached'; do
  holds whole/report.html "$text"
done
! grep -q '<script\|<b>' whole/report.html || fail "a text is not escaped"
holds whole/summary.json '"report.html"'
expect 0 1 verify whole
said '^whole/report.html: sound$'
expect 0 1 info whole
said '^report  whole/report.html$'
head -c -20 whole/report.html >cut.html && cp cut.html whole/report.html
expect 2 1 verify whole
said '^whole/report.html: damaged: its end is missing$'

# The command makes the same page from the files.
expect 0 1 report whole
said '^wrote whole/report.html$'
sound whole/report.html "$title"
expect 0 1 report whole --output copy.html
cmp -s whole/report.html copy.html || fail "the pages differ"

# --- --overwrite removes it, --resume replaces it, report = false writes none.
expect 2 1 run case.toml --output whole
expect 0 1 run case.toml --output whole --overwrite --quiet --set output.report=false
[[ ! -e whole/report.html ]] || fail "the old report is still there"
! grep -q report.html whole/summary.json || fail "the summary lists a report"
mkdir only && cp copy.html only/report.html
expect 2 1 run case.toml --output only
complained 'contains the results of a run (report.html)'

# --- Runs that do not converge, fail or stop have one, too.
expect 3 1 run case.toml --output short --quiet --set method.iterations=1 --set method.tolerance=1e-9
sound short/report.html "$title"
holds short/report.html 'Not converged'
diffusion_case 'steps = 20' | sed 's/^all = .*/all = { type = "dirichlet", value = 0.0 }/' >large.toml
expect 1 1 run large.toml --output broken --quiet --set output.snapshot_every=10 --set 'output.precision="float32"' \
  --set 'boundary.y_upper={type="dirichlet",value=1e39}'
sound broken/report.html plane
holds broken/report.html '<strong>Failed</strong><br/><span>'
diffusion_case 'steps = 1000000000' >long.toml
"$program" run long.toml --output stopped --quiet >"$work/out" 2>"$work/err" &
wait_until test -e stopped/residuals.csv
kill -TERM $! && code=0 && wait $! || code=$?
((code == 75)) || fail "exit code $code of a stopped run"
sound stopped/report.html plane
holds stopped/report.html '<strong>Stopped: the run can be resumed'
expect 0 1 run long.toml --output stopped --resume --quiet --set method.steps="$(($(iteration_of stopped) + 5))"
holds stopped/report.html '<strong>Done</strong>'
holds stopped/report.html 'resumed from'

# Without summary.json, as after a kill.
rm short/summary.json
expect 0 1 report short
sound short/report.html short
holds short/report.html 'Unknown: there is no summary.json'

# --- A page of somebody else is not a result.
mkdir own && echo '<!DOCTYPE html><p>my notes' >own/report.html
remember own/report.html
expect 0 1 run case.toml --output own --quiet
expect 0 1 run case.toml --output own --quiet --overwrite
expect 0 1 run case.toml --output own --quiet --resume
expect 0 1 verify own
expect 2 1 report own
complained 'own/report.html exists and is not a report of isotherm: --overwrite replaces it'
unchanged
! grep -q report.html own/summary.json || fail "the summary lists somebody else's page"
expect 0 1 report own --overwrite
sound own/report.html "$title"
rm own/report.html && ln -s ../copy.html own/report.html
remember copy.html
expect 0 1 run case.toml --output own --quiet --overwrite
unchanged
[[ ! -L own/report.html ]] || fail "the link is still there"
expect 2 1 report case.toml
complained 'is not a directory'
mkdir nothing
expect 2 1 report nothing
complained 'nothing holds no run: there is neither summary.json nor case.toml in it'
expect 2 1 report own --output own/u.xmf
complained 'must end in .html'

# --- Hostile files.
mkdir hostile
printf 'title = "a\x1b[31m\xff\xe2\x80\xae]]>"\n# <script>\n' >hostile/case.toml
printf '<svg onload="alert(1)"><script>alert(1)</script></svg>' >hostile/u.svg
head -c 100 /dev/zero >hostile/u.png
mkfifo hostile/u_initial.png
printf "iteration,relative\n0,1\n1,x\n2,1e-3\n3,1e-4\n" >hostile/residuals.csv
expect 0 1 report hostile
sound hostile/report.html hostile --browser
holds hostile/report.html 'u.png is not a picture'
cat >hostile/summary.json <<'END'
{"status": "<done>", "message": ["<"], "warnings": ["<img src=x onerror=alert(1)>", 3, "\u0000\u202e"],
 "case": {"title": "\"><script>", "points": ["<b>", {"a": [1]}], "tolerance": "x"},
 "regions": [3, {"kind": "<i>", "name": 7, "asked": 1e308, "measure": null}],
 "result": {"iterations": -1e300, "flux": {"<u>": "x", "balance": 1}, "floating": {"<s>": 3}, "field": [],
            "files": ["javascript:alert(1)", "../../etc/passwd", "\" onclick=\"", "a b.csv"]},
 "performance": {"wall_s": -1, "solve_s": 1e300}, "execution": 3, "versions": {"mpi": "<"}}
END
expect 0 1 report hostile
sound hostile/report.html '"><script>'
for text in '{' '[]' '{"case": 3}' "$(printf '[%.0s' {1..100000})"; do
  echo "$text" >hostile/summary.json
  expect 0 1 report hostile
  sound hostile/report.html hostile
done
