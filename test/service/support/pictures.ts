import { inflateSync } from 'node:zlib'
import { SaxesParser } from 'saxes'
import type { DrawingKit } from '../../../src/service/export/picture/draw-picture.ts'
import { DEFAULT_PICTURE } from '../../../src/service/export/picture/picture.ts'
import type {
  DashboardPicture,
  InsightPicture,
  InsightTile,
  PictureRequest,
} from '../../../src/service/export/picture/picture.ts'
import { findMainFont } from '../../../src/service/export/picture/text/find-fonts.ts'
import { createFontLibrary } from '../../../src/service/export/picture/text/font-library.ts'
import type { FontLibrary } from '../../../src/service/export/picture/text/font-library.ts'
import { measureShaped } from '../../../src/service/export/picture/text/measure-shaped.ts'
import { createRuler } from '../../../src/service/export/picture/text/ruler.ts'
import type { Json } from '../../../src/wire/json.ts'

/** The fonts that come with the service, and those at the paths. */
export const openLibrary = (further: readonly string[] = [], warnings: string[] = []): FontLibrary =>
  createFontLibrary({ main: findMainFont(), further, onWarning: (message) => warnings.push(message) })

export const createKit = (library = openLibrary()): DrawingKit => ({
  library,
  ruler: createRuler(library, measureShaped),
})

/** A day of January 2026 and later. */
const dayOf = (index: number): string => new Date(Date.UTC(2026, 0, 1 + index)).toISOString().slice(0, 10)

const daysOf = (count: number): string[] => Array.from({ length: count }, (_, index) => dayOf(index))

/** A line of the answer to a query of trends. */
export const trendOf = (label: string, data: readonly (number | null)[], fields: object = {}): Json => ({
  label,
  action: { order: 0 },
  data,
  days: daysOf(data.length),
  labels: daysOf(data.length),
  count: 0,
  ...fields,
})

/** A line of the answer with one number. */
export const totalOf = (label: string, value: number, fields: object = {}): Json => ({
  ...(trendOf(label, []) as object),
  aggregated_value: value,
  ...fields,
})

export const trends = (
  results: readonly Json[],
  display = 'ActionsLineGraph',
  fields: object = {},
): InsightPicture => ({
  kind: 'insight',
  title: 'A trend',
  query: { kind: 'InsightVizNode', source: { kind: 'TrendsQuery', trendsFilter: { display }, ...fields } },
  answer: { results, timezone: 'UTC' },
})

const insight = (kind: string, results: Json, fields: object = {}): InsightPicture => ({
  kind: 'insight',
  title: kind,
  query: { kind, ...fields },
  answer: { results },
})

const step = (name: string, count: number, order: number, fields: object = {}): Json => ({
  name,
  count,
  order,
  custom_name: null,
  ...fields,
})

const numbers = (count: number, top: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.round(top * (0.6 + 0.4 * Math.sin(index))))

const BROWSERS = ['Chrome', 'Safari', 'Firefox']

const byBrowser = (create: (browser: string, fields: object) => Json): Json[] =>
  BROWSERS.map((browser) => create(browser, { breakdown_value: browser }))

/** An answer of each kind, and of each way to show it. */
export const INSIGHTS: Readonly<Record<string, InsightTile>> = {
  lines: trends([trendOf('viewed', numbers(30, 500)), trendOf('bought', numbers(30, 90), { action: { order: 1 } })]),
  comparison: trends([
    trendOf('viewed', numbers(30, 500), { compare: true, compare_label: 'current' }),
    trendOf('viewed', numbers(30, 400), { compare: true, compare_label: 'previous' }),
  ]),
  areas: trends(
    byBrowser((browser, fields) => trendOf(browser, numbers(30, 300), fields)),
    'ActionsAreaGraph',
  ),
  bars: trends([trendOf('viewed', numbers(12, 500))], 'ActionsUnstackedBar'),
  'stacked bars': trends(
    byBrowser((browser, fields) => trendOf(browser, numbers(12, 300), fields)),
    'ActionsBar',
  ),
  ranking: trends(
    byBrowser((browser, fields) => totalOf(browser, browser.length * 1000, fields)),
    'ActionsBarValue',
  ),
  pie: trends(
    byBrowser((browser, fields) => totalOf(browser, browser.length * 1000, fields)),
    'ActionsPie',
  ),
  number: trends(
    [
      totalOf('viewed', 1234567, { compare_label: 'current' }),
      totalOf('viewed', 1000000, { compare_label: 'previous' }),
    ],
    'BoldNumber',
  ),
  totals: trends([totalOf('viewed', 1234567), totalOf('bought', 12)], 'ActionsTable'),
  map: trends([totalOf('DE', 12, { breakdown_value: 'DE' })], 'WorldMap'),
  funnel: insight('FunnelsQuery', [step('viewed', 1000, 0), step('carted', 400, 1), step('bought', 100, 2)]),
  'funnel by browser': insight(
    'FunnelsQuery',
    BROWSERS.map((browser) => [
      step('viewed', 1000, 0, { breakdown_value: [browser] }),
      step('bought', browser.length * 50, 1, { breakdown_value: [browser] }),
    ]),
  ),
  'funnel over time': insight(
    'FunnelsQuery',
    [{ count: 10, data: numbers(10, 80), days: daysOf(10), labels: daysOf(10) }],
    { funnelsFilter: { funnelVizType: 'trends' } },
  ),
  'times to convert': insight(
    'FunnelsQuery',
    {
      bins: [
        [0, 10],
        [3600, 20],
        [7200, 5],
      ],
      average_conversion_time: 3000,
    },
    { funnelsFilter: { funnelVizType: 'time_to_convert' } },
  ),
  retention: insight(
    'RetentionQuery',
    [4, 3, 2, 1].map((count, index) => ({
      date: `${dayOf(index)}T00:00:00Z`,
      label: `Day ${index}`,
      values: Array.from({ length: count }, (_, after) => ({ count: 100 - 30 * after, label: `Day ${after}` })),
    })),
    { retentionFilter: { period: 'Day' } },
  ),
  stickiness: insight('StickinessQuery', [
    {
      label: 'viewed',
      action: { order: 0 },
      data: [90, 40, 10],
      days: [1, 2, 3],
      labels: ['1 day', '2 days', '3 days'],
    },
  ]),
  lifecycle: insight(
    'LifecycleQuery',
    ['new', 'returning', 'resurrecting', 'dormant'].map((status) => ({
      status,
      label: `viewed - ${status}`,
      data: numbers(10, status === 'dormant' ? -80 : 100),
      days: daysOf(10),
      labels: daysOf(10),
    })),
  ),
  paths: insight('PathsQuery', [
    { source: '1_/', target: '2_/shop', value: 30, average_conversion_time: 1 },
    { source: '2_/shop', target: '3_/cart', value: 20, average_conversion_time: 1 },
  ]),
  table: {
    ...insight('HogQLQuery', [
      ['viewed', 12345.5, null, { a: 1 }],
      ['bought', 12, true, [1, 2]],
    ]),
    answer: {
      columns: ['event', 'count', 'flag', 'object'],
      results: [
        ['viewed', 12345.5, null, { a: 1 }],
        ['bought', 12, true, [1, 2]],
      ],
      hasMore: true,
    },
  },
  'one point': trends([trendOf('viewed', [42])]),
  'one period of areas': trends([trendOf('viewed', [42])], 'ActionsAreaGraph'),
  gaps: trends([trendOf('rate', [1, null, 3, 4, null, null, 7])]),
  zeros: trends([trendOf('viewed', [0, 0, 0])]),
  'no data': trends([]),
  error: { ...trends([]), error: 'The query took more than 30 s.' },
}

export const DASHBOARD: DashboardPicture = {
  kind: 'dashboard',
  title: 'All of it',
  tiles: [...Object.values(INSIGHTS), { kind: 'text', text: 'First line\n\nA second paragraph.' }],
}

export const requestOf = (
  content: PictureRequest['content'],
  fields: Partial<PictureRequest> = {},
): PictureRequest => ({ ...DEFAULT_PICTURE, format: 'image/svg+xml', content, ...fields })

/** What an SVG consists of. */
export interface ParsedSvg {
  readonly tags: readonly string[]
  readonly texts: readonly string[]
  /** Names with values. */
  readonly attributes: readonly (readonly [name: string, value: string])[]
}

/** Parses XML strictly: throws unless it is well-formed. */
export const parseSvg = (bytes: Uint8Array): ParsedSvg => {
  const tags: string[] = []
  const texts: string[] = []
  const attributes: [string, string][] = []
  const parser = new SaxesParser({ xmlns: false })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', (tag) => {
    tags.push(tag.name)
    attributes.push(...Object.entries(tag.attributes))
  })
  parser.on('text', (text) => {
    if (text.trim() !== '') texts.push(text)
  })
  parser.write(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).close()
  return { tags, texts, attributes }
}

const PNG_HEAD = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** The size of a PNG, and whether all its pixels are equal. */
export const inspectPng = (bytes: Uint8Array): { width: number; height: number; isBlank: boolean } => {
  const file = Buffer.from(bytes)
  if (PNG_HEAD.some((byte, index) => file[index] !== byte)) throw new Error('This is not a PNG.')
  const data: Buffer[] = []
  for (let offset = 8; offset < file.length;) {
    const length = file.readUInt32BE(offset)
    if (file.toString('latin1', offset + 4, offset + 8) === 'IDAT')
      data.push(file.subarray(offset + 8, offset + 8 + length))
    offset += length + 12
  }
  const width = file.readUInt32BE(16)
  const pixels = inflateSync(Buffer.concat(data))
  const height = file.readUInt32BE(20)
  return { width, height, isBlank: hasEqualPixels(pixels, width * 4 + 1) }
}

/** Rows are stored as differences to the pixel before or above: those of equal pixels are zero, but for the first one. */
const hasEqualPixels = (rows: Buffer, rowLength: number): boolean => {
  for (let start = 0; start < rows.length; start += rowLength) {
    const filter = rows[start]!
    // Of a row without a filter all pixels are compared with the first one.
    const row = rows.subarray(start + 1, start + rowLength)
    const rest = row.subarray(4)
    const isEqual = filter === 0 ? rest.equals(row.subarray(0, -4)) : rest.every((byte) => byte === 0)
    if (!isEqual) return false
  }
  return true
}
