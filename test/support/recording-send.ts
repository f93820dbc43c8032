import type { Send, SendAnswer, SendRequest } from '../../src/port/send.ts'

/** A network that keeps what was sent and answers what the test says. */
export interface RecordingSend {
  readonly send: Send
  readonly requests: SendRequest[]
  /** The bodies, as JSON; for requests with a text body. */
  bodies(): Record<string, unknown>[]
}

/** What the test answers: a status alone, a status with a JSON body, or an answer that takes its time. */
export type Scripted = number | readonly [status: number, body: unknown]

/** @param answer Called for each request, with how many came before it. */
export const recordingSend = (
  answer: (request: SendRequest, index: number) => Scripted | Promise<Scripted>,
): RecordingSend => {
  const requests: SendRequest[] = []
  return {
    requests,
    bodies: () =>
      requests.map(({ body }) => {
        if (typeof body !== 'string') throw new Error('the body is not text')
        const json: Record<string, unknown> = JSON.parse(body)
        return json
      }),
    send: async (request): Promise<SendAnswer> => {
      const scripted = await answer(request, requests.push(request) - 1)
      const [status, body] = typeof scripted === 'number' ? [scripted, ''] : scripted
      return { status, body: typeof body === 'string' ? body : JSON.stringify(body), retryAfter: null }
    },
  }
}
