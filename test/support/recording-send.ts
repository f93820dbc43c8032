import type { Send, SendResponse, SendRequest } from '../../src/port/send.ts'

/** A fake network that records requests and returns the test's responses. */
export interface RecordingSend {
  readonly send: Send
  readonly requests: SendRequest[]
  /** The parsed JSON bodies; throws for a binary body. */
  bodies(): Record<string, unknown>[]
}

/** A response of the test: a status, or a status with a JSON body. */
export type ScriptedResponse = number | readonly [status: number, body: unknown]

/** @param respond Called for each request with its index. */
export const recordingSend = (
  respond: (request: SendRequest, index: number) => ScriptedResponse | Promise<ScriptedResponse>,
): RecordingSend => {
  const requests: SendRequest[] = []
  return {
    requests,
    bodies: () =>
      requests.map(({ body }) => {
        if (typeof body !== 'string') throw new Error('the body is not a string')
        const json: Record<string, unknown> = JSON.parse(body)
        return json
      }),
    send: async (request): Promise<SendResponse> => {
      const scripted = await respond(request, requests.push(request) - 1)
      const [status, body] = typeof scripted === 'number' ? [scripted, ''] : scripted
      return { status, body: typeof body === 'string' ? body : JSON.stringify(body), retryAfter: null }
    },
  }
}
