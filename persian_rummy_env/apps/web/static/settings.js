// What the reader has chosen: kept in this browser.
import { byId } from "./dom.js";

const KEY = "persian-rummy-settings";
const USUAL = { speed: "normal", letters: true };
/** Milliseconds that a move of another player is shown before the next one. */
export const SPEEDS = { slow: 2400, normal: 1200, fast: 500, "at once": 0 };

export function settings() {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return USUAL;
  }
}

export const stay = () => SPEEDS[settings().speed] ?? SPEEDS.normal;
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const change = (part) => localStorage.setItem(KEY, JSON.stringify({ ...settings(), ...part }));

byId("speed").value = settings().speed;
byId("letters").checked = settings().letters;
byId("speed").onchange = ({ target }) => change({ speed: target.value });
byId("letters").onchange = ({ target }) => change({ letters: target.checked });
