import type { SvgNode } from './svg-node.ts'

/** What XML cannot contain, even escaped: control characters, lone surrogates and two code points that are no characters. */
// oxlint-disable-next-line no-control-regex
const NOT_XML = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\uFFFE\uFFFF]|\p{Surrogate}/gu

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A string as it may stand in an element or in an attribute. */
const escapeXml = (string: string): string =>
  string.replace(NOT_XML, '\uFFFD').replace(/[&<>"']/g, (character) => ESCAPES[character]!)

/** Writes an element as SVG. */
export const writeSvg = ({ tag, attributes, children }: SvgNode): string => {
  const parts = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
  const opening = `<${tag}${parts.join('')}`
  if (children.length === 0) return `${opening}/>`
  const content = typeof children === 'string' ? escapeXml(children) : children.map(writeSvg).join('')
  return `${opening}>${content}</${tag}>`
}
