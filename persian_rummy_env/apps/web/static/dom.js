// Small helpers to make elements, and to keep them; text is always set as text.
export const byId = (id) => document.getElementById(id);

/** An element with properties, `data` for its data attributes, `aria`, and children. */
export function make(tag, { data = {}, aria = {}, ...properties } = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  Object.assign(element.dataset, data);
  for (const [name, value] of Object.entries(aria)) element.setAttribute(`aria-${name}`, String(value));
  element.append(...children);
  return element;
}

/** A button; `able` false leaves it in its place, so that the focus stays, but it does nothing. */
export function pressable(button, able, press) {
  button.type = "button";
  button.setAttribute("aria-disabled", String(!able));
  button.onclick = able ? press : null;
  return button;
}

/** Make a container hold one element an item, in order. An element stays as long as the `key` of its item does. */
export function keep(container, items, create, update) {
  const before = new Map([...container.children].map((child) => [child.dataset.key, child]));
  const elements = items.map((item) => {
    const element = before.get(item.key) ?? create(item);
    element.dataset.key = item.key;
    update(element, item);
    return element;
  });
  const stay = new Set(elements);
  for (const child of [...container.children]) if (!stay.has(child)) child.remove();
  elements.forEach((element, place) => {
    if (container.children[place] !== element) container.insertBefore(element, container.children[place] ?? null);
  });
}

/** Text that is heard and not seen. */
export const heard = (text) => make("span", { className: "heard", textContent: text });

/** Say what went wrong; nothing takes it away. */
export function alertUser(text) {
  const line = byId("alert");
  line.textContent = text ?? "";
  line.hidden = !text;
}
