// Dragging with mouse, pen or finger: from an element with `payload` to one with a data-drop.
const FAR = 8;

/** Make an element draggable. `targets()` are lit while it is dragged; `drop(name)` is told where it was let go. */
export function draggable(element, targets, drop) {
  element.addEventListener("pointerdown", (down) => {
    if (down.button !== 0) return;
    let ghost = null;
    const lit = targets();
    const move = (event) => {
      if (!ghost && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < FAR) return;
      if (!ghost) {
        ghost = element.cloneNode(true);
        ghost.className = "card ghost";
        ghost.style.width = `${element.offsetWidth}px`;
        document.body.append(ghost);
        for (const name of lit) document.querySelector(`[data-drop="${name}"]`)?.classList.add("lit");
      }
      ghost.style.left = `${event.clientX}px`;
      ghost.style.top = `${event.clientY}px`;
      event.preventDefault();
    };
    const stop = (event) => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", stop);
      document.removeEventListener("pointercancel", stop);
      if (!ghost) return;
      ghost.remove();
      for (const one of document.querySelectorAll("[data-drop].lit")) one.classList.remove("lit");
      // The click that follows letting go is not meant as one.
      addEventListener("click", (click) => { click.stopPropagation(); click.preventDefault(); }, { capture: true, once: true, signal: AbortSignal.timeout(50) });
      if (event.type === "pointercancel") return;
      const under = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-drop]");
      if (under && lit.includes(under.dataset.drop)) drop(under.dataset.drop);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", stop);
    document.addEventListener("pointercancel", stop);
  });
}
