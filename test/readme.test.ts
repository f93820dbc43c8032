import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from '../src/agent/node/options.ts'
import { applyDefaults } from '../src/agent/options.ts'
import { withDefaults } from '../src/service/config.ts'
import {
  MAX_EVENT_BYTES,
  MAX_EVENT_LEVELS,
  MAX_EVENT_NAME_CHARACTERS,
  MAX_FLAG_VALUE_CHARACTERS,
  MAX_GROUP_KEY_CHARACTERS,
  MAX_ID_CHARACTERS,
  MAX_PAGE_BYTES,
  MAX_PERSON_PROPERTIES_BYTES,
  MAX_PROPERTY_NAME_CHARACTERS,
  MAX_SHOWN_VALUE_BYTES,
} from '../src/wire/bounds.ts'

const MAX_ROOT_WORDS = 1_200
const MAX_AGENT_WORDS = 2_300

/** Folders that hold no file of the repository. */
const IGNORED_FOLDERS = /(^|\/)(node_modules|dist|\.[^/]*)(\/|$)/

const READMES = readdirSync('.', { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('README.md') && !IGNORED_FOLDERS.test(path),
)

/** The files of a package that `npm pack` ships, from its `files`; npm always adds its README. */
const shippedReadmes = (folder: string): string[] => {
  const { files } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { files: string[] }
  return ['README.md', ...files.filter((file) => file.endsWith('.md'))].map((file) => normalize(join(folder, file)))
}

const withoutCode = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')

const linksOf = (path: string): string[] =>
  [...withoutCode(readFileSync(path, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))

const fileOf = (path: string, target: string): string => {
  const [file = ''] = target.split('#')
  return file === '' ? path : normalize(join(dirname(path), file))
}

/** The anchor that GitHub and npm give a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

const anchorsIn = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => anchorOf(heading!))

describe.each(READMES)('%s', (path) => {
  it('links to files and headings that exist', () => {
    for (const target of linksOf(path)) {
      const file = fileOf(path, target)
      expect(existsSync(file), `${target} in ${path}`).toBe(true)
      const [, anchor] = target.split('#')
      if (anchor !== undefined) expect(anchorsIn(file), `${target} in ${path}`).toContain(anchor)
    }
  })
})

it.each(READMES.filter((path) => path !== 'README.md'))('%s lists its sections in a table of contents', (path) => {
  const sections = [...readFileSync(path, 'utf8').matchAll(/^## (.*)$/gm)].map(
    ([, heading]) => `#${anchorOf(heading!)}`,
  )
  expect(linksOf(path)).toEqual(expect.arrayContaining(sections))
})

it.each(['.', 'src/service'])('the package in %s ships every README that its READMEs link to', (folder) => {
  const shipped = shippedReadmes(folder)
  for (const path of shipped) {
    const linked = linksOf(path).map((target) => fileOf(path, target))
    expect(shipped, `links of ${path}`).toEqual(expect.arrayContaining(linked))
  }
})

it.each([
  ['README.md', MAX_ROOT_WORDS],
  ['src/agent/README.md', MAX_AGENT_WORDS],
])('%s has at most %i words', (path, maxWords) => {
  expect(readFileSync(path, 'utf8').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(maxWords)
})

it('the READMEs require the Node version that the packages require', () => {
  for (const folder of ['.', 'src/service']) {
    const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { engines: { node: string } }
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(`Node ${engines.node.replace('>=', '')} or later`)
  }
})

/** The second cell of the table row that begins with this cell. */
const secondCell = (path: string, first: string): string | undefined => {
  const row = readFileSync(path, 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| ${first} |`))
  return row?.split(' | ')[1]
}

const ignore = (): void => undefined
const page = applyDefaults({}, ignore)
const node = resolveNodeOptions({}, ignore)
const service = withDefaults()
const count = (value: number): string => value.toLocaleString('en-US')
const mebibytes = (bytes: number): string => `${bytes / 2 ** 20} MiB`

it.each([
  [
    'src/agent/README.md',
    '`flushAt`, `flushInterval`',
    `${count(page.flushAt)} events, ${count(page.flushInterval)} ms`,
  ],
  ['src/agent/README.md', '`maxQueueSize`', count(page.maxQueueSize)],
  [
    'src/agent/node/README.md',
    '`flushAt`, `flushInterval`',
    `${count(node.flushAt)} events, ${count(node.flushInterval)} ms`,
  ],
  [
    'src/agent/node/README.md',
    '`maxQueueSize`, `maxQueueBytes`',
    `${count(node.maxQueueSize)} events, ${mebibytes(node.maxQueueBytes)}`,
  ],
  ['src/agent/node/README.md', '`featureFlagsRequestTimeoutMs`', `${count(node.featureFlagsRequestTimeoutMs)} ms`],
  ['src/agent/node/README.md', '`featureFlagsRequestMaxRetries`', count(node.featureFlagsRequestMaxRetries)],
  ['src/agent/node/README.md', '`maxFlagCalledEntries`', count(node.maxFlagCalledEntries)],
  [
    'src/service/README.md',
    '`--max-buffered-bytes` (`WAYMARK_MAX_BUFFERED_BYTES`)',
    mebibytes(service.maxBufferedBytes),
  ],
  ['src/service/README.md', '`--max-unsent-bytes` (`WAYMARK_MAX_UNSENT_BYTES`)', mebibytes(service.maxUnsentBytes)],
  ['src/service/README.md', '`--max-body-bytes` (`WAYMARK_MAX_BODY_BYTES`)', mebibytes(service.maxBodyBytes)],
  [
    'src/service/README.md',
    '`--inbox-limit-bytes` (`WAYMARK_INBOX_LIMIT_BYTES`)',
    `${service.inboxLimitBytes / 2 ** 30} GiB`,
  ],
  [
    'src/service/README.md',
    '`--store-memory-mb`, `--max-open-stores`',
    `${service.storeMemoryMb}, ${service.maxOpenStores}`,
  ],
])('%s states the default of %s', (path, option, text) => {
  expect(secondCell(path, option)).toBe(text)
})

const kibibytes = (bytes: number): string => `${bytes / 2 ** 10} KiB`

/** Bounds of what agents send. */
const EVENT_BOUNDS = [
  ['event name', `${MAX_EVENT_NAME_CHARACTERS} characters`],
  ['distinct id, alias, `$anon_distinct_id`, `$device_id`', `${MAX_ID_CHARACTERS} characters`],
  ['group type and key', `${MAX_GROUP_KEY_CHARACTERS} characters`],
  ['property name', `${MAX_PROPERTY_NAME_CHARACTERS} characters`],
  ['objects and lists in each other', `${MAX_EVENT_LEVELS} levels`],
  ['one event', `${mebibytes(MAX_EVENT_BYTES)} of JSON`],
] as const
const OTHER_BOUNDS = [
  ['properties of a person or group', `${kibibytes(MAX_PERSON_PROPERTIES_BYTES)} of JSON`],
  ['value in a list or `*`', kibibytes(MAX_SHOWN_VALUE_BYTES)],
  ['page of a list', mebibytes(MAX_PAGE_BYTES)],
  ['value in a flags request', kibibytes(MAX_FLAG_VALUE_CHARACTERS)],
] as const

it.each([...EVENT_BOUNDS, ...OTHER_BOUNDS])('the README of the service states the bound of %s', (what, text) => {
  expect(secondCell('src/service/README.md', what)).toBe(text)
})

it.each(EVENT_BOUNDS)('the README of events states the bound of %s', (what, text) => {
  expect(secondCell('src/capture/README.md', what)).toBe(text)
})

/** Paths below `src/` that the root README names. */
const sourcePaths = [
  ...readFileSync('README.md', 'utf8').matchAll(/`((?:capture|flags|service|evaluate|platform)\/[\w/-]+)`/g),
].map(([, path]) => path!)

it.each(sourcePaths)('the root README names src/%s, which exists', (path) => {
  expect([`src/${path}`, `src/${path}.ts`].some((candidate) => existsSync(candidate))).toBe(true)
})
