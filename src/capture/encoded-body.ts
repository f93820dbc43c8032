/** Encoding of a request body: gzip bytes, the lz64 form, or plain JSON. All three use CORS-safelisted content types. */
export type Encoding = 'gzip' | 'lz64' | 'plain'

/** A request body with its size before and after encoding, for `onSend`. */
export interface EncodedBody {
  readonly body: string | Uint8Array
  readonly contentType: string
  readonly encoding: Encoding
  /** Characters of JSON before compression. */
  readonly bytesBefore: number
  /** Bytes of the body that is sent. */
  readonly bytesAfter: number
}

/** Shorter bodies gain nothing from compression: the gzip frame alone has 18 bytes. */
const MIN_COMPRESSED_LENGTH = 200

/** Whether compression can make a body smaller, and is not disabled. */
export const isWorthCompressing = (json: string, isDisabled: boolean): boolean =>
  !isDisabled && json.length >= MIN_COMPRESSED_LENGTH
