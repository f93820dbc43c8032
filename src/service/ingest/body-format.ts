import { isNonEmptyString } from '../../wire/is-non-empty-string.ts'

/**
 * How to decode a body, from the headers and the query of its request. The inbox stores it as JSON with the body, so its field
 * names must not change.
 */
export interface BodyFormat {
  /** `form` for `application/x-www-form-urlencoded`; all other bodies are recognised by their content. */
  readonly type?: 'form'
  /**
   * Query parameter `compression`, or else the header `Content-Encoding`, in lower case: `gzip`, `gzip-js`, `lz64`, `base64`.
   * Only a hint: gzip is recognised by its first bytes.
   */
  readonly compression?: string
  /** Query parameter `_`: when the request was sent, in milliseconds since 1970 by the sender's clock. */
  readonly sentAt?: number
  /** `engage`: the body contains person updates. */
  readonly endpoint?: 'engage'
}

/** The parts of an HTTP request that determine the format. */
export interface BodyFormatSource {
  readonly contentType: string | undefined
  readonly contentEncoding?: string | undefined
  readonly query: Readonly<Record<string, unknown>>
}

/** The content type of a form. */
export const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded'

/** Whether a content type is that of a form, with or without parameters. */
export const isFormContentType = (contentType: string): boolean =>
  contentType.trim().toLowerCase().startsWith(FORM_CONTENT_TYPE)

/** Creates the format of a request's body. Invalid parameters are ignored. */
export const createBodyFormat = ({ contentType, contentEncoding, query }: BodyFormatSource): BodyFormat => {
  const format: { -readonly [Key in keyof BodyFormat]: BodyFormat[Key] } = {}
  if (contentType !== undefined && isFormContentType(contentType)) format.type = 'form'
  const compression = query['compression'] ?? contentEncoding
  if (isNonEmptyString(compression)) format.compression = compression.trim().toLowerCase()
  const sentAt = typeof query['_'] === 'string' ? Number(query['_']) : Number.NaN
  if (Number.isSafeInteger(sentAt) && sentAt > 0) format.sentAt = sentAt
  return format
}
