import { readFileSync } from 'node:fs'

/** One code block of a README. */
export interface ReadmeBlock {
  /** The heading above it. */
  readonly section: string
  /** The word after the backticks, such as `tsx`. */
  readonly language: string
  /** The path in its first line, if that is a comment: `// src/main.tsx` or `# .env`. */
  readonly path: string | undefined
  /** Without the comment, and without a line break at its end. */
  readonly code: string
}

/** Reads the code blocks of a README, so that tests run what users copy. */
export const readBlocks = (readme: string): readonly ReadmeBlock[] => {
  let section = ''
  const blocks: ReadmeBlock[] = []
  for (const [, heading, language, body] of readFileSync(readme, 'utf8').matchAll(
    /^(?:#+ (.*)|```(\w+)\n([\s\S]*?)\n```)$/gm,
  )) {
    if (heading !== undefined) section = heading
    else {
      const [, path, code] = /^(?:\/\/|#) ([\w./-]+)\n([\s\S]*)$/.exec(body!) ?? [undefined, undefined, body!]
      blocks.push({ section, language: language!, path, code })
    }
  }
  return blocks
}

/** The recipes for users. */
export const RECIPES = 'src/agent/recipes/README.md'

/** Puts a real project key and the URL of a real service in place of the examples. */
export const fillIn = (code: string, { apiKey, url }: { readonly apiKey: string; readonly url: string }): string =>
  code.replaceAll('wm_…', apiKey).replaceAll('https://analytics.example.com', url)

/** The blocks of a section that are files, by path, filled in. */
export const readFiles = (
  readme: string,
  section: string,
  service: Parameters<typeof fillIn>[1],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readBlocks(readme)
      .filter((block) => block.section === section && block.path !== undefined)
      .map(({ path, code }) => [path!, fillIn(code, service)]),
  )
