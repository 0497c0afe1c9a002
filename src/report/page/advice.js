// Advice: changes of the settings now, ranked by gain, and what to paste.

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

// Options may be broken between, not within.
const unbroken = (text) => h("code", { class: "option" }, text.split(/( )/).map((part) => (part === " " ? part : h("span", { class: "n" }, part))));

function leversTable(advice) {
  const now = ["now", "", figureAt("advice.now.samples_per_s", "pace"), figureAt("advice.now.data_readiness", "share"),
    figureAt("advice.now.total_bytes", "bytes"), "predicted"];
  const rows = advice.levers.map((lever, i) => {
    const at = `advice.levers.${i}`;
    return [[lever.title, lever.flag ? unbroken(lever.flag) : "", lever.why ? h("small", {}, `${lever.why}.`) : ""],
      figureAt(`${at}.gain`, "times"),
      figureAt(`${at}.result.samples_per_s`, "pace"), figureAt(`${at}.result.data_readiness`, "share"),
      figureAt(`${at}.bytes`, "difference"), figureAt(`${at}.basis`, "word")];
  });
  return h("div", { class: "figure whole levers" },
    h("p", { class: "note" }, "Each change alone, from ", report.command === "sweep" ?
      ["max_queue_size ", figureAt("advice.now.max_queue_size", "count")] : "the settings now", ". ",
      "Throughput is predicted from the measured times. Of equal gains, the one with the fewest bytes is first; changes of pixels are last."),
    table("Changes by gain",
      ["change, and its option", "gain", "samples/s, predicted", "data readiness, predicted", "typical bytes", "basis"],
      [now, ...rows], { texts: [5] }));
}

function adviceSection() {
  const advice = report.advice;
  const next = report.next ? [copyable("Next command", report.next)] : [];
  if (!known(advice))
    return next.length ? h("section", {}, h("h2", {}, "What to do next"), next) : undefined;
  const best = advice.levers.find((lever) => lever.code && lever.basis !== "unmeasured");
  const pastes = [...next, ...(best ? [copyable(`In C++: ${best.title}`, best.code.trimEnd())] : [])];
  return h("section", {}, h("h2", {}, "What to change, by gain"),
    h("div", { class: "grid" },
      advice.levers.length ? leversTable(advice)
        : h("p", { class: "whole" }, "Nothing: no setting is faster by 2 %, and none saves memory."),
      pastes.map((paste) => h("div", {}, paste))));
}
