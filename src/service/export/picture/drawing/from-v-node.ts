import type { SvgNode } from '../svg/svg-node.ts'
import { createNode } from '../svg/svg-node.ts'
import { BASELINE_SHIFT } from './draw-text.ts'
import type { TextMark } from './draw-text.ts'
import { parseFontString } from './parse-font-string.ts'
import type { Tools } from './tools.ts'

/** An element as ECharts draws it. */
export interface VNode {
  readonly tag: string
  readonly attrs?: Readonly<Record<string, string | number | boolean | null | undefined>>
  readonly children?: readonly (VNode | undefined)[]
  readonly text?: string
}

/**
 * The elements within an SVG of ECharts, with its texts drawn in the fonts that have their characters. Clip paths are left out: no chart
 * reaches over its edges, and their names would have to be unique in a page with several pictures.
 */
export const fromVNode = ({ children = [] }: VNode, tools: Tools): readonly SvgNode[] =>
  children.flatMap((child) => (child === undefined || child.tag === 'defs' ? [] : [convert(child, tools)]))

const convert = (node: VNode, tools: Tools): SvgNode =>
  node.tag === 'text' ? convertText(node, tools) : createNode(node.tag, readAttributes(node), fromVNode(node, tools))

/** Clip paths, and marks for pages that react to the pointer. */
const LEFT_OUT = /^(?:clip-path$|ecmeta_)/

const readAttributes = ({ attrs = {} }: VNode): Record<string, string | number> => {
  const attributes: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(attrs)) {
    if (LEFT_OUT.test(name) || value === false || value === null || value === undefined) continue
    attributes[name] = typeof value === 'number' ? value : String(value)
  }
  return attributes
}

const ANCHORS: Readonly<Record<string, TextMark['anchor']>> = { start: 'start', middle: 'middle', end: 'end' }

/** ECharts names the middle of the line. */
const convertText = ({ attrs = {}, text = '' }: VNode, tools: Tools): SvgNode => {
  const style = parseFontString(String(attrs['style'] ?? ''))
  const node = tools.drawText({
    text,
    ...style,
    x: Number(attrs['x'] ?? 0),
    y: Number(attrs['y'] ?? 0) + style.size * BASELINE_SHIFT,
    anchor: ANCHORS[String(attrs['text-anchor'])] ?? 'start',
    fill: String(attrs['fill'] ?? tools.theme.text),
  })
  const { transform } = attrs
  return typeof transform === 'string' ? createNode('g', { transform }, [node]) : node
}
