import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const MAX_ROOT_WORDS = 1_200

const READMES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*README.md'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => existsSync(path))

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

it(`the root README has at most ${MAX_ROOT_WORDS} words`, () => {
  expect(readFileSync('README.md', 'utf8').split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(MAX_ROOT_WORDS)
})

it('the READMEs require the Node version that the packages require', () => {
  for (const folder of ['.', 'src/service']) {
    const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { engines: { node: string } }
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(`Node ${engines.node.replace('>=', '')} or later`)
  }
})
