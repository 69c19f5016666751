// The keyboard: the arrows move within a group of buttons, and letters do what buttons do.
import { settings } from "./settings.js";

const buttons = (group) => [...group.querySelectorAll("button")].filter((button) => button.checkVisibility());

/** Make one button of a group a stop of the Tab key; the arrows, Home and End lead to the others. */
export function roving(group) {
  const stop = (button) => {
    for (const other of buttons(group)) other.tabIndex = other === button ? 0 : -1;
  };
  const settle = () => {
    const all = buttons(group);
    if (all.length) stop(all.find((button) => button.contains(document.activeElement)) ?? all.find((button) => button.tabIndex === 0 && button.dataset.stop) ?? all[0]);
  };
  group.addEventListener("focusin", ({ target }) => {
    for (const button of buttons(group)) delete button.dataset.stop;
    const button = target.closest("button");
    if (!button) return;
    button.dataset.stop = "yes";
    stop(button);
  });
  group.addEventListener("keydown", (event) => {
    const all = buttons(group);
    const at = all.indexOf(document.activeElement);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, to))].focus();
  });
  new MutationObserver(settle).observe(group, { childList: true, subtree: true });
  settle();
}

/** Do what a letter stands for, unless something is being typed or chosen. Returns how to stop. */
export function letters(meanings) {
  const press = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || /INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    if (!settings().letters || document.querySelector("dialog[open]")) return;
    if (!Object.hasOwn(meanings, event.key)) return;
    event.preventDefault();
    meanings[event.key]();
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}

/** Remember the button that has the focus in a group; the function returned gives it to a neighbour if the button has gone. */
export function keepFocus(groups, otherwise) {
  const active = document.activeElement;
  const group = groups.find((one) => one.contains(active));
  const place = group ? buttons(group).indexOf(active) : -1;
  return () => {
    if (!group || active.isConnected && active.checkVisibility()) return;
    const all = buttons(group);
    (all[Math.min(Math.max(0, place), all.length - 1)] ?? otherwise()).focus();
  };
}
