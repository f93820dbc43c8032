import type { SendRequest } from '../port/send.ts'

/** Encoding of a request body: gzip bytes, the lz64 form, or plain JSON. All three use CORS-safelisted content types. */
export type Encoding = 'gzip' | 'lz64' | 'plain'

/** A request body with its size, for `onSend`. */
export interface EncodedBody extends Pick<SendRequest, 'body' | 'contentType' | 'headers'> {
  readonly sizes: BodySizes
}

export interface BodySizes {
  readonly encoding: Encoding
  /** Bytes of the body that is sent. */
  readonly bytesAfter: number
}

/** Shorter bodies gain nothing from compression: the gzip frame alone has 18 bytes. */
const MIN_COMPRESSED_LENGTH = 200

/** Whether compression can make a body smaller. */
export const isWorthCompressing = (json: string): boolean => json.length >= MIN_COMPRESSED_LENGTH
