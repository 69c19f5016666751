// Cards that overlap no more than they must: the step from card to card, and the size at which melds fit.
const LEAST = 0.36, BACK = 0.15, WIDEST = 1.06; // of the width of a card
const SHRINK = [1, 0.88, 0.78, 0.68, 0.6];

/** Put the cards of a container into as few rows as leave the corner of each card free. */
export function fan(container) {
  const cards = [...container.children].filter((child) => child.classList.contains("card"));
  if (!cards.length) return;
  const card = cards[0].offsetWidth;
  const style = getComputedStyle(container);
  const room = container.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  if (!card || room < card) return;
  const least = cards[0].tagName === "BUTTON" ? Math.max(24, LEAST * card) : (cards[0].dataset.card ? LEAST : BACK) * card;
  const inRow = Math.max(1, Math.floor((room - card) / least) + 1);
  const rows = Math.ceil(cards.length / inRow);
  const across = Math.ceil(cards.length / rows);
  const step = across > 1 ? Math.min(WIDEST * card, (room - card - 1) / (across - 1)) : card;
  container.style.setProperty("--step", `${step}px`);
}

/** Make the cards of a box smaller until all of it fits; where nothing helps, the box scrolls. */
export function shrink(box, outer) {
  box.classList.remove("scrolls");
  for (const size of SHRINK) {
    box.style.setProperty("--size", size);
    if (outer.scrollHeight <= outer.clientHeight + 1) return;
  }
  box.classList.add("scrolls");
}
