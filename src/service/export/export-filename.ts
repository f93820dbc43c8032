import { cutString } from '../../wire/cut-string.ts'
import type { ExportFormat } from './export-format.ts'
import { stripInvisible } from './strip-invisible.ts'

/** Longest name without its ending, in characters. */
const MAX_LENGTH = 100

/**
 * The name of the file: what the client chose, else `export-` and the title.
 *
 * @param chosen With or without the ending of the format; null for none.
 * @param title Null for none.
 */
export const createFilename = (
  chosen: string | null,
  title: string | null,
  { extension }: Pick<ExportFormat, 'extension'>,
): string => {
  const ending = `.${extension}`
  const visible = chosen === null ? null : stripInvisible(chosen)
  const wanted = visible?.toLowerCase().endsWith(ending) ? visible.slice(0, -ending.length) : visible
  return `${(wanted && clean(wanted)) || `export-${toSlug(stripInvisible(title ?? '')) || 'query'}`}${ending}`
}

/** Without what file systems refuse, or what hides a file. */
const clean = (name: string): string =>
  // oxlint-disable-next-line no-control-regex -- file systems refuse them
  cutString(name.replace(/[\0-\x1F\x7F-\x9F\u2028\u2029<>:"/\\|?*]+/g, '-'), MAX_LENGTH).replace(/^[\s.]+|[\s.]+$/g, '')

const toSlug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-+|[-\uD800-\uDBFF]+$/g, '')
