// Small helpers to make elements; text is always set as text.
export const byId = (id) => document.getElementById(id);

/** An element with properties, `data` for its data attributes, and children. */
export function make(tag, { data = {}, aria = {}, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  Object.assign(element.dataset, data);
  for (const [name, value] of Object.entries(aria)) element.setAttribute(`aria-${name}`, String(value));
  element.append(...children);
  return element;
}

/** Say what went wrong; nothing takes it away. */
export function alertUser(text) {
  const line = byId("alert");
  line.textContent = text ?? "";
  line.hidden = !text;
}
