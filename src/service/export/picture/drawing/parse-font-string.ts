import type { TextStyle } from '../text/ruler.ts'

const DEFAULT_SIZE = 12

/** The size and weight of a font as CSS writes it: `bold 12px DejaVu Sans`. */
export const parseFontString = (font = ''): TextStyle => ({
  size: Number(/(\d+(?:\.\d+)?)px/.exec(font)?.[1] ?? DEFAULT_SIZE),
  weight: /\b(?:bold|[6-9]00)\b/.test(font) ? 'bold' : 'normal',
})
