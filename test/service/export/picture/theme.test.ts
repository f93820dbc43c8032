import { describe, expect, it } from 'vitest'
import { contrastOf, mix, themeOf } from '../../../../src/service/export/picture/theme.ts'

type Matrix = readonly (readonly number[])[]

/** How linear colours look with a colour vision deficiency (Machado, Oliveira and Fernandes 2009, severity 1). */
const VISIONS: Readonly<Record<string, Matrix>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const toLinear = (color: string): number[] =>
  [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })

const apply = (matrix: Matrix, vector: readonly number[]): number[] =>
  matrix.map((row) => row.reduce((sum, each, index) => sum + each * vector[index]!, 0))

/** In the CIE Lab space, in which equal distances look about equally different. */
const toLab = (linear: readonly number[]): number[] => {
  const limited = linear.map((channel) => Math.min(1, Math.max(0, channel)))
  const white = [0.9505, 1, 1.089]
  const [x, y, z] = apply(
    [
      [0.4124, 0.3576, 0.1805],
      [0.2126, 0.7152, 0.0722],
      [0.0193, 0.1192, 0.9505],
    ],
    limited,
  ).map((channel, index) => {
    const share = channel / white[index]!
    return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116
  })
  return [116 * y! - 16, 500 * (x! - y!), 200 * (y! - z!)]
}

const distanceOf = (a: readonly number[], b: readonly number[]): number =>
  Math.hypot(...a.map((each, index) => each - b[index]!))

/** Colours that are less far from each other are hard to tell apart in thin lines. */
const MIN_DISTANCE = 15

describe.each(['light', 'dark'] as const)('the %s theme', (name) => {
  const theme = themeOf(name)

  it('has enough contrast for text and for lines', () => {
    for (const ground of [theme.background, theme.ground]) {
      expect(contrastOf(theme.text, ground)).toBeGreaterThan(7)
      expect(contrastOf(theme.muted, ground)).toBeGreaterThan(4.5)
      expect(contrastOf(theme.error, ground)).toBeGreaterThan(4.5)
    }
    for (const color of [...theme.series, theme.other]) expect(contrastOf(color, theme.background)).toBeGreaterThan(3)
  })

  it.each(Object.entries(VISIONS))('has series that can be told apart with %s', (_, vision) => {
    const colors = theme.series.map((color) => toLab(apply(vision, toLinear(color))))
    for (const [index, color] of colors.entries())
      for (const other of colors.slice(index + 1)) expect(distanceOf(color, other)).toBeGreaterThan(MIN_DISTANCE)
  })
})

it('mixes colours, and measures contrast as WCAG does', () => {
  expect(mix('#ff0000', '#0000ff', 0.5)).toBe('#800080')
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21)
})
