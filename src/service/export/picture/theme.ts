import type { PictureRequest } from './picture.ts'

/** The colours of a picture. */
export interface Theme {
  readonly background: string
  readonly text: string
  /** Labels of axes and notes. */
  readonly muted: string
  /** Lines behind a chart. */
  readonly grid: string
  /** The lighter of two grounds: rows of a table, the part of a bar that is not filled. */
  readonly ground: string
  readonly error: string
  /** Colours of series, in order. People with a colour vision deficiency can tell them apart. */
  readonly series: readonly string[]
  /** For what is left of a breakdown. */
  readonly other: string
}

const LIGHT: Theme = {
  background: '#ffffff',
  text: '#1b2430',
  muted: '#5b6675',
  grid: '#e3e7ec',
  ground: '#f2f4f7',
  error: '#b3261e',
  series: ['#0072b2', '#d55e00', '#009e73', '#d36ca6', '#952574', '#0339a4', '#d7174a', '#783e00'],
  other: '#7b8794',
}

const DARK: Theme = {
  background: '#14181f',
  text: '#e8ecf1',
  muted: '#a3adba',
  grid: '#2c333d',
  ground: '#1e242d',
  error: '#ff8a80',
  series: ['#56b4e9', '#f5793a', '#43e9b8', '#cd60a0', '#f0c93d', '#9a8cff', '#e5466a', '#a1da85'],
  other: '#8a95a3',
}

const THEMES: Readonly<Record<PictureRequest['theme'], Theme>> = { light: LIGHT, dark: DARK }

export const themeOf = (name: PictureRequest['theme']): Theme => THEMES[name]

/** Two colours mixed: `share` of the first, the rest of the second. */
export const mix = (color: string, ground: string, share: number): string => {
  const [first, second] = [readChannels(color), readChannels(ground)]
  return `#${first
    .map((channel, index) =>
      Math.round(channel * share + second[index]! * (1 - share))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

const readChannels = (color: string): readonly number[] =>
  [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16))

/** The contrast of two colours as WCAG 2 defines it: 1 to 21. */
export const contrastOf = (color: string, other: string): number => {
  const [darker, lighter] = [luminanceOf(color), luminanceOf(other)].toSorted((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

const luminanceOf = (color: string): number => {
  const [red, green, blue] = readChannels(color).map((channel) => {
    const part = channel / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
