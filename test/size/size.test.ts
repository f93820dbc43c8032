import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { bundle, measureSizes } from './measure.mjs'

const sizes: Record<string, { readonly gzip: number; readonly brotli: number }> = await measureSizes()
const budgets = JSON.parse(await readFile('test/size/budget.json', 'utf8')) as Record<string, number>
const readme = await readFile('test/bench/README.md', 'utf8')

const toKilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} KB`

describe('the size of what users download', () => {
  it('has a budget for every entry', () => {
    expect(Object.keys(sizes).sort()).toEqual(Object.keys(budgets).sort())
  })

  it.each(Object.entries(sizes))('%s stays within its budget after gzip', (entry, { gzip }) => {
    expect(gzip).toBeLessThanOrEqual(budgets[entry]!)
  })

  it('is at most 1,500 bytes larger with the calls of posthog-js', () => {
    const sizeOf = (entry: string): number => sizes[entry]!.gzip
    const difference = sizeOf("import posthog from 'waymark/compat'") - sizeOf("import { init } from 'waymark/full'")
    expect(difference).toBeLessThanOrEqual(1_500)
  })

  it.each(Object.entries(sizes))('the README states the current size of %s', (entry, { gzip, brotli }) => {
    expect(readme).toContain(`| \`${entry}\` | ${toKilobytes(gzip)} | ${toKilobytes(brotli)} |`)
  })
})

/** A word of the code of each part. */
const WORDS = { flags: '$feature_flag_called', surveys: 'survey shown', tracing: 'x-posthog-distinct-id' }

describe('the code of parts that are not passed in', () => {
  it.each([
    ['all of them', 'entry-browser', ['flags', 'surveys', 'tracing']],
    ['surveys and tracing', 'entry-without-flags', ['surveys', 'tracing']],
    ['none', 'entry-capture', []],
  ])('is not in a bundle with %s', async (_, entry, parts) => {
    const code: string = await bundle(`test/size/${entry}.js`)
    const included = Object.entries(WORDS).filter(([, word]) => code.includes(word))
    expect(included.map(([part]) => part)).toEqual(parts)
  })
})
