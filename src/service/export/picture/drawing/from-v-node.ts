import type { SvgNode } from '../svg/svg-node.ts'
import { createNode } from '../svg/svg-node.ts'
import { BASELINE_SHIFT } from './draw-text.ts'
import type { TextMark } from './draw-text.ts'
import { parseFontString } from './parse-font-string.ts'
import type { Tools } from './tools.ts'

/** An element as ECharts draws it. */
export interface VNode {
  readonly tag: string
  readonly attrs?: Readonly<Record<string, unknown>>
  readonly children?: readonly (VNode | undefined)[]
  readonly text?: string
}

/** The elements within an SVG of ECharts, with its texts drawn in the fonts that have their characters. */
export const fromVNode = ({ children = [] }: VNode, tools: Tools): readonly SvgNode[] => {
  const ids = new Map<string, string>()
  const convert = (node: VNode): SvgNode => {
    if (node.tag === 'text') return convertText(node, tools)
    const nodes = (node.children ?? []).filter((child) => child !== undefined).map(convert)
    return createNode(node.tag, readAttributes(node, ids), nodes)
  }
  return children.filter((child) => child !== undefined).map(convert)
}

/** Its marks for pages that react to the pointer. */
const META_DATA = /^ecmeta_/

/** Names of clip paths count all charts of the process; here they count those of the drawing, so that equal charts are equal files. */
const ID = /zr\d+-[a-z]\d+/g

const readAttributes = ({ attrs = {} }: VNode, ids: Map<string, string>): Record<string, string | number> => {
  const attributes: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(attrs)) {
    if (META_DATA.test(name) || value === false || value === null || value === undefined) continue
    attributes[name] = typeof value === 'number' ? value : String(value).replace(ID, (id) => shortenId(id, ids))
  }
  return attributes
}

const shortenId = (id: string, ids: Map<string, string>): string => {
  const stored = ids.get(id)
  if (stored !== undefined) return stored
  const name = `c${ids.size}`
  ids.set(id, name)
  return name
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
