// Windows over the page. The browser keeps the focus in them, and gives it back when they close.
import { OUT_BONUS, row, value } from "./cards.js";
import { byId, heard } from "./dom.js";
import { called, listed } from "./words.js";

for (const dialog of document.querySelectorAll("dialog")) {
  dialog.querySelector(".close")?.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => { if (event.target === dialog && dialog.dataset.light !== undefined) dialog.close(); });
}
for (const button of document.querySelectorAll("[data-open]")) button.onclick = () => byId(button.dataset.open).showModal();
for (const place of document.querySelectorAll("[data-cards]")) {
  const cards = place.dataset.cards.split(" ");
  place.append(row(cards), heard(listed(cards.map(called))));
}
for (const place of document.querySelectorAll("[data-value]")) place.textContent = value(place.dataset.value);
for (const place of document.querySelectorAll(".out-bonus")) place.textContent = OUT_BONUS;
