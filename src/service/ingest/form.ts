/** What stands around a body and says how it is to be read. Stored beside the body in the inbox, as JSON. */
export interface BodyForm {
  /** `form` for `application/x-www-form-urlencoded`; every other content type is read by its content. */
  readonly type?: 'form'
  /** Query parameter `compression`, or else the header `Content-Encoding`, in lower case: `gzip`, `gzip-js`, `lz64`, `base64`. Only hints: gzip shows itself. */
  readonly compression?: string
  /** Query parameter `_`: when the request was sent, in milliseconds since 1970 by the sender's clock. */
  readonly sentAt?: number
  /** `engage`: what is in the body are updates of people. */
  readonly endpoint?: 'engage'
}

/** The parts of an HTTP request that make a form. */
export interface FormSource {
  readonly contentType: string | undefined
  readonly contentEncoding?: string | undefined
  readonly query: Readonly<Record<string, unknown>>
}

/** The content type of a form. */
export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Whether a content type says that the body is a form. */
export const isForm = (contentType: string): boolean => contentType.trim().toLowerCase().startsWith(FORM_TYPE)

/** Reads the form of a request. Parameters that make no sense are left out. */
export const formOf = ({ contentType, contentEncoding, query }: FormSource): BodyForm => {
  const form: { -readonly [Key in keyof BodyForm]: BodyForm[Key] } = {}
  if (contentType !== undefined && isForm(contentType)) form.type = 'form'
  const compression = query['compression'] ?? contentEncoding
  if (typeof compression === 'string' && compression !== '') form.compression = compression.trim().toLowerCase()
  const sentAt = typeof query['_'] === 'string' ? Number(query['_']) : Number.NaN
  if (Number.isSafeInteger(sentAt) && sentAt > 0) form.sentAt = sentAt
  return form
}
