import { describe, expect, it } from 'vitest'
import { drawPicture } from '../../../../src/service/export/picture/draw-picture.ts'
import type { InsightTile, PictureRequest } from '../../../../src/service/export/picture/picture.ts'
import {
  createKit,
  DASHBOARD,
  inspectPng,
  INSIGHTS,
  parseSvg,
  requestOf,
  totalOf,
  trendOf,
  trends,
} from '../../support/pictures.ts'

const kit = createKit()

const draw = (content: PictureRequest['content'], fields: Partial<PictureRequest> = {}): Uint8Array =>
  drawPicture(requestOf(content, fields), kit)

const drawSvg = (content: PictureRequest['content'], fields: Partial<PictureRequest> = {}) =>
  parseSvg(draw(content, fields))

/** All texts of a picture, one after the other. */
const textOf = (content: PictureRequest['content'], fields: Partial<PictureRequest> = {}): string =>
  drawSvg(content, fields).texts.join('\n')

describe.each(Object.entries(INSIGHTS))('a picture of %s', (_, insight) => {
  it('is well-formed SVG, which names nothing that is elsewhere in a page', () => {
    const { tags, attributes, texts } = drawSvg(insight)
    expect(new Set(tags)).toEqual(
      new Set(['svg', ...['rect', 'g', 'text', 'path', 'line'].filter((tag) => tags.includes(tag))]),
    )
    expect(texts).toContain(insight.title)
    for (const [name, value] of attributes) {
      expect(name).not.toMatch(/^on|^id$|^class$|href|src|clip/i)
      if (name !== 'xmlns') expect(value).not.toMatch(/url\(|:\/\/|NaN|undefined/)
    }
  })

  it('is a PNG that shows something', () => {
    expect(inspectPng(draw(insight, { format: 'image/png' }))).toEqual({ width: 1600, height: 800, isBlank: false })
  })

  it('is the same each time', () => {
    expect(draw(insight)).toEqual(draw(insight))
  })

  it.each([
    [200, 150],
    [4000, 150],
    [200, 4000],
  ])('can be drawn at %i × %i', (width, height) => {
    expect(drawSvg(insight, { width, height }).tags[0]).toBe('svg')
  })
})

it.each(['lines', 'retention', 'pie'])('is sharp and dark at a large size (%s)', (name) => {
  const png = draw(INSIGHTS[name]!, { format: 'image/png', theme: 'dark', width: 1600, height: 900 })
  expect(inspectPng(png)).toEqual({ width: 3200, height: 1800, isBlank: false })
})

describe('a text on a dashboard', () => {
  const drawTile = (text: string, fields: Partial<PictureRequest> = {}) =>
    drawSvg({ kind: 'dashboard', title: null, tiles: [{ kind: 'text', text }] }, fields)

  it('has headings, lists, bold parts and links', () => {
    const { texts, attributes } = drawTile('# Plan\nSee **all** [prices](https://x.example/):\n\n- one\n- two\n1. last')
    expect(texts).toEqual(['Plan', 'See', 'all', 'prices', ':', '•', 'one', '•', 'two', '1.', 'last'])
    const valuesOf = (name: string) => attributes.flatMap(([key, value]) => (key === name ? [value] : []))
    expect(valuesOf('font-weight').slice(0, 3)).toEqual(['700', '400', '700'])
    expect(valuesOf('font-size')[0]).toBe('18')
    expect(valuesOf('fill')).toContain('#0072b2')
  })

  it('has the direction of its paragraph in each line', () => {
    const text = '# Head of a rather long LTR line שלום Привет مرحبا one two three four'
    const tiles = [{ kind: 'text', text } as const, { kind: 'text', text: '' } as const]
    const { texts } = drawSvg({ kind: 'dashboard', title: null, tiles })
    const seen = ['Head of a rather long LTR line', 'שלום', 'Привет', 'مرحبا', 'one two three', 'four']
    expect(texts.map((part) => part.replaceAll('\u200F', ''))).toEqual(seen)
  })

  it('is wrapped, and cut where there is no room', () => {
    const { texts } = drawTile('**word** '.repeat(500), { width: 400, height: 240 })
    expect(texts.length).toBeGreaterThan(5)
    expect(texts.length).toBeLessThan(20)
    expect(texts.at(-1)).toContain('…')
  })
})

describe('a picture of a dashboard', () => {
  it('has all tiles in order, and is as high as they need', () => {
    const svg = drawSvg(DASHBOARD)
    const height = Number(svg.attributes.find(([name]) => name === 'height')![1])
    expect(height).toBeGreaterThan((DASHBOARD.tiles.length / 2) * 240)
    const titles = DASHBOARD.tiles.flatMap((tile) => (tile.kind === 'text' ? [] : [tile.title]))
    expect(svg.texts.filter((text) => titles.includes(text))).toEqual(titles)
    expect(svg.texts).toEqual(expect.arrayContaining(['All of it', 'First line', 'A second paragraph.']))
  })

  it('is a PNG of that size', () => {
    const { width, height, isBlank } = inspectPng(draw(DASHBOARD, { format: 'image/png', scale: 1 }))
    expect({ width, isBlank }).toEqual({ width: 800, isBlank: false })
    expect(height).toBe(Number(drawSvg(DASHBOARD).attributes.find(([name]) => name === 'height')![1]))
  })

  it('fills the picture with few tiles, and says that there are none', () => {
    const tiles = DASHBOARD.tiles.slice(0, 1)
    expect(inspectPng(draw({ ...DASHBOARD, tiles }, { format: 'image/png', scale: 1 })).height).toBe(400)
    expect(textOf({ ...DASHBOARD, tiles: [] })).toBe('All of it\nNo tiles')
  })

  it('has fewer pixels than it asks for, if they were too many', () => {
    const tiles = Array.from({ length: 40 }, () => INSIGHTS['number']!)
    const { width, height } = inspectPng(draw({ ...DASHBOARD, tiles }, { format: 'image/png', scale: 4 }))
    expect(width * height).toBeLessThanOrEqual(40_100_000)
    expect(width).toBeLessThan(3200)
  })
})

describe('text of users', () => {
  const HOSTILE = [
    '<script>alert(1)</script>',
    '</text><image href="http://evil.example/x.png"/>',
    '"><a xlink:href="javascript:x">',
    '& &amp; &#60; ]]> <!--',
    '{a|b} {b} {c}\n{d}',
    'control \u0000\u0007\u001B end',
    'lone \uD800 and \uDC00',
    '\u202Ereversed\u202C',
    '__proto__',
    '',
  ]

  const contents: [string, InsightTile][] = [
    ...(['ActionsLineGraph', 'ActionsAreaGraph', 'ActionsUnstackedBar'] as const).map(
      (display): [string, InsightTile] => [
        display,
        trends(
          HOSTILE.map((text, order) => trendOf(text, [1, 2, 3], { action: { order }, days: HOSTILE.slice(0, 3) })),
          display,
        ),
      ],
    ),
    ...(['ActionsBarValue', 'ActionsPie', 'BoldNumber', 'ActionsTable'] as const).map(
      (display): [string, InsightTile] => [
        display,
        trends(
          HOSTILE.map((text, order) => totalOf(text, order + 1, { action: { order } })),
          display,
        ),
      ],
    ),
    ['an error', { ...trends([]), error: HOSTILE.join(' ') }],
    ['a table', { ...trends([]), query: { kind: 'HogQLQuery' }, answer: { columns: HOSTILE, results: [HOSTILE] } }],
    [
      'a funnel',
      {
        ...trends([]),
        query: { kind: 'FunnelsQuery' },
        answer: { results: HOSTILE.slice(0, 6).map((name, order) => ({ name, order, count: 6 - order })) },
      },
    ],
    [
      'paths',
      {
        ...trends([]),
        query: { kind: 'PathsQuery' },
        answer: { results: HOSTILE.map((name) => ({ source: `1_${name}`, target: `2_${name}`, value: 1 })) },
      },
    ],
  ]

  it.each(contents)('is only text in %s', (_, content) => {
    for (const title of HOSTILE) {
      const { tags, attributes } = drawSvg({ ...content, title })
      expect(tags).not.toContain('script')
      expect(tags).not.toContain('image')
      expect(tags).not.toContain('a')
      for (const [name, value] of attributes) {
        expect(name).not.toMatch(/href/)
        expect(value).not.toContain('evil.example')
      }
    }
    expect(inspectPng(draw(content, { format: 'image/png' })).isBlank).toBe(false)
  })

  it('is shown as it is written', () => {
    expect(textOf({ ...trends([]), title: '<b>&amp;</b> "x"' })).toContain('<b>&amp;</b> "x"')
  })

  it.each([
    [800, 400],
    [1600, 900],
    [200, 150],
  ])('is cut around a number, which is not cut itself (%i × %i)', (width, height) => {
    for (let count = 1; count <= 6; count += 1) {
      const totals = Array.from({ length: count }, (_, order) => totalOf('a name', 1234567, { action: { order } }))
      expect(textOf(trends(totals, 'BoldNumber'), { width, height })).toContain('1,234,567')
    }
  })

  it('is cut where there is no room', () => {
    const long = 'word '.repeat(2000)
    const texts = drawSvg({ ...trends([trendOf(long, [1, 2])]), title: long }).texts
    for (const text of texts) expect(text.length).toBeLessThan(120)
    expect(texts.filter((text) => text.endsWith('…')).length).toBe(2)
  })

  it('is cut in a legend before a name is left out', () => {
    const names = ['a long name of a series that is cut where it must be', 'second', 'third']
    const { texts } = drawSvg(trends(names.map((name, order) => trendOf(name, [1, 2], { action: { order } }))), {
      width: 400,
      height: 300,
    })
    expect(texts).toEqual(expect.arrayContaining([expect.stringMatching(/^a long.*…$/), 'second', 'third']))
    expect(texts.join()).not.toContain('more')
  })

  it('uses the room beside it in paths, and is cut so that it differs', () => {
    const edge = (source: string, target: string) => ({ source: `1_${source}`, target: `2_${target}`, value: 1 })
    const site = 'https://shop.example'
    const paths = {
      ...trends([]),
      query: { kind: 'PathsQuery' },
      answer: { results: [edge('start', `${site}/shop`), edge('start', `${site}/pay`)] },
    }
    expect(textOf(paths, { width: 800, height: 400 })).toContain(`${site}/shop 1`)
    const narrow = textOf(paths, { width: 200, height: 150 })
    expect(narrow).toMatch(/^\/shop 1$/m)
    expect(narrow).toMatch(/^\/pay 1$/m)
  })
})

describe('a picture of very many numbers', () => {
  /** A spike among a million numbers. */
  const million = Array.from({ length: 1_000_000 }, (_, index) => (index === 765_432 ? 5000 : Math.sin(index) * 1000))
  const days = million.map(() => '2026-01-01 00:00:00')

  it.each(['ActionsLineGraph', 'ActionsBar'])('is small and has its extremes (%s)', (display) => {
    const picture = trends([{ label: 'many', action: null, data: million, days, labels: [] }], display)
    const svg = draw(picture)
    expect(svg.length).toBeLessThan(1_000_000)
    // The axis reaches to the spike.
    expect(parseSvg(svg).texts.join('\n')).toMatch(/^[56],000$/m)
  })

  it('is small with very many rows, columns, slices, steps and series', () => {
    const many = Array.from({ length: 1000 }, (_, index) => index)
    const pictures: InsightTile[] = [
      trends(many.map((order) => trendOf(`series ${order}`, [1, 2], { action: { order } }))),
      ...['ActionsPie', 'ActionsBarValue', 'BoldNumber', 'ActionsTable'].map((display) =>
        trends(
          many.map((order) => totalOf(`series ${order}`, order, { action: { order } })),
          display,
        ),
      ),
      { ...trends([]), query: { kind: 'HogQLQuery' }, answer: { columns: [], results: many.map(() => many) } },
      {
        ...trends([]),
        query: { kind: 'RetentionQuery' },
        answer: {
          results: many.slice(0, 100).map(() => ({ date: '2026-01-01', values: many.map((count) => ({ count })) })),
        },
      },
    ]
    for (const picture of pictures) expect(draw(picture).length).toBeLessThan(3_000_000)
  })
})
