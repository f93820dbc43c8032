/** Returns the element with this id, which must exist. */
export const byId = (id) => document.getElementById(id)

/**
 * Creates an element. Strings become text nodes and never HTML, so that a response of the service cannot inject markup.
 *
 * @param {string} name
 * @param {Record<string, string | number | boolean>} [attributes] `true` sets an empty attribute, `false` sets none.
 * @param {...(Node | string)} children
 */
export const element = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children)

/** Creates an SVG element. */
export const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children)

/** Sets text only if it changes, so that unchanged text causes no layout and no announcement of a screen reader. */
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
