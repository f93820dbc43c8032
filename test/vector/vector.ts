import { readdirSync, readFileSync } from 'node:fs'
import type { JsonObject } from '../../src/wire/json.ts'

/** One request as it stands on the wire, and what it means. Both ends read the same files. */
export interface Vector {
  readonly description: string
  /** `agent`: what the agent writes, byte for byte. `field`: what other senders of the protocol write. */
  readonly sender: 'agent' | 'field'
  /** How the agent encoded it. */
  readonly encoding?: 'gzip' | 'lz64' | 'plain'
  /** The JSON text inside the body. */
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
  /** The events that are stored, without those that are dropped. */
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

/** All vectors by their file's name. */
export const vectors: readonly (readonly [string, Vector])[] = readdirSync(folder)
  // What crosses the network the other way (flags) has a form and tests of its own.
  .filter((file) => /^(batch|capture|field)-.*\.json$/.test(file))
  .map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(new URL(file, folder), 'utf8'))])

/** The body's bytes. */
export const bytesOf = ({ request: { body } }: Vector): Uint8Array =>
  'text' in body ? new TextEncoder().encode(body.text) : Buffer.from(body.base64, 'base64')
