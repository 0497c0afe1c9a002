// Advice: sentences (the first one is also at the top of the page), options to paste, and the
// effect of each step.

function copyable(title, text) {
  // Prevents line breaks at the hyphens of an option.
  const code = h("code", {}, text.split(/(\s+)/).map((part) => (part.trim() ? h("span", { class: "n" }, part) : part)));
  const button = h("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return h("div", { class: "paste" }, h("div", { class: "paste-head" }, h("span", {}, title), button),
    h("pre", {}, code));
}

function stepsTable(advice) {
  const places = [
    known(advice.now) && ["now", "advice.now"],
    known(advice.recommended) && ["recommended", "advice.recommended"],
    ...(advice.steps ?? []).map((step, i) => [step.change, `advice.steps.${i}.to`]),
    known(advice.ceiling) && ["the most any setting could reach", "advice.ceiling"],
  ].filter(Boolean);
  if (!places.length) return undefined;
  const columns = [["max_queue_size", "max_queue_size", "count"], ["workers", "workers", "count"],
    ["read ahead", "read_ahead", "count"], ["samples/s", "samples_per_s", "pace"],
    ["consumer waits", "consumer_wait", "share"], ["a batch is waiting", "data_readiness", "share"],
    ["batches, bound", "staging_bytes", "bytes"],
    ["predicted peak", "peak_staging_bytes", "bytes"], ["all", "total_bytes", "bytes"]]
    .filter(([, key]) => places.some(([, place]) => known(at(`${place}.${key}`))));
  const rows = places.map(([name, place]) =>
    [name, ...columns.map(([, key, unit]) => figureAt(`${place}.${key}`, unit))]);
  return h("div", { class: "figure whole" }, h("h3", {}, "What each setting would do"),
    table("Predicted, by setting", ["setting", ...columns.map(([heading]) => heading)], rows,
      { marked: places.findIndex(([, place]) => place === "advice.recommended") }));
}

function adviceSection() {
  const advice = report.advice;
  if (!known(advice)) return undefined;
  const pastes = [advice.flags && copyable("As options", advice.flags), advice.code && copyable("As code", advice.code)];
  return h("section", {}, h("h2", {}, "Advice"),
    h("div", { class: "grid" },
      h("div", { class: "sentences" }, (advice.sentences ?? []).slice(1).map((text) => h("p", {}, sentence(text)))),
      h("div", {}, pastes.filter(Boolean)),
      stepsTable(advice)));
}
