
// The games are data (page.py says how they are packed); the drawing is put together from its pieces. All text is set as
// text; the only markup that is set is the drawing's, in which the packer has written names as text.
const byId = (id) => document.getElementById(id);
const PLAY = "M7 5v14l11-7z", PAUSE = "M6 5h4v14H6zM14 5h4v14h-4z";
const signed = (number, digits = 1) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(digits)}`;

function make(tag, { data = {}, aria = {}, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  Object.assign(element.dataset, data);
  for (const [name, value] of Object.entries(aria)) element.setAttribute(`aria-${name}`, String(value));
  element.append(...children);
  return element;
}

async function unpack() {
  const bytes = Uint8Array.from(atob(byId("data").textContent), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(plain).text());
}

/** The last index at which a sorted list is not above a number. */
function lastAt(list, number) {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (list[middle] <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}
