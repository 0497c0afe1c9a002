// Memory by step and phase, from MemoryProfile.

const profile = report.profile;

// The phases to show: [{step, phase, at}…], `at` is the path of the phase in the report.
const phasePlaces = !profile ? [] : profile.shown.flatMap((i) =>
  profile.steps[i].phases.map((phase, j) => ({ step: profile.steps[i].step, phase, at: `profile.steps.${i}.phases.${j}` })));

const timesOf = (phase) => (phase.times > 1 ? `${phase.phase} ×${phase.times}` : phase.phase);

// The accounts of one watched object that ever held bytes, each with its colour and hatch.
function accountsOf(watched) {
  const found = new Map();  // by name: its index in the lists of accounts
  for (const { phase } of phasePlaces)
    phase.memory[watched].accounts.forEach((one, i) => { if (one.peak > 0) found.set(one.account, i); });
  return [...found].sort((a, b) => a[1] - b[1]).map(([name, place], i) => {
    // The caller's accounts use the list from its first entry, blue.
    const look = accounts.find((account) => account.name === name) ?? lookOf(4 - i);
    return { ...look, name, place };
  });
}

function phasesFigure(name, watched) {
  const accounts = accountsOf(watched);
  const memory = (place) => place.phase.memory[watched];
  const unit = byteUnit(Math.max(...phasePlaces.map((place) => memory(place).peak)));
  const series = [
    ...accounts.map((one) => ({ name: one.name, colour: one.colour, hatch: one.hatch, area: true, stack: "peak", order: 1,
      points: phasePlaces.map((place) => (memory(place).accounts[one.place]?.at_peak ?? 0) / unit.size) })),
    { name: "live when it ended", colour: "ink", type: "line", line: false, marker: "rectRot", hollow: true, order: 0,
      points: phasePlaces.map((place) => memory(place).live / unit.size) },
  ];
  const path = (place, tail) => `${place.at}.memory.${watched}.${tail}`;
  return figure({
    id: `phases-${watched}`,
    title: name,
    whole: true,
    text: "Bytes at the peak of each phase, by account, and live bytes at its end.",
    summary: "Bytes at the peak of each phase by account; the table has the numbers.",
    type: "bar",
    series,
    labels: phasePlaces.map((place) => [timesOf(place.phase), `step ${place.step}`]),
    options: () => ({
      interaction: { mode: "index", intersect: false },
      scales: { x: axis("phase", { stacked: true, grid: { display: false } }),
        y: axis(unit.name, { stacked: true, beginAtZero: true }) },
      plugins: { tooltip: tooltip((item) => item.label.replace(",", ", "),
        (item) => `${item.dataset.label}: ${say.bytes(item.parsed.y * unit.size)}`) },
    }),
    numbers: table(`${name} by phase`,
      ["step and phase", "live", "peak", ...accounts.map((one) => `${one.name} at the peak`)],
      phasePlaces.map((place) => [`${place.step} ${timesOf(place.phase)}`,
        figureAt(path(place, "live"), "bytes"), figureAt(path(place, "peak"), "bytes"),
        ...accounts.map((one) => figureAt(path(place, `accounts.${one.place}.at_peak`), "bytes"))])),
  });
}

function rssTable() {
  return h("div", { class: "figure whole" }, h("h3", {}, "The process"),
    table("RSS by phase", ["step and phase", "RSS", "RSS at its peak"],
      phasePlaces.map((place) => [`${place.step} ${timesOf(place.phase)}`,
        figureAt(`${place.at}.rss`, "bytes"), figureAt(`${place.at}.rss_peak`, "bytes")])));
}

// The watched object with the highest peak, and the phase of that peak.
function profileAnswer() {
  let most;
  for (const place of phasePlaces)
    place.phase.memory.forEach((memory, watched) => {
      if (!most || memory.peak > most.peak) most = { peak: memory.peak, place, watched };
    });
  if (!most) return ["There is nothing to show."];
  return [`${profile.watched[most.watched]}: at most `, figureAt(`${most.place.at}.memory.${most.watched}.peak`, "bytes"),
    `, in ${most.place.phase.phase} of step ${most.place.step}.`];
}

const profileSetup = () => [plural(profile.steps_begun, "step"),
  profile.shown.length < profile.steps.length && `${profile.shown.length} of them shown`,
  profile.watched.join(", ")].filter(Boolean).join(" · ");

function phasesSection() {
  if (!phasePlaces.length) return undefined;
  return h("section", {}, h("h2", {}, "Memory by phase"),
    h("div", { class: "grid" }, profile.watched.map(phasesFigure), rssTable()));
}
