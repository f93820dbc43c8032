import type { SendAnswer } from '../../../port/send.ts'
import type { FlagDefinitions } from '../../../wire/definition.ts'

/** Definitions that came from somewhere. */
export interface FoundDefinitions {
  readonly definitions: FlagDefinitions
  /** Their JSON: the same text is the same definitions. */
  readonly text: string
  /** The entity tag by which the service knows them. */
  readonly etag: string | undefined
}

/** What is wrong. */
export interface Reason {
  readonly why: string
  /** What somebody else says of it, for people: it may be worded anew each time ("available in 59 seconds"), and is the same reason. */
  readonly detail?: string | undefined
}

/** What an answer about definitions means. */
export type Verdict =
  | { readonly kind: 'found'; readonly found: FoundDefinitions }
  /** Those that are held are the newest; they may have a new tag. */
  | { readonly kind: 'same'; readonly etag: string | undefined }
  /** The quota is used up: flags are not to be evaluated here. */
  | ({ readonly kind: 'paused' } & Reason)
  /** The service wants to be asked less often, or by somebody else. Those that are held stay. */
  | ({ readonly kind: 'refused' } & Reason)
  /** Nothing was learned. Those that are held stay. */
  | ({ readonly kind: 'failed' } & Reason)

/** @param held What the service was told is here, if anything. */
export const judgeAnswer = (
  { status, body, etag }: Pick<SendAnswer, 'status' | 'body' | 'etag'>,
  held: Pick<FoundDefinitions, 'etag'> | undefined,
): Verdict => {
  if (status === 200) return judgeText(body, etag ?? undefined)
  if (status === 304 && held) return { kind: 'same', etag: etag ?? held.etag }
  const reason = { why: status ? `status ${status}` : 'no answer, or a redirect', detail: detailOf(body) }
  if (status === 402) return { kind: 'paused', ...reason }
  return { kind: [401, 403, 429].includes(status) ? 'refused' : 'failed', ...reason }
}

/** Judges what should be definitions. */
export const judgeText = (text: string, etag: string | undefined): Verdict => {
  const definitions = parsed(text)
  return isDefinitions(definitions)
    ? { kind: 'found', found: { definitions, text, etag } }
    : { kind: 'failed', why: 'the answer holds no flag definitions' }
}

/** Without `flags` it is something else, however well it is formed. */
export const isDefinitions = (given: unknown): given is FlagDefinitions =>
  Array.isArray((given as Partial<FlagDefinitions> | null | undefined)?.flags)

/** The longest text of somebody else in a warning. */
const DETAIL_MAX_LENGTH = 200

/** What the service says itself, for people. */
const detailOf = (body: string): string | undefined => {
  const detail = (parsed(body) as { readonly detail?: unknown } | null | undefined)?.detail
  return typeof detail === 'string' ? detail.slice(0, DETAIL_MAX_LENGTH) : undefined
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
