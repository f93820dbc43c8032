import type { JsonObject } from '../../wire/json.ts'
import type { Export } from '../store/metadata/exports.ts'
import type { Metadata } from '../store/metadata/open.ts'
import type { ContentParts, ContentOptions } from './create-content.ts'
import { createContent } from './create-content.ts'
import { explainQueryError } from './explain-error.ts'
import { ExportError } from './export-error.ts'
import type { Content } from './export-format.ts'
import { EXPORT_FORMATS } from './export-format.ts'
import { loadSubject } from './export-subject.ts'
import type { Renderer } from './picture/renderer.ts'

/** Dependencies of `prepareContent`. */
export interface PrepareContentParts {
  readonly metadata: Metadata
  /** Creates the functions that ask the queries of one job; they are cancelled when the signal is aborted. */
  readonly createAsk: (job: Export, signal: AbortSignal) => Pick<ContentParts, 'ask' | 'askForAll'>
  readonly renderer: Pick<Renderer, 'render'>
}

/** Reads what a job exports, and starts to make its content. Rejects with `ExportError`. */
export const prepareContent = async (
  job: Export,
  signal: AbortSignal,
  { metadata, createAsk, renderer }: PrepareContentParts,
): Promise<Content> => {
  const format = EXPORT_FORMATS.get(job.format)
  if (format === undefined) throw new ExportError(`This version of the service cannot export ${job.format}.`)
  return createContent(await loadSubject(metadata, job), format, readOptions(job.context), {
    ...createAsk(job, signal),
    explain: explainQueryError,
    renderer,
    signal,
  })
}

const OPTIONS = ['width', 'height', 'scale', 'theme', 'bom', 'raw'] as const

/** The request that created the export was checked; a field may be null. */
const readOptions = (context: JsonObject): ContentOptions =>
  Object.fromEntries(OPTIONS.flatMap((name) => ((context[name] ?? null) === null ? [] : [[name, context[name]]])))
