/** The element with this id, which the page's HTML has. */
export const byId = (id) => document.getElementById(id)

/**
 * Makes an element. Text becomes text nodes, never HTML, so that nothing a service answers can become markup.
 *
 * @param {string} name
 * @param {Record<string, string | number | boolean>} [attributes] `true` sets an empty attribute, `false` none.
 * @param {...(Node | string)} children
 */
export const element = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children)

/** The same for SVG. */
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)

/** Writes text only where it differs: what does not change is not laid out or announced again. */
export const setText = (node, text) => {
  if (node.textContent !== text) node.textContent = text
}

const fill = (node, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false) node.setAttribute(key, value === true ? '' : String(value))
  }
  node.append(...children)
  return node
}
