// Samples that failed.
function faultsSection() {
  const found = runs.flatMap((run, index) =>
    (run.faults ?? []).map((_, i) => pathOf(index, `faults.${i}`)))
    .filter((path) => !known(at(`${path}.plane`)));
  const counts = runs.map((run) => run.fault_count ?? 0);
  if (!counts.some((count) => count > 0)) return undefined;
  const all = counts.reduce((sum, one) => sum + one, 0), shown = found.slice(0, 20);
  // Faults of planes take the room of a report's list, too.
  const listed = shown.length === all ? "." : shown.length ? `; the first ${shown.length} of them:` : "; the report lists none of them.";
  const cell = (path, key) => (known(at(`${path}.${key}`)) ? String(at(`${path}.${key}`)) : missing);
  return h("section", {}, h("h2", {}, "Bad samples"),
    h("p", {}, `${plural(all, "fault")} in ${plural(runs.length, "run")}`, listed),
    shown.length ? table("Faults", ["file", "stage", "kind", "reason"],
      shown.map((path) => ["path", "stage", "kind", "reason"].map((key) => cell(path, key))), { texts: [1, 2, 3] }) : "");
}

// What a row consists of, and what the rows showed of each plane.
function rowTable(run) {
  const columns = ofRun(run, "plan.columns") ?? [];
  const planes = ofRun(run, "planes") ?? [];
  if (!planes.length && !ofRun(run, "plan.annotation_bytes")) return undefined;
  const counts = planes.length ? [["ok", "count"], ["damaged", "count"], ["absent", "count"], ["broken", "count"], ["decode_s", "seconds", "decoding"]] : [];
  const rows = columns.map((column, i) => {
    const place = planes.findIndex((plane) => plane.name === column.name && known(column.pixels));
    return [column.name, column.pixels ?? missing, known(column.shape) ? column.shape.join("×") : missing,
      figureAt(pathOf(run, `plan.columns.${i}.row_bytes`), "bytes"),
      ...counts.map(([key, unit]) => (place < 0 ? missing : figureAt(pathOf(run, `planes.${place}.${key}`), unit)))];
  });
  const broken = (ofRun(run, "faults") ?? []).filter((fault) => known(fault.plane)).slice(0, 5);
  return h("div", { class: "figure whole" }, h("h3", {}, "A row, by column"),
    h("p", { class: "note" }, "What each row of a batch takes", planes.length ? ", and how many rows show the file of a plane. An absent or broken one shows fill." : ".",
      planes.length && partners > 0 ? " Rows are counted by their own samples; the broken files are of partners, too." : ""),
    table("A row by column", ["column", "pixels", "shape", "bytes of a row", ...counts.map(([key, , heading]) => heading ?? key)], rows,
      { texts: [1, 2] }),
    broken.map((fault) => h("p", { class: "note" }, `Broken: ${fault.path}: ${fault.reason}`)));
}
