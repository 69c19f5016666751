
/** What a policy thinks of the moment that is shown. */
function analysisBox(replay, analysis, deal) {
  const { game, moment } = replay;
  const decision = replay.thought(analysis, moment);
  const box = make("section", { className: "analysis" }, make("h2", { textContent: analysis.policy }));
  if (!decision) {
    box.append(make("p", { textContent: game.actions[moment] === null ? "The deal is over." : "No analysis: it is not this seat's decision." }));
  } else {
    const [chosen, legal, value, half, listed] = decision;
    const agrees = chosen === game.actions[moment];
    box.append(make("p", {}, agrees ? "plays the same: " : "would play ", make("b", { textContent: chosen }),
      make("span", { className: "quiet", textContent: legal === 1 ? " · the only legal action" : ` · ${legal} legal` })));
    if (listed.length) box.append(bars(listed, analysis.kind, chosen, game.actions[moment]));
    if (value !== null) {
      box.append(make("p", { title: "± is half of the 95% interval of a mean over sampled worlds that agree with what this seat knows" }, "expects ", make("b", { textContent: half === null ? signed(value) : `${signed(Math.round(value), 0)} ± ${Math.round(half)}` }), " points of this deal for ",
        make("span", { className: `team-${game.seats[moment] % 2}`, textContent: replay.team(game.seats[moment] % 2) })));
    }
  }
  const curve = chart(replay, analysis, deal);
  if (curve) box.append(curve);
  return box;
}

function bars(listed, kind, chosen, played) {
  const numbers = listed.map(([, number]) => number);
  const [low, high] = kind === "probability" ? [0, 1000] : [Math.min(...numbers), Math.max(...numbers)];
  return make("ol", { className: "bars" }, ...listed.map(([action, number]) => {
    const share = high > low ? (number - low) / (high - low) : 1;
    const row = make("li", { className: `${action === played ? "played" : ""} ${action === chosen ? "chosen" : ""}` },
      make("span", { className: "bar" }), make("span", { className: "action", textContent: action }),
      make("span", { className: "number", textContent: kind === "probability" ? `${(number / 10).toFixed(1)} %` : signed(number / 10) }));
    row.firstChild.style.width = `${Math.max(0.5, 100 * share)}%`;
    if (action === played) row.append(make("span", { className: "tag", textContent: "played" }));
    return row;
  }));
}

/** The value through the deal, for team 0; a click goes there. */
function chart(replay, analysis, deal) {
  const { game } = replay;
  const [start, stop] = [game.deals[deal].start, replay.stop(deal)];
  const points = [];
  for (let moment = start; moment < stop; moment++) {
    const value = replay.thought(analysis, moment)?.[2];
    if (value !== null && value !== undefined) points.push([moment, game.seats[moment] % 2 ? -value : value]);
  }
  if (points.length < 2) return null;
  const most = Math.max(10, ...points.map(([, value]) => Math.abs(value)));
  const x = (moment) => (300 * (moment - start)) / (stop - start);
  const y = (value) => 30 - (28 * value) / most;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 300 60");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", `Value to team 0 through the deal, from ${signed(points[0][1])} to ${signed(points.at(-1)[1])} points`);
  const line = points.map(([moment, value]) => `${x(moment).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  svg.innerHTML = `<line class="zero" x1="0" x2="300" y1="30" y2="30"/><polyline points="${line}"/><line class="here" x1="${x(replay.moment)}" x2="${x(replay.moment)}" y1="0" y2="60"/>`;
  svg.onclick = (event) => {
    const box = svg.getBoundingClientRect();
    replay.go(start + Math.round(((event.clientX - box.left) / box.width) * (stop - start)));
  };
  return make("figure", {}, svg, make("figcaption", {}, `Points expected for ${replay.team(0)} through the deal, from −${most.toFixed(0)} to +${most.toFixed(0)}`));
}
