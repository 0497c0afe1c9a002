// The limit of a run, and how the time was spent.

const secondsOf = (run) => ofRun(run, "queue.seconds") ?? ofRun(run, "throughput.seconds");

// [name, share of the consumer's time, share of the workers' time, colour, hatch]
function timeShares(run) {
  const queue = ofRun(run, "queue") ?? {};
  const total = secondsOf(run);
  if (!(total > 0)) return [];
  const consumer = {
    work: queue.batches === 0 ? 0 : Math.max(0, 1 - queue.consumer_wait_s / total),
    read: queue.storage_wait_s / total,
    decode: queue.decode_wait_s / total,
    memory: queue.memory_wait_s / total,
    device: queue.device_wait_s / total,
  };
  const time = queue.workers;
  const all = time ? Object.values(time).reduce((sum, one) => sum + one, 0) : 0;
  const part = (key) => (all > 0 ? time[key] / all : undefined);
  return [
    ["consumer works", consumer.work, undefined, "green"],
    ["waits for reads", consumer.read, part("storage_wait_s"), "orange", "rising"],
    ["waits for decoding", consumer.decode, undefined, "vermillion", "falling"],
    ["waits for memory", consumer.memory, part("memory_wait_s"), "purple", "dots"],
    ["waits for the device", consumer.device, undefined, "yellow", "level"],
    ["workers read", undefined, part("read_s"), "sky", "level"],
    ["workers decode", undefined, part("decode_s"), "blue"],
    ["idle: no task", undefined, part("idle_s"), "grey"],
  ].filter(([, one, other]) => one > 0 || other > 0);
}

function timeSharesFigure(run) {
  const shares = timeShares(run);
  if (!shares.length) return undefined;
  const rows = shares.some(([, , workers]) => known(workers)) ? ["consumer", "workers"] : ["consumer"];
  const path = (tail) => figureAt(pathOf(run, tail), "seconds");
  const seconds = [
    ["the stream was open", "queue.seconds"], ["the consumer waited", "queue.consumer_wait_s"],
    ["… for reads", "queue.storage_wait_s"], ["… for decoding", "queue.decode_wait_s"],
    ["… for memory", "queue.memory_wait_s"], ["… for the device", "queue.device_wait_s"], ["a worker was idle, on average", "queue.producer_wait_s"],
    ["workers read", "queue.workers.read_s"], ["workers decoded", "queue.workers.decode_s"],
    ["workers waited for reads", "queue.workers.storage_wait_s"], ["workers waited for memory", "queue.workers.memory_wait_s"],
    ["workers were idle, in total", "queue.workers.idle_s"],
    ["CPU time of the workers", "queue.cpu.workers_s"], ["workers were ready to run, without a CPU", "queue.cpu.wait_s"],
    ["a CPU limit stopped threads", "queue.cpu.throttle_s"], ["the host withheld CPU time (steal)", "queue.cpu.steal_s"],
  ].filter(([, tail]) => known(ofRun(run, tail)));
  const why = ofRun(run, "regime_why");
  return figure({
    id: "time-shares",
    title: "Who waits for whom",
    text: why ? sentence(why) : "Where the time of the consumer and of the workers went.",
    summary: shares.map(([name, one, other]) => `${name} ${say.share(one ?? other)}`).join(", "),
    type: "bar",
    height: "short",
    series: shares.map(([name, consumer, workers, colour, hatch]) => ({
      name, colour, hatch, area: true, stack: "time",
      points: [consumer, workers].slice(0, rows.length).map((share) => 100 * (share ?? 0)),
    })),
    labels: rows,
    options: () => ({
      indexAxis: "y",
      scales: {
        x: axis("% of the time", { stacked: true, min: 0, max: 100 }),
        y: axis("", { stacked: true, grid: { display: false }, ticks: { color: ink("ink") } }),
      },
      plugins: { tooltip: tooltip((item) => item.label, (item) => `${item.dataset.label}: ${say.share(item.parsed.x / 100)}`) },
    }),
    numbers: table("Seconds", ["", "time"], seconds.map(([name, tail]) => [name, path(tail)])),
  });
}

// The main figures of a run.
function tiles(run) {
  const share = (part) => {
    const total = secondsOf(run);
    const seconds = ofRun(run, part);
    return total > 0 && known(seconds) ? `${say.share(seconds / total)} of the time` : "";
  };
  const budget = ofRun(run, "plan.budget_bytes");
  const regime = ofRun(run, "regime");
  const failed = ofRun(run, "samples.failed") > 0 ? [figureAt(pathOf(run, "samples.failed"), "count"), " failed, "] : [];
  const ran = judgedApart ? ", measured over the whole run" : ", measured";
  const all = [
    [`throughput${ran}`, figureAt(pathOf(run, "throughput.samples_per_s"), "rate"),
      ["in ", figureAt(pathOf(run, "throughput.seconds"), "seconds")]],
    [`${counted} drawn`, figureAt(pathOf(run, "samples.drawn"), "count"), [figureAt(pathOf(run, "samples.consumed"), "count"),
      " consumed, ", ...failed, figureAt(pathOf(run, "samples.unused"), "count"), " drawn ahead and never used"]],
    ofRun(run, "samples.partners") > 0 && ["partners decoded", figureAt(pathOf(run, "samples.partners"), "count"),
      [figureAt(pathOf(run, "plan.partners"), "count"), " for each row, beside its own sample"]],
    known(regime) && [judgedApart ? "regime of this run" : "regime", figureAt(pathOf(run, "regime"), "word"), terms.regimes[regime]],
    [`data readiness${ran}`, figureAt(pathOf(run, "queue.data_readiness"), "share"),
      known(ofRun(run, "queue.data_readiness")) ? "of the steps found a batch ready" : "no batch was delivered"],
    [`the consumer waited${ran}`, figureAt(pathOf(run, "queue.consumer_wait_s"), "seconds"), share("queue.consumer_wait_s")],
    ["peak of all accounts", figureAt(pathOf(run, "memory.peak"), "bytes"),
      bounded(budget) ? ["of ", figureAt(pathOf(run, "plan.budget_bytes"), "bytes")] : "no budget was set"],
  ].filter(Boolean);
  return h("dl", { class: "tiles" }, all.map(([name, value, more]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value), h("dd", { class: "more" }, more))));
}
