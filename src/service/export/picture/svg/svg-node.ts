/** An element of a picture. Text is the plain string; the writer escapes it. */
export interface SvgNode {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly children: readonly SvgNode[] | string
}

export const createNode = (
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly SvgNode[] | string = [],
): SvgNode => ({ tag, attributes, children })

/** Moves nodes to the right and down. */
export const moveTo = (x: number, y: number, children: readonly SvgNode[]): SvgNode =>
  createNode('g', { transform: `translate(${round(x)} ${round(y)})` }, children)

/** To a hundredth of a pixel: more digits only make the file longer. */
export const round = (number: number): number => Math.round(number * 100) / 100
