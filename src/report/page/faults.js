// Samples that failed.
function faultsSection() {
  const found = runs.flatMap((run, index) =>
    (run.faults ?? []).map((_, i) => pathOf(index, `faults.${i}`)));
  const counts = runs.map((run) => run.fault_count ?? 0);
  if (!counts.some((count) => count > 0)) return undefined;
  const shown = found.slice(0, 20);
  const cell = (path, key) => (known(at(`${path}.${key}`)) ? String(at(`${path}.${key}`)) : missing);
  return h("section", {}, h("h2", {}, "Bad samples"),
    h("p", {}, `${plural(counts.reduce((sum, one) => sum + one, 0), "fault")} in ${plural(runs.length, "run")}`,
      shown.length < counts.reduce((sum, one) => sum + one, 0) ? `; the first ${shown.length} of them:` : "."),
    shown.length ? table("Faults", ["file", "stage", "kind", "reason"],
      shown.map((path) => ["path", "stage", "kind", "reason"].map((key) => cell(path, key))), { texts: [1, 2, 3] }) : "");
}
