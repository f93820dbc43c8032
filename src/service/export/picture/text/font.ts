export type Weight = 'normal' | 'bold'

/** A font file that pictures can use. */
export interface Font {
  /** The name of its family, by which an SVG names it. */
  readonly family: string
  /** As in CSS: 400 is normal. */
  readonly weight: number
  /** Absolute path. */
  readonly file: string
  covers(codePoint: number): boolean
  /** How far the next character is, without kerning, in units of the font size. */
  advanceOf(codePoint: number): number
}
