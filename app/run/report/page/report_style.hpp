#pragma once

#include <string_view>

namespace isotherm::app {

/// The stylesheet of reports: light and dark by the reader's preference, and black on white in
/// print. It is valid inside XML: it contains neither '<' nor '&'.
inline constexpr std::string_view report_style = R"(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1d1f27; --soft: #585d6b;
  --line: #d9dce4; --tint: #f3f4f8; --good: #14693a; --bad: #a8201a; --warn: #7a4f00;
  --c0: #1f6fb4; --c1: #c7650a; --c2: #6a6f7b; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #16181d; --ink: #e6e8ee; --soft: #a4a9b8; --line: #363a45; --tint: #20232b;
    --good: #6fd39b; --bad: #ff9088; --warn: #e5b860; --c0: #6db3f2; --c1: #f0a35a; --c2: #9aa0ae; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 62rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, "DejaVu Sans", sans-serif; }
h1 { margin: 0 0 0.25rem; font-size: 1.7rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 0.5rem; padding-bottom: 0.2rem; border-bottom: 1px solid var(--line);
  font-size: 1.15rem; }
p { margin: 0.4rem 0; overflow-wrap: anywhere; }
a { color: var(--c0); }
.soft { color: var(--soft); }
.status { padding: 0.5rem 0.75rem; border-left: 4px solid currentColor; background: var(--tint); }
.done { color: var(--good); }
.failed { color: var(--bad); }
.unfinished { color: var(--warn); }
.status span { color: var(--ink); }
.wide { margin: 0 0 1rem; overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.2rem 1.2rem 0.2rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 0.75rem 0; }
figure img { max-width: 100%; height: auto; background: #ffffff; }
figcaption { color: var(--soft); font-size: 0.9rem; }
.plot { width: 100%; height: auto; font: 13px system-ui, "DejaVu Sans", sans-serif; }
.plot polyline { fill: none; stroke-linejoin: round; }
.plot .ink { stroke: var(--ink); }
.plot .grid { stroke: var(--line); }
.plot text.ink { stroke: none; fill: var(--ink); }
.plot .c0 { stroke: var(--c0); }
.plot .c1 { stroke: var(--c1); }
.plot .c2 { stroke: var(--c2); stroke-dasharray: 6 4; }
.plot circle.c0 { fill: var(--c0); }
.plot circle.c1 { fill: var(--c1); }
.plot circle.c2 { display: none; }
pre { padding: 0.75rem; background: var(--tint); white-space: pre-wrap; overflow-wrap: anywhere;
  font: 0.85rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
ul { margin: 0.4rem 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
@media print {
  @page { margin: 15mm; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; }
  pre { border: 1px solid var(--line); background: none; }
}
)";

}  // namespace isotherm::app
