import { readdirSync, readFileSync } from 'node:fs'
import type { JsonObject } from '../../src/wire/json.ts'

/** One request on the wire and its meaning. The tests of the agent and of the service read the same files. */
export interface Vector {
  readonly description: string
  /** `agent`: exactly the bytes that the agent writes. `field`: what other senders of the protocol write. */
  readonly sender: 'agent' | 'field'
  /** Encoding that the agent used. */
  readonly encoding?: 'gzip' | 'lz64' | 'plain'
  /** The JSON inside the body. */
  readonly json: string
  readonly request: {
    readonly method: 'POST'
    readonly path: string
    readonly contentType: string
    readonly contentEncoding?: string
    readonly query?: Readonly<Record<string, string>>
    readonly body: { readonly text: string } | { readonly base64: string }
  }
  /** ISO 8601. */
  readonly receivedAt: string
  readonly apiKey: string
  /** The events that are stored, without dropped ones. */
  readonly events: readonly {
    readonly index: number
    readonly uuid?: string
    readonly event: string
    readonly distinctId: string
    /** ISO 8601, after all corrections. */
    readonly timestamp: string
    readonly properties: JsonObject
  }[]
}

const folder = new URL('.', import.meta.url)

/** All vectors by file name. */
export const vectors: readonly (readonly [string, Vector])[] = readdirSync(folder)
  // Responses (flags) have another form and their own tests.
  .filter((file) => /^(batch|capture|field)-.*\.json$/.test(file))
  .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, folder), 'utf8'))])

/** The bytes of the request body. */
export const bytesOf = ({ request: { body } }: Vector): Uint8Array =>
  'text' in body ? new TextEncoder().encode(body.text) : Buffer.from(body.base64, 'base64')
