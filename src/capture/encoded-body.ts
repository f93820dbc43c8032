/** How a body travels: gzip bytes, the lz64 form, or JSON as it is. All three are CORS-safelisted content types. */
export type Encoding = 'gzip' | 'lz64' | 'plain'

/** A body as it goes out, and what it was before: the demo's panel and the bench show both sizes. */
export interface EncodedBody {
  readonly body: string | Uint8Array
  readonly contentType: string
  readonly encoding: Encoding
  /** Characters of JSON before compression. */
  readonly bytesBefore: number
  /** Bytes of the body that goes out. */
  readonly bytesAfter: number
}

/** Bodies below this many characters gain nothing from compression: the gzip frame alone is 18 bytes. */
const COMPRESS_FROM = 200

/** Whether compression may make a body smaller. */
export const isWorthIt = (json: string, isDisabled: boolean): boolean => !isDisabled && json.length >= COMPRESS_FROM
